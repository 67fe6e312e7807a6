// The last map, directory and table on disk: what a router routes by when it starts without a controller.
//
// Written whenever one of them changed, at most once a period, by a thread of its own, because fsync would
// hold up every job behind it. A file that is damaged, of an unknown version, or of another region is refused
// with a line that says so, and the router begins as if there were none: local first.
//
// Bound: one write under way; what changes meanwhile is written next. Threads: Save from the loop, the write
// on an own thread. Format: runtime/state_file.h around v1.RouterState.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_LAST_GOOD_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_LAST_GOOD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ringway/v1/router_state.pb.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

inline constexpr std::uint32_t kStateVersion = 1;
inline constexpr std::uint32_t kStateVersionOldest = 1;

// Errors: NotFound, DataLoss, FailedPrecondition (kind, version, region); each names the file and the remedy.
absl::StatusOr<v1::RouterState> ReadLastGood(const std::string& path, const std::string& region);

// What no leader can have numbered is not taken over: the highest epoch seen, and leaders of ledgers, whose
// fences nobody could rise above. The rows of the table are good whatever their number. True: something was
// dropped.
bool DropAbsurdEpochs(v1::RouterState& state);

// What the next life of the router goes on from; zeros where nothing is on disk.
struct LastLife {
  std::uint64_t incarnation = 0;
  std::uint64_t epoch_seen_max = 0;
};
LastLife ReadLastLife(const std::string& path, const std::string& region);

class LastGood {
 public:
  // Empty path: nothing is ever written.
  LastGood(std::string path, const runtime::Logger& log);
  ~LastGood();

  const std::string& path() const { return path_; }
  // False: a write is under way; try again later.
  bool Save(const v1::RouterState& state);

 private:
  const std::string path_;
  const runtime::Logger& log_;
  std::atomic<bool> writing_{false};
  runtime::EventLoop writer_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_LAST_GOOD_H_
