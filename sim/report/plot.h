// Line charts as one SVG file: panels above each other that share the horizontal axis.
//
// The colours are those of docs/plots, light and dark by the reader's system. Each line has its name beside
// its last point; where lines end close to each other the names are moved apart by PlaceLabels, so that no
// label covers another one: names stand in their own column, ticks in theirs, titles above their panels. Text
// is escaped. Where a name is too wide for its column, all lines have a letter there and the names stand
// below the plot. Points that are not finite are left out. At most kLinesMax lines a panel, the rest is not
// drawn: the caller says so.
//
// Pure: values in, text out; the same values give the same bytes. Linear in the points.
#ifndef RINGWAY_SIM_REPORT_PLOT_H_
#define RINGWAY_SIM_REPORT_PLOT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ringway::sim {

inline constexpr std::size_t kLinesMax = 6;  // as many as there are colours, and names fit beside a panel

struct PlotLine {
  std::string name;  // empty: no label
  std::vector<std::pair<double, double>> points;
};

struct PlotPanel {
  std::string title;  // what is drawn, with its unit
  std::vector<PlotLine> lines;
  bool percent = false;  // values are shares; ticks in percent
};

struct Plot {
  std::string title;
  std::string x_title;  // with its unit, if it has one
  std::vector<PlotPanel> panels;
};

std::string PlotSvg(const Plot& plot);

// Where labels stand that want to be at `wanted` (px, any order): each as near as their order allows, `gap`
// px apart at least, between `low` and `high`. There has to be room for all: (wanted.size() - 1) * gap <=
// high - low.
std::vector<double> PlaceLabels(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_PLOT_H_
