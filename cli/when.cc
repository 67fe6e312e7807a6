#include "cli/when.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace ringway::cli {

absl::StatusOr<Time> ReadWhen(const std::string& text, Time now) {
  Duration ago;
  if (ParseDuration(text, &ago) && ago >= ZeroDuration() && ago < Hours(24 * 3660)) {
    return now - ago;
  }
  absl::Time at;
  for (const char* format :
       {"%Y-%m-%d %H:%M:%E*S %Ez", "%Y-%m-%d %H:%M %Ez", "%Y-%m-%d %H:%M:%E*S%Ez", "%Y-%m-%d %H:%M%Ez",
        "%Y-%m-%d %H:%M:%E*S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%dT%H:%M%Ez",
        "%Y-%m-%dT%H:%M:%E*S", "%Y-%m-%dT%H:%M"}) {
    if (!absl::ParseTime(format, text, absl::UTCTimeZone(), &at, nullptr)) continue;
    // What lies beyond the range is infinite.
    if (const Time when = at; when > UnixEpoch() && when < InfiniteFuture()) return when;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("found \"", text,
                   "\"; allowed: a date and time (2026-11-23 12:00, UTC, or with an offset: 2026-11-23 12:00 "
                   "+0100), or how long ago (26h)"));
}

std::string WhenText(Time at) { return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", at, absl::UTCTimeZone()); }

}  // namespace ringway::cli
