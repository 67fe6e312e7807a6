#include "sim/study/size_plot.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/report/plot.h"

namespace ringway::sim {
namespace {

using Points = std::vector<std::pair<double, double>>;

// The best of the fleets of each size near the answer, by size.
Points WorstBySize(const Objective& objective, std::size_t index, const std::vector<TriedFleet>& tried,
                   double from, double to) {
  std::map<int, double> best;
  for (const TriedFleet& fleet : tried) {
    if (fleet.workers < from || fleet.workers > to) continue;
    const double worst = fleet.worst[index];
    const auto [at, fresh] = best.emplace(fleet.workers, worst);
    if (!fresh) at->second = objective.at_least ? std::max(at->second, worst) : std::min(at->second, worst);
  }
  return {best.begin(), best.end()};
}

// Of the samples, the share that so many workers are enough for: a stair.
Points ShareKept(std::vector<int> needs) {
  std::sort(needs.begin(), needs.end());
  Points stair;
  const auto all = static_cast<double>(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    stair.emplace_back(needs[i], static_cast<double>(i) / all);
    stair.emplace_back(needs[i], static_cast<double>(i + 1) / all);
  }
  return stair;
}

double Highest(const Points& points, double least) {
  for (const auto& point : points) least = std::max(least, point.second);
  return least;
}

}  // namespace

std::string SizePlot(const std::vector<Objective>& objectives, const std::vector<TriedFleet>& tried,
                     const SizingAnswer& answer) {
  const int workers = std::accumulate(answer.workers.begin(), answer.workers.end(), 0);
  const double from = kSizeDrawnMin * workers, to = kSizeDrawnMax * workers;
  const std::string answer_name = absl::StrCat("answer: ", workers);
  Plot plot{.title = absl::StrCat("how many workers: ", workers), .x_title = "workers in all", .panels = {}};
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const Objective& objective = objectives[i];
    const FigureText& figure = TextOf(objective.figure);
    const Points worst = WorstBySize(objective, i, tried, from, to);
    const double first = worst.empty() ? workers : std::min<double>(workers, worst.front().first);
    const double last = worst.empty() ? workers : std::max<double>(workers, worst.back().first);
    PlotPanel panel{.title = std::string(figure.title), .lines = {}, .percent = figure.percent};
    panel.lines.push_back({"worst of the runs", worst});
    panel.lines.push_back(
        {absl::StrFormat("objective %s %g", objective.at_least ? ">=" : "<=", objective.bound),
         {{first, objective.bound}, {last, objective.bound}}});
    panel.lines.push_back(
        {answer_name, {{workers, Highest(worst, panel.percent ? 1 : objective.bound)}, {workers, 0}}});
    plot.panels.push_back(std::move(panel));
  }
  if (!answer.needs.empty()) {
    plot.panels.push_back(
        {.title = absl::StrCat("share of the ", answer.needs.size(), " runs that it is enough for"),
         .lines = {{"alone", ShareKept(answer.needs)}, {answer_name, {{workers, 1}, {workers, 0}}}},
         .percent = true});
  }
  return PlotSvg(plot);
}

}  // namespace ringway::sim
