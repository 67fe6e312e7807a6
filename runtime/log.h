// Log lines of the daemons: one line an event, to standard error, readable by people and by grep.
//
//   2026-03-01T12:00:00.123Z INFO  controller/main  table pushed epoch=3 version=41 routers=6
//
// A Logger is a value that is passed to whoever may speak; there is no global. One write(2) a line, so lines
// of several threads do not mix. Levels below the logger's minimum cost a comparison.
//
// Threads: safe (immutable after construction).
#ifndef RINGWAY_RUNTIME_LOG_H_
#define RINGWAY_RUNTIME_LOG_H_

#include <optional>
#include <string>
#include <string_view>

namespace ringway::runtime {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warning", "error".
std::optional<LogLevel> ParseLogLevel(std::string_view name);

class Logger {
 public:
  explicit Logger(std::string component, LogLevel level_min = LogLevel::kInfo)
      : component_(std::move(component)), level_min_(level_min) {}
  void Debug(std::string_view message) const { Write(LogLevel::kDebug, message); }
  void Info(std::string_view message) const { Write(LogLevel::kInfo, message); }
  void Warning(std::string_view message) const { Write(LogLevel::kWarning, message); }
  void Error(std::string_view message) const { Write(LogLevel::kError, message); }

 private:
  void Write(LogLevel level, std::string_view message) const;
  std::string component_;
  LogLevel level_min_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_LOG_H_
