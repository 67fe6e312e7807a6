// Keeps the durable state in `<state-dir>/controller.state`: at once where that matters, soon otherwise.
//
// What must not be acted on before it is on disk (an epoch, an operator's decision) is written on the
// caller's thread; tables and directories change every second and are written by a thread of their own,
// newest wins. Both write whole files, one after the other; a late write never replaces a newer one. After a
// kill -9 the last state written is found.
//
// The terms of timed orders are dates in the file, by the wall clock at the time of writing: a restart goes
// on from them. While the controller runs they follow its monotonic time, so a clock that is set is in the
// file with the next save.
//
// A disk that takes nothing (full, read-only, gone) stops nobody: the state in memory leads, `told` hears of
// every write and how it ended, the log of the first that failed and of the first that did not. The owner
// saves again while failing(). Threads: one owner besides the internal one, which also calls `told`.
#ifndef RINGWAY_CONTROLLER_DAEMON_STATE_STORE_H_
#define RINGWAY_CONTROLLER_DAEMON_STATE_STORE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "controller/durable_state.h"
#include "runtime/log.h"

namespace ringway::controller {

class StateStore {
 public:
  StateStore(std::string directory, runtime::Logger log, std::function<void(bool)> told);
  ~StateStore();

  // Empty state if there is no file. Errors: DataLoss, FailedPrecondition, with the file and the remedy.
  absl::StatusOr<DurableState> Load() const;
  absl::Status SaveNow(const DurableState& state);
  void SaveSoon(const DurableState& state);
  // The last write failed: what is on disk is older than what leads.
  bool failing() const;

  const std::string& path() const { return path_; }

 private:
  struct Disk;
  std::string path_;
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_STATE_STORE_H_
