#include "cli/progress_line.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::cli {
namespace {

constexpr int kBar = 24;
constexpr double kTooEarly = 0.05;

}  // namespace

std::string ProgressLine(const WorkSoFar& work) {
  const double fraction = std::clamp(work.fraction, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(std::floor(fraction * kBar));
  std::string line = absl::StrFormat("[%s%s] %3.0f %%", std::string(full, '#'), std::string(kBar - full, '-'),
                                     std::floor(100 * fraction));
  if (work.steps > 0) absl::StrAppend(&line, "  step ", work.step, " of ", work.steps);
  if (fraction >= 1) {
    absl::StrAppendFormat(&line, "  %.1f s", work.elapsed_s);
  } else if (fraction >= kTooEarly) {
    absl::StrAppendFormat(&line, "  %.1f s left", work.elapsed_s * (1 - fraction) / fraction);
  }
  return line;
}

}  // namespace ringway::cli
