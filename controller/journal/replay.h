// Lives a recorded life again: the journal's inputs through a fresh machine, its tables held against the
// recorded.
//
// Each segment starts with a checkpoint. The first gives the machine; at a later one the machine must be in
// the very state that was recorded, unless the segment before ended in a hole: then the checkpoint is taken
// over. Every table that was recorded is compared with the one that the machine makes, byte for byte.
//
// `observe` sees every event with its time and the actions that followed, for tools that want more than a
// verdict. Errors: NotFound (no journal in the folder), DataLoss (not a journal, or no checkpoint at its
// start), InvalidArgument (a record that this release cannot read). Memory: one machine and one record.
#ifndef RINGWAY_CONTROLLER_JOURNAL_REPLAY_H_
#define RINGWAY_CONTROLLER_JOURNAL_REPLAY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/journal/event_codec.h"
#include "controller/machine.h"

namespace ringway::controller {

struct ReplayReport {
  std::uint64_t segments = 0;
  std::uint64_t events = 0;
  std::uint64_t tables = 0;            // recorded ones
  std::uint64_t tables_different = 0;  // 0: the replay is the life
  std::uint64_t checkpoints_different = 0;
  std::uint64_t holes = 0;       // segments that were torn or corrupt at their end
  std::string first_difference;  // a sentence; empty if none
};

using ReplayObserver =
    std::function<void(Time now, const ControllerEvent& event, const std::vector<ControllerAction>& actions,
                       const ControllerMachine& machine)>;

// Changes an event before the machine hears it: what if the world had been another. With edits, or with a
// fleet reader that edits, tables are expected to differ, and checkpoints of later segments are passed over.
using EventEdit = std::function<void(ControllerEvent& event, const ControllerMachine& machine)>;

// All segments of the directory, oldest first.
absl::StatusOr<ReplayReport> Replay(const std::string& directory, const FleetReader& read_fleet,
                                    const ReplayObserver& observe = nullptr, const EventEdit& edit = nullptr);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_REPLAY_H_
