#include "router/daemon/operations/metrics_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ringway::router {
namespace {

// The end of `{...}` at the front of `rest`; quoted values may hold braces and escaped quotes.
std::size_t EndOfLabels(std::string_view rest) {
  bool quoted = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (quoted && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && rest[i] == '}') {
      return i + 1;
    }
  }
  return rest.size();
}

void ReadLine(std::string_view line, const std::vector<std::string>& names,
              std::map<std::string, double>& values) {
  if (line.empty() || line.front() == '#') return;
  const std::size_t name_end = line.find_first_of("{ \t");
  if (name_end == std::string_view::npos) return;
  const std::string_view name = line.substr(0, name_end);
  if (std::find(names.begin(), names.end(), name) == names.end()) return;
  std::string_view rest = line.substr(name_end);
  if (rest.front() == '{') rest.remove_prefix(EndOfLabels(rest));
  const std::string text(rest);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return;
  values[std::string(name)] += value;
}

}  // namespace

std::map<std::string, double> ReadMetrics(std::string_view page, const std::vector<std::string>& names) {
  std::map<std::string, double> values;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    ReadLine(page.substr(0, end), names, values);
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return values;
}

}  // namespace ringway::router
