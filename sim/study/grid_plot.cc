#include "sim/study/grid_plot.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/report/plot.h"

namespace ringway::sim {
namespace {

// The other parameters of a row: "threshold 0.7, budget 2". Empty if there is only one.
std::string NameOf(const Grid& grid, const GridRow& row) {
  std::string name;
  for (std::size_t i = 1; i < grid.axes.size(); ++i) {
    absl::StrAppendFormat(&name, "%s%s %.4g", name.empty() ? "" : ", ", grid.axes[i].parameter,
                          row.values[i]);
  }
  return name;
}

PlotPanel PanelOf(const Grid& grid, const std::vector<GridRow>& rows, Figure figure) {
  PlotPanel panel;
  panel.percent = TextOf(figure).percent;
  panel.title = absl::StrCat(std::string(TextOf(figure).title));
  for (const GridRow& row : rows) {
    const std::string name = NameOf(grid, row);
    auto line = std::find_if(panel.lines.begin(), panel.lines.end(),
                             [&](const PlotLine& drawn) { return drawn.name == name; });
    if (line == panel.lines.end()) line = panel.lines.insert(line, PlotLine{name, {}});
    line->points.emplace_back(row.values[0], row.figures[static_cast<std::size_t>(figure)].mean);
  }
  for (PlotLine& line : panel.lines) std::sort(line.points.begin(), line.points.end());
  return panel;
}

}  // namespace

std::string SweepPlot(const Grid& grid, const std::vector<GridRow>& rows) {
  Plot plot;
  plot.x_title = grid.axes[0].parameter;
  for (const Figure figure : {Figure::kServedShare, Figure::kWaitP99S, Figure::kBusyShare}) {
    plot.panels.push_back(PanelOf(grid, rows, figure));
  }
  if (grid.priced()) plot.panels.push_back(PanelOf(grid, rows, Figure::kCostPer1000));
  const std::size_t lines = plot.panels[0].lines.size();
  plot.title = absl::StrCat("sweep of ", grid.axes[0].parameter);
  if (lines > kLinesMax) absl::StrAppend(&plot.title, ": ", kLinesMax, " of ", lines, " lines");
  return PlotSvg(plot);
}

}  // namespace ringway::sim
