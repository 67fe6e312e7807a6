#include "tests/live/recovery/fleet.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/live/http_get.h"

namespace ringway::live {

int Fleet::Usable(int index) {
  const std::string series = absl::StrCat("ringway_router_workers{tier=\"", tier(), "\"}");
  return static_cast<int>(MetricValue(router(index).http(), series).value_or(0));
}

Window Summarize(std::vector<Duration> took, std::size_t jobs, std::string failures) {
  std::sort(took.begin(), took.end());
  Window window{.jobs = jobs, .done = took.size(), .failures = std::move(failures)};
  if (took.empty()) return window;
  window.p50 = took[took.size() / 2];
  window.p90 = took[took.size() * 9 / 10];
  return window;
}

}  // namespace ringway::live
