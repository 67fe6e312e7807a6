#include "router/http/answer.h"

#include <algorithm>
#include <charconv>

namespace ringway::router {
namespace {

// An error that comes this much sooner than a result would is that of a worker which does not work.
constexpr double kInstantShare = 0.1;
constexpr int kRetryAfterMaxS = 3600;

}  // namespace

bool SaysBusy(const HttpPoolSpec& spec, const http::Head& head) {
  const auto& busy = spec.busy_statuses;
  return std::find(busy.begin(), busy.end(), head.status) != busy.end();
}

Duration RetryAfterOf(const http::Head& head) {
  const std::string_view text = head.Value("Retry-After");
  int seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || end != text.data() + text.size()) return ZeroDuration();
  return Seconds(std::clamp(seconds, 0, kRetryAfterMaxS));
}

Outcome OutcomeOfAnswer(int status, Duration took, Duration mean) {
  if (status < 400) return Outcome::kDone;
  const bool instant = took < mean * kInstantShare;
  return status >= 500 && instant ? Outcome::kFailed : Outcome::kRejected;
}

}  // namespace ringway::router
