#include "sim/report/plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "core/check.h"

namespace ringway::sim {
namespace {

constexpr double kWidth = 720, kLeft = 60, kRight = 150, kPanel = 110, kPanelGap = 24, kTop = 36,
                 kLabelGap = 14;

constexpr char kPlotStyle[] =
    ".back{fill:#fff}.t{font:11px sans-serif;fill:#222}.s{font:10px sans-serif;fill:#666}"
    ".h{font:bold 12px sans-serif;fill:#222}.grid{stroke:#ddd;stroke-width:1}.l{fill:none;stroke-width:1.5}"
    ".a{stroke:#2c6fbb}.b{stroke:#1f7a4d}.c{stroke:#c0392b}.d{stroke:#8e44ad}.e{stroke:#d07a00}.f{stroke:#"
    "7a8694}"
    ".fa{fill:#2c6fbb}.fb{fill:#1f7a4d}.fc{fill:#c0392b}.fd{fill:#8e44ad}.fe{fill:#d07a00}.ff{fill:#7a8694}"
    "@media(prefers-color-scheme:dark){.back{fill:#14181d}.t,.h{fill:#e6e8ea}.s{fill:#9aa4ae}.grid{stroke:#"
    "2c343c}"
    ".a{stroke:#6fb0f5}.fa{fill:#6fb0f5}.b{stroke:#4fc38a}.fb{fill:#4fc38a}.c{stroke:#ff7b6b}.fc{fill:#"
    "ff7b6b}"
    ".d{stroke:#c79be0}.fd{fill:#c79be0}.e{stroke:#f0a848}.fe{fill:#f0a848}.f{stroke:#9aa4ae}.ff{fill:#"
    "9aa4ae}}";

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// The next round number.
double NiceTop(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double m : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (m * power >= value * 0.999) return m * power;
  }
  return 10 * power;
}

bool Drawn(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

struct Range {
  double from = 0, to = 1;
};

Range RangeOfX(const Plot& plot) {
  Range range{INFINITY, -INFINITY};
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotLine& line : panel.lines) {
      for (const auto& point : line.points) {
        if (!Drawn(point)) continue;
        range.from = std::min(range.from, point.first);
        range.to = std::max(range.to, point.first);
      }
    }
  }
  if (!(range.from <= range.to)) return {};
  if (range.from == range.to) range.to += 1;
  return range;
}

double XOf(const Range& range, double x) {
  return kLeft + (kWidth - kLeft - kRight) * (x - range.from) / (range.to - range.from);
}

void DrawGrid(const PlotPanel& panel, double top, double y, std::string& svg) {
  for (const double share : {0.0, 0.5, 1.0}) {
    const double at = y + kPanel * (1 - share);
    const std::string tick =
        panel.percent ? absl::StrFormat("%.4g %%", 100 * top * share) : absl::StrFormat("%.4g", top * share);
    absl::StrAppendFormat(&svg, "<path class=\"grid\" d=\"M%g %gH%g\"/>", kLeft, at, kWidth - kRight);
    absl::StrAppendFormat(&svg, "<text class=\"s\" x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>",
                          kLeft - 5, at + 3, tick);
  }
  absl::StrAppendFormat(&svg, "<text class=\"t\" x=\"%g\" y=\"%g\">%s</text>", kLeft, y - 6,
                        Escaped(panel.title));
}

constexpr double kLetter = 0.58 * 11;  // px of a letter of a name, on average
constexpr double kNameGap = 8, kKeyLine = 15;

bool FitsBesidePanels(const std::string& name) {
  return kLetter * static_cast<double>(name.size()) <= kRight - kNameGap;
}

// Names too wide to stand beside the panels: a letter for each, in the order in which they first come.
class Key {
 public:
  explicit Key(const Plot& plot) {
    for (const PlotPanel& panel : plot.panels) {
      for (std::size_t i = 0; i < std::min(panel.lines.size(), kLinesMax); ++i) {
        const std::string& name = panel.lines[i].name;
        needed_ = needed_ || !FitsBesidePanels(name);
        const bool known =
            std::any_of(names_.begin(), names_.end(), [&](const Entry& entry) { return entry.name == name; });
        if (!name.empty() && !known) names_.push_back({name, i});
      }
    }
  }
  // What stands beside a line of this name.
  std::string LabelOf(const std::string& name) const {
    if (!needed_) return name;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].name == name) return LetterOf(i);
    }
    return name;
  }
  // From `y` on downwards; the y behind it.
  double Draw(double y, std::string& svg) const {
    if (!needed_) return y;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::string rest = LetterOf(i) + ": " + names_[i].name;
      while (!rest.empty()) {
        const std::string line = CutLine(rest);
        absl::StrAppendFormat(&svg, "<text class=\"t f%c\" x=\"%g\" y=\"%g\">%s</text>",
                              static_cast<char>('a' + names_[i].line), kLeft, y, Escaped(line));
        y += kKeyLine;
      }
    }
    return y;
  }

 private:
  struct Entry {
    std::string name;
    std::size_t line;  // of its panel: its colour
  };
  static std::string LetterOf(std::size_t i) { return std::string(1, static_cast<char>('A' + i % 26)); }
  // The first line of `rest`, as wide as the picture allows, broken at blanks; it is taken off `rest`.
  static std::string CutLine(std::string& rest) {
    const auto most = static_cast<std::size_t>((kWidth - kLeft - kNameGap) / kLetter);
    std::size_t end = rest.size();
    if (end > most) {
      end = rest.rfind(' ', most);
      if (end == std::string::npos || end == 0) end = most;
    }
    std::string line = rest.substr(0, end);
    rest.erase(0, end < rest.size() && rest[end] == ' ' ? end + 1 : end);
    return line;
  }

  std::vector<Entry> names_;
  bool needed_ = false;
};

void DrawPanel(const PlotPanel& panel, const Range& range, double y, const Key& key, std::string& svg) {
  double most = 0;
  const std::size_t lines = std::min(panel.lines.size(), kLinesMax);
  for (std::size_t i = 0; i < lines; ++i) {
    for (const auto& point : panel.lines[i].points) most = Drawn(point) ? std::max(most, point.second) : most;
  }
  const double top = panel.percent ? std::max(1.0, most) : NiceTop(most);
  DrawGrid(panel, top, y, svg);
  std::vector<double> wanted;
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < lines; ++i) {
    std::string path;
    double last = y + kPanel;
    for (const auto& point : panel.lines[i].points) {
      if (!Drawn(point)) continue;
      last = y + kPanel * (1 - std::clamp(point.second / top, 0.0, 1.0));
      absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", XOf(range, point.first), last);
    }
    if (!path.empty()) {
      absl::StrAppendFormat(&svg, "<path class=\"l %c\" d=\"%s\"/>", static_cast<char>('a' + i), path);
    }
    if (panel.lines[i].name.empty()) continue;
    wanted.push_back(last + 4);
    named.push_back(i);
  }
  const std::vector<double> at = PlaceLabels(wanted, kLabelGap, y + 8, y + kPanel + 4);
  for (std::size_t k = 0; k < named.size(); ++k) {
    absl::StrAppendFormat(&svg, "<text class=\"t f%c\" x=\"%g\" y=\"%.1f\">%s</text>",
                          static_cast<char>('a' + named[k]), kWidth - kRight + kNameGap, at[k],
                          Escaped(key.LabelOf(panel.lines[named[k]].name)));
  }
}

}  // namespace

std::vector<double> PlaceLabels(const std::vector<double>& wanted, double gap, double low, double high) {
  if (wanted.empty()) return {};
  RINGWAY_CHECK(static_cast<double>(wanted.size() - 1) * gap <= high - low);
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> placed(wanted.size());
  // Down the column each keeps clear of the one above, then up it each of the one below, from the lower
  // border.
  double least = low;
  for (const std::size_t i : order) {
    placed[i] = std::max(wanted[i], least);
    least = placed[i] + gap;
  }
  double most = high;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    placed[*it] = std::min(placed[*it], most);
    most = placed[*it] - gap;
  }
  return placed;
}

std::string PlotSvg(const Plot& plot) {
  const Range range = RangeOfX(plot);
  const Key key(plot);
  std::string body;
  double y = kTop;
  for (const PlotPanel& panel : plot.panels) {
    DrawPanel(panel, range, y, key, body);
    y += kPanel + kPanelGap;
  }
  const double axis = y - kPanelGap + 16;
  for (int i = 0; i <= 4; ++i) {
    const double x = range.from + (range.to - range.from) * i / 4;
    absl::StrAppendFormat(&body, "<text class=\"s\" x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.4g</text>",
                          XOf(range, x), axis, x);
  }
  absl::StrAppendFormat(&body, "<text class=\"t\" x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>",
                        (kLeft + kWidth - kRight) / 2, axis + 18, Escaped(plot.x_title));
  const double height = key.Draw(axis + 18 + kKeyLine, body) - kKeyLine + 10;
  return absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\"><title>%s</title>"
      "<style>%s</style><rect class=\"back\" width=\"%g\" height=\"%g\"/><text class=\"h\" x=\"%g\" "
      "y=\"14\">%s</text>"
      "%s</svg>\n",
      kWidth, height, Escaped(plot.title), kPlotStyle, kWidth, height, kLeft, Escaped(plot.title), body);
}

}  // namespace ringway::sim
