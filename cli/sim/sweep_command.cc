// ringway sim sweep SCENARIO --vary NAME=VALUES --out DIR [--seeds N] [--shard I/N] [--plot FILE]
// ringway sim merge DIR [--csv FILE] [--plot FILE]
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/fleet_view.h"
#include "cli/sim/price_options.h"
#include "cli/sim/run_pool.h"
#include "cli/sim/sim_commands.h"
#include "runtime/clock.h"
#include "sim/study/grid.h"
#include "sim/study/grid_plot.h"
#include "sim/study/parameters.h"

namespace ringway::cli {
namespace {

struct SweepOptions {
  std::string scenario;
  std::vector<std::string> vary;
  std::vector<std::string> settings;
  std::uint64_t seeds = 3;
  std::string out;
  std::string shard = "0/1";
  std::string plot;
  unsigned threads = 0;
  PriceOptions prices;
};

struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

absl::StatusOr<Shard> ReadShard(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
  Shard shard;
  const bool numbers =
      absl::SimpleAtoi(parts.first, &shard.index) && absl::SimpleAtoi(parts.second, &shard.count);
  if (numbers && shard.count > 0 && shard.index < shard.count) return shard;
  return absl::InvalidArgumentError(
      absl::StrCat("--shard: found \"", text, "\"; allowed: I/N with I from 0 to N - 1, for example 2/8"));
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What a stopped shard left, cut off behind its last whole line.
absl::Status Resume(const std::string& path, sim::Grid& grid, sim::GridResults& done) {
  if (!std::filesystem::exists(path)) return absl::OkStatus();
  const std::string text = ReadAll(path);
  if (absl::Status s = sim::ReadCsv(text, path, grid, done); !s.ok()) return s;
  const std::size_t end = text.rfind('\n');
  std::filesystem::resize_file(path, end == std::string::npos ? 0 : end + 1);
  return absl::OkStatus();
}

class ProgressLine {
 public:
  ProgressLine(std::ostream& out, std::size_t all)
      : out_(out), all_(all), begun_(runtime::MonotonicNow()), shown_(isatty(STDERR_FILENO) != 0) {}
  void Step() {
    ++done_;
    if (!shown_) return;
    const Duration passed = runtime::MonotonicNow() - begun_;
    const Duration left = passed / static_cast<std::int64_t>(done_) * static_cast<std::int64_t>(all_ - done_);
    const auto filled = static_cast<int>(30 * done_ / all_);
    out_ << "\r[" << std::string(static_cast<std::size_t>(filled), '#')
         << std::string(static_cast<std::size_t>(30 - filled), ' ')
         << absl::StrFormat("] %d of %d, %s left    ", done_, all_,
                            absl::FormatDuration(Trunc(left, Seconds(1))))
         << std::flush;
    if (done_ == all_) out_ << "\n";
  }

 private:
  std::ostream& out_;
  const std::size_t all_;
  const Time begun_;
  const bool shown_;
  std::size_t done_ = 0;
};

absl::StatusOr<sim::Grid> ReadGrid(const SweepOptions& options) {
  sim::Grid grid;
  grid.seeds = options.seeds;
  for (const std::string& text : options.vary) {
    auto axis = sim::ParseAxis(text);
    if (!axis.ok()) return absl::InvalidArgumentError(absl::StrCat("--vary: ", axis.status().message()));
    grid.axes.push_back(*std::move(axis));
  }
  if (grid.size() > sim::kPointsMax) {
    return absl::InvalidArgumentError(absl::StrCat("the grid has ", grid.size(), " points; at most ",
                                                   sim::kPointsMax, " are allowed: vary less, or in steps"));
  }
  return grid;
}

TextTable SummaryTable(const sim::Grid& grid, const std::vector<sim::GridRow>& rows) {
  const Align right = Align::kRight;
  std::vector<Column> columns;
  for (const sim::Axis& axis : grid.axes) columns.push_back({axis.parameter, right});
  columns.insert(columns.end(), {{"SEEDS", right},
                                 {"SERVED", right},
                                 {"+-", right},
                                 {"SERVED HOME", right},
                                 {"WAIT P99", right},
                                 {"+-", right},
                                 {"OFFERS/SERVED", right},
                                 {"BUSY", right}});
  if (grid.priced()) columns.push_back({"COST/1000 SERVED", right});
  TextTable table(columns);
  for (const sim::GridRow& row : rows) {
    const auto of = [&](sim::Figure figure) { return row.figures[static_cast<std::size_t>(figure)]; };
    std::vector<Cell> cells;
    for (const double value : row.values) cells.push_back(absl::StrFormat("%.6g", value));
    cells.push_back(absl::StrFormat("%d", row.seeds));
    cells.push_back(Percent(of(sim::Figure::kServedShare).mean));
    cells.push_back(row.seeds > 1 ? Percent(of(sim::Figure::kServedShare).half_width) : "");
    cells.push_back(Percent(of(sim::Figure::kHomeShare).mean));
    cells.push_back(absl::StrFormat("%.3f s", of(sim::Figure::kWaitP99S).mean));
    cells.push_back(row.seeds > 1 ? absl::StrFormat("%.3f s", of(sim::Figure::kWaitP99S).half_width) : "");
    cells.push_back(absl::StrFormat("%.2f", of(sim::Figure::kOffersPerServed).mean));
    cells.push_back(Percent(of(sim::Figure::kBusyShare).mean));
    if (grid.priced()) cells.push_back(absl::StrFormat("%.4g", of(sim::Figure::kCostPer1000).mean));
    table.Add(std::move(cells));
  }
  return table;
}

int Sweep(Session& session, const SweepOptions& options) {
  absl::StatusOr<sim::Scenario> scenario = LoadWithSettings(options.scenario, options.settings);
  if (!scenario.ok()) return Fail(session, scenario.status());
  if (absl::Status s = SetPrices(options.prices, *scenario); !s.ok()) return Fail(session, s);
  absl::StatusOr<sim::Grid> grid = ReadGrid(options);
  if (!grid.ok()) return Fail(session, grid.status());
  if (scenario->prices) grid->prices = sim::PricesText(*scenario->prices);
  const absl::StatusOr<Shard> shard = ReadShard(options.shard);
  if (!shard.ok()) return Fail(session, shard.status());
  // Mistakes in a parameter show before hours of work, not in its middle.
  for (std::size_t i = 0; i < grid->size(); i += grid->seeds) {
    const auto applied = grid->Apply(*scenario, grid->At(i));
    if (!applied.ok()) return Fail(session, applied.status());
  }
  std::error_code made;
  std::filesystem::create_directories(options.out, made);
  const std::string path = absl::StrFormat("%s/shard-%d-of-%d.csv", options.out, shard->index, shard->count);
  sim::GridResults done;
  if (absl::Status s = Resume(path, *grid, done); !s.ok()) return Fail(session, s);
  std::vector<std::size_t> todo;
  for (std::size_t i = shard->index; i < grid->size(); i += shard->count) {
    if (done.count(grid->KeyOf(grid->At(i))) == 0) todo.push_back(i);
  }
  if (!done.empty()) session.err << "going on: " << done.size() << " points are done already\n";
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) return Fail(session, absl::PermissionDeniedError("cannot write " + path));
  if (file.tellp() == 0) file << sim::CsvHeader(*grid);
  ProgressLine progress(session.err, todo.size());
  const Interruption interruption;
  const bool whole = RunAll(
      todo.size(), ThreadsFor(options.threads),
      [&](std::size_t i) {
        return std::make_shared<const sim::Scenario>(*grid->Apply(*scenario, grid->At(todo[i])));
      },
      [&](std::size_t i, const sim::Figures& figures) {
        const sim::GridPoint point = grid->At(todo[i]);
        file << sim::CsvLine(*grid, point, figures) << std::flush;
        done[grid->KeyOf(point)] = {point, figures};
        progress.Step();
      });
  if (!whole) session.err << "\ninterrupted: run the same command again to go on\n";
  const std::vector<sim::GridRow> rows = sim::Summarize(done);
  session.out << (session.json ? sim::SummaryJson(*grid, rows) + "\n"
                               : SummaryTable(*grid, rows).Render(session.colour));
  const bool drawn = WriteTo(session, options.plot, options.plot.empty() ? "" : sim::SweepPlot(*grid, rows));
  return whole && file && drawn ? kExitOk : kExitNo;
}

struct MergeOptions {
  std::string folder;
  std::string csv;
  std::string plot;
  PriceOptions prices;
};

int Merge(Session& session, const MergeOptions& options) {
  const std::string& folder = options.folder;
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (absl::StartsWith(name, "shard-") && absl::EndsWith(name, ".csv")) paths.push_back(entry.path());
  }
  if (paths.empty()) {
    return Fail(session, absl::NotFoundError(
                             folder + ": no files shard-I-of-N.csv; was a sweep run with --out here?"));
  }
  std::sort(paths.begin(), paths.end());
  sim::Grid grid;
  sim::GridResults results;
  for (const std::filesystem::path& path : paths) {
    const absl::Status s = sim::ReadCsv(ReadAll(path), path.string(), grid, results);
    if (!s.ok()) return Fail(session, s);
  }
  if (options.prices.given()) {
    const auto prices = PricesOf(options.prices, std::nullopt, 1);
    if (!prices.ok()) return Fail(session, prices.status());
    sim::PriceResults(*prices, grid, results);
  }
  const std::vector<sim::GridRow> rows = sim::Summarize(results);
  session.err << paths.size() << " shards, " << results.size() << " runs\n";
  session.out << (session.json ? sim::SummaryJson(grid, rows) + "\n"
                               : SummaryTable(grid, rows).Render(session.colour));
  const bool drawn = WriteTo(session, options.plot, options.plot.empty() ? "" : sim::SweepPlot(grid, rows));
  return WriteTo(session, options.csv, sim::SummaryCsv(grid, rows)) && drawn ? kExitOk : kExitNo;
}

}  // namespace

void AddSimSweep(flags::Command sim, Session& session) {
  flags::Command sweep = sim.Subcommand("sweep", "simulate a grid of parameters and seeds on all cores");
  const auto options = std::make_shared<SweepOptions>();
  sweep.Add("SCENARIO", options->scenario, "scenario file").Required();
  sweep
      .Add("--vary", options->vary,
           "NAME=1,2,3 or NAME=FROM:TO:STEP, may be repeated; parameters:\n" + sim::ParameterHelp())
      .Required()
      .OneEach();
  sweep.Add("--set", options->settings, "NAME=VALUE for every point, may be repeated").OneEach();
  sweep.Add("--seeds", options->seeds, "runs of every point").In(1, 10'000);
  sweep.Add("--out", options->out, "folder of the results; run again to go on").Required();
  sweep.Add("--shard", options->shard, "I/N: only every N-th point, from the I-th");
  sweep.Add("--plot", options->plot,
            "write an SVG: served, p99 wait and busy workers over the first parameter");
  sweep.Add("--threads", options->threads, "default: all cores").In(1, 1024);
  AddPriceOptions(sweep, options->prices);
  sweep.OnChosen(
      [&session, options] { session.run = [&session, options] { return Sweep(session, *options); }; });

  flags::Command merge = sim.Subcommand("merge", "sum up the shards of a sweep");
  const auto merged = std::make_shared<MergeOptions>();
  merge.Add("DIR", merged->folder, "the sweep's --out").Required();
  merge.Add("--csv", merged->csv, "write means and intervals");
  merge.Add("--plot", merged->plot,
            "write an SVG: served, p99 wait and busy workers over the first parameter");
  AddPriceOptions(merge, merged->prices);
  merge.OnChosen(
      [&session, merged] { session.run = [&session, merged] { return Merge(session, *merged); }; });
}

}  // namespace ringway::cli
