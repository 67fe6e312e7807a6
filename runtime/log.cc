#include "runtime/log.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "core/time.h"
#include "runtime/clock.h"

namespace ringway::runtime {
namespace {

constexpr std::size_t kLineBytesMax = 4096;

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO ";
    case LogLevel::kWarning:
      return "WARN ";
    case LogLevel::kError:
      return "ERROR";
  }
  return "?    ";
}

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  return std::nullopt;
}

void Logger::Write(LogLevel level, std::string_view message) const {
  if (level < level_min_) return;
  std::string line = absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", WallNow(), absl::UTCTimeZone()),
                                  " ", LevelName(level), " ", component_, "  ",
                                  absl::string_view(message.data(), std::min(message.size(), kLineBytesMax)));
  // A message may quote what a peer sent: it must not be able to forge further lines.
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  line.push_back('\n');
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace ringway::runtime
