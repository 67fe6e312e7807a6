// A worker's journal, lived again (journal/replay.h): the production node, stepped with what was recorded.
//
// `observe` sees each event with what followed.
// Errors: NotFound (no journal is there), DataLoss (not a worker's), FailedPrecondition (another version, or
// fields that this release does not read). Memory: one node and one batch of events.
#ifndef RINGWAY_WORKER_JOURNAL_REPLAY_H_
#define RINGWAY_WORKER_JOURNAL_REPLAY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "journal/replay.h"
#include "worker/worker_node.h"

namespace ringway::worker {

using ReplayObserver =
    std::function<void(Time, const WorkerEvent&, const std::vector<WorkerAction>& actions)>;

absl::StatusOr<journal::ReplayReport> Replay(const std::string& directory,
                                             const ReplayObserver& observe = nullptr);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOURNAL_REPLAY_H_
