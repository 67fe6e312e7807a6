// What an engine says of its files while it works: kept, and told as notes when the work is done.
//
// An engine logs from any of its threads (packed weights that were refused or not kept), and a note in the
// middle of a line of progress could not be read. Make it before the engine, so that it goes after it.
//
// Threads: Add from any; the rest is its owner's. Memory: a few lines for each network of a model.
#ifndef RINGWAY_CLI_ENGINE_LOG_H_
#define RINGWAY_CLI_ENGINE_LOG_H_

#include <mutex>
#include <string>
#include <vector>

#include "cli/session.h"

namespace ringway::cli {

class EngineLog {
 public:
  explicit EngineLog(Session& session) : session_(session) {}
  ~EngineLog() {
    for (const std::string& line : lines_) session_.err << "note: " << line << "\n";
  }
  EngineLog(const EngineLog&) = delete;
  EngineLog& operator=(const EngineLog&) = delete;
  void Add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }

 private:
  Session& session_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ENGINE_LOG_H_
