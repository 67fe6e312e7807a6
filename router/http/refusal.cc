#include "router/http/refusal.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::router {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

struct Verdict {
  int status;
  std::string_view type;
  std::string_view code;
};

Verdict VerdictOf(const EndJob& end, const RefusalFacts& facts) {
  if (facts.draining) return {503, "unavailable", "draining"};
  if (facts.unreachable) return {503, "unavailable", "no_worker"};
  switch (end.outcome) {
    case Outcome::kTimeout:
      if (facts.sent) return {504, "timeout", "deadline_exceeded"};
      return {facts.overload_status, "overloaded", "no_slot_in_time"};
    case Outcome::kShed:
      if (end.trace.route.shed) return {facts.overload_status, "overloaded", "shed"};
      if (end.trace.busy > 0 && end.trace.busy == end.trace.attempts)
        return {facts.overload_status, "overloaded", "workers_busy"};
      return {facts.overload_status, "overloaded", "line_full"};
    case Outcome::kFailed:
      return {502, "worker_error", "worker_failed"};
    default:
      return {503, "unavailable", "no_worker"};
  }
}

}  // namespace

std::string ErrorBody(std::string_view message, std::string_view type, std::string_view code) {
  return absl::StrCat("{\"error\":{\"message\":\"", Escaped(message), "\",\"type\":\"", std::string(type),
                      "\",\"code\":\"", std::string(code), "\"}}\n");
}

Refusal RefusalOf(const EndJob& end, const RefusalFacts& facts) {
  const Verdict verdict = VerdictOf(end, facts);
  Refusal refusal{.status = verdict.status};
  refusal.body = ErrorBody(end.message, verdict.type, verdict.code);
  refusal.fields = absl::StrCat("X-Ringway-Reason: ", std::string(verdict.code),
                                "\r\nX-Ringway-Offers: ", end.trace.attempts,
                                "\r\nX-Ringway-Wait-Ms: ", ToInt64Milliseconds(end.trace.wait), "\r\n");
  if (verdict.status == 429 || verdict.status == 503) {
    const double hint_s = ToDoubleSeconds(std::clamp(end.retry_after, Seconds(1), Hours(1)));
    absl::StrAppend(&refusal.fields, "Retry-After: ", static_cast<int>(std::ceil(hint_s)), "\r\n");
  }
  return refusal;
}

}  // namespace ringway::router
