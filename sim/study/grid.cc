#include "sim/study/grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/json.h"
#include "sim/study/parameters.h"

namespace ringway::sim {
namespace {

// Absl's own type; the same bytes.
absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

absl::Status BadAxis(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("found \"", View(text), "\"; allowed: NAME=1,2,3 or NAME=FROM:TO:STEP"));
}

absl::Status BadLine(std::string_view file, std::size_t line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(View(file), ":", line, ": ", View(what)));
}

// A line's cells as numbers: the axes, the seed, the figures.
absl::Status ReadLine(std::string_view file, std::size_t number, const std::string& line, const Grid& grid,
                      GridResults& results) {
  const std::vector<std::string> cells = absl::StrSplit(line, ',');
  const std::size_t told = FiguresTold(grid.priced());
  const std::size_t wanted = grid.axes.size() + 1 + told + (grid.priced() ? 1 : 0);
  if (cells.size() != wanted) {
    return BadLine(file, number, absl::StrCat("found ", cells.size(), " columns; there must be ", wanted));
  }
  std::vector<double> values(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!absl::SimpleAtod(cells[i], &values[i])) {
      return BadLine(file, number, absl::StrCat("column ", i + 1, ": '", cells[i], "' is not a number"));
    }
  }
  GridPoint point;
  point.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(grid.axes.size()));
  point.seed = static_cast<std::uint64_t>(values[grid.axes.size()]);
  Figures figures;
  figures.set_priced(grid.priced());
  for (std::size_t i = 0; i < told; ++i) {
    figures[static_cast<Figure>(i)] = values[grid.axes.size() + 1 + i];
  }
  const std::string key = grid.KeyOf(point);
  results[key] = {std::move(point), figures};
  return absl::OkStatus();
}

constexpr char kPricesColumn[] = "prices ";

// The parameters and prices that a header names.
absl::StatusOr<Grid> ReadHeader(std::string_view file, const std::string& line) {
  const std::vector<std::string> cells = absl::StrSplit(line, ',');
  Grid grid;
  for (const std::string& cell : cells) {
    if (cell == "seed") break;
    grid.axes.push_back({cell, {}});
  }
  if (absl::StartsWith(cells.back(), kPricesColumn))
    grid.prices = cells.back().substr(sizeof kPricesColumn - 1);
  if (grid.axes.size() + 1 + FiguresTold(grid.priced()) + (grid.priced() ? 1 : 0) != cells.size()) {
    return BadLine(file, 1, "not the header of a sweep's results; was it written by another release?");
  }
  return grid;
}

}  // namespace

absl::StatusOr<Axis> ParseAxis(std::string_view text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(View(text), absl::MaxSplits('=', 1));
  Axis axis{parts.first, {}};
  const std::vector<std::string> range = absl::StrSplit(parts.second, ':');
  if (range.size() == 3) {
    double from = 0, to = 0, step = 0;
    const bool numbers = absl::SimpleAtod(range[0], &from) && absl::SimpleAtod(range[1], &to) &&
                         absl::SimpleAtod(range[2], &step);
    if (!numbers || !(step > 0) || !(to >= from) || (to - from) / step > 10'000) return BadAxis(text);
    const auto count = static_cast<std::size_t>(std::floor((to - from) / step + 1e-9)) + 1;
    for (std::size_t i = 0; i < count; ++i) axis.values.push_back(from + step * static_cast<double>(i));
    return axis;
  }
  for (const auto& word : absl::StrSplit(parts.second, ',')) {
    double value = 0;
    if (!absl::SimpleAtod(word, &value)) return BadAxis(text);
    axis.values.push_back(value);
  }
  if (axis.parameter.empty() || axis.values.empty()) return BadAxis(text);
  return axis;
}

std::size_t Grid::size() const {
  std::size_t size = seeds;
  for (const Axis& axis : axes) size *= axis.values.size();
  return size;
}

GridPoint Grid::At(std::size_t number) const {
  GridPoint point;
  point.seed = number % seeds + 1;
  number /= seeds;
  point.values.resize(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    point.values[i] = axes[i].values[number % axes[i].values.size()];
    number /= axes[i].values.size();
  }
  return point;
}

std::string Grid::KeyOf(const GridPoint& point) const {
  std::string key;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    absl::StrAppendFormat(&key, "%s=%.10g ", axes[i].parameter, point.values[i]);
  }
  return absl::StrCat(key, "seed=", point.seed);
}

absl::StatusOr<Scenario> Grid::Apply(const Scenario& scenario, const GridPoint& point) const {
  Scenario changed = scenario;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (absl::Status s = SetParameter(axes[i].parameter, point.values[i], changed); !s.ok()) return s;
  }
  changed.seed = point.seed;
  return changed;
}

std::string CsvHeader(const Grid& grid) {
  std::string text;
  for (const Axis& axis : grid.axes) absl::StrAppend(&text, axis.parameter, ",");
  text += "seed";
  for (std::size_t i = 0; i < FiguresTold(grid.priced()); ++i) {
    absl::StrAppend(&text, ",", View(TextOf(static_cast<Figure>(i)).name));
  }
  if (grid.priced()) absl::StrAppend(&text, ",", kPricesColumn, grid.prices);
  return text + "\n";
}

std::string CsvLine(const Grid& grid, const GridPoint& point, const Figures& figures) {
  std::string text;
  for (std::size_t i = 0; i < grid.axes.size(); ++i) absl::StrAppendFormat(&text, "%.10g,", point.values[i]);
  absl::StrAppend(&text, point.seed);
  for (std::size_t i = 0; i < FiguresTold(grid.priced()); ++i) {
    absl::StrAppendFormat(&text, ",%.10g", figures[static_cast<Figure>(i)]);
  }
  if (grid.priced()) text += ",1";  // the column's name says it all
  return text + "\n";
}

absl::Status ReadCsv(std::string_view text, std::string_view file, Grid& grid, GridResults& results) {
  bool header = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    if (header) {
      if (absl::Status s = ReadLine(file, number, line, grid, results); !s.ok()) return s;
      continue;
    }
    header = true;
    auto told = ReadHeader(file, line);
    if (!told.ok()) return told.status();
    if (grid.axes.empty()) {
      grid.axes = std::move(told->axes);
      grid.prices = std::move(told->prices);
    }
    if (line + "\n" != CsvHeader(grid)) {
      return BadLine(file, number, "these results are of other parameters or prices than the ones asked for");
    }
  }
  return absl::OkStatus();
}

void PriceResults(const Prices& prices, Grid& grid, GridResults& results) {
  const RegionId any(0);
  for (auto& [key, result] : results) {
    Figures& figures = result.second;
    const double away = figures[Figure::kServedJobs] * (1 - figures[Figure::kHomeShare]);
    figures.SetCosts(figures[Figure::kGpuHours] * prices.gpu_hour[any],
                     away * prices.result_bytes / kBytesOfGb * prices.egress_gb[any]);
  }
  grid.prices = PricesText(prices);
}

std::vector<GridRow> Summarize(const GridResults& results) {
  std::map<std::vector<double>, std::vector<const Figures*>> by_values;
  for (const auto& [key, result] : results) by_values[result.first.values].push_back(&result.second);
  std::vector<GridRow> rows;
  for (const auto& [values, runs] : by_values) {
    GridRow row{.values = values, .figures = {}, .seeds = runs.size()};
    for (std::size_t i = 0; i < FiguresTold(runs.front()->priced()); ++i) {
      std::vector<double> samples;
      for (const Figures* figures : runs) samples.push_back((*figures)[static_cast<Figure>(i)]);
      row.figures.push_back(EstimateMean(samples));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string SummaryJson(const Grid& grid, const std::vector<GridRow>& rows) {
  JsonWriter json;
  json.BeginObject().Key("points").BeginArray();
  for (const GridRow& row : rows) {
    json.BeginObject().Key("parameters").BeginObject();
    for (std::size_t i = 0; i < grid.axes.size(); ++i) json.Key(grid.axes[i].parameter).Number(row.values[i]);
    json.End();
    json.Key("seeds").Integer(static_cast<std::int64_t>(row.seeds)).Key("figures").BeginObject();
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      json.Key(TextOf(static_cast<Figure>(i)).name).BeginObject();
      json.Key("mean").Number(row.figures[i].mean).Key("half_width").Number(row.figures[i].half_width).End();
    }
    json.End().End();
  }
  json.End().End();
  return json.text();
}

std::string SummaryCsv(const Grid& grid, const std::vector<GridRow>& rows) {
  std::string text;
  for (const Axis& axis : grid.axes) absl::StrAppend(&text, axis.parameter, ",");
  text += "seeds";
  for (std::size_t i = 0; i < FiguresTold(grid.priced()); ++i) {
    const auto name = View(TextOf(static_cast<Figure>(i)).name);
    absl::StrAppend(&text, ",", name, ",", name, "_ci95");
  }
  text += "\n";
  for (const GridRow& row : rows) {
    for (const double value : row.values) absl::StrAppendFormat(&text, "%.10g,", value);
    absl::StrAppend(&text, row.seeds);
    for (const Estimate& e : row.figures) absl::StrAppendFormat(&text, ",%.8g,%.4g", e.mean, e.half_width);
    text += "\n";
  }
  return text;
}

}  // namespace ringway::sim
