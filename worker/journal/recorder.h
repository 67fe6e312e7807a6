// A worker's journal, as it is written (journal/ring.h): what its node is told, and a digest of its actions.
//
// Of payloads and results the sizes are in it, and nothing else of a job but its lease. A segment begins with
// the settings, the number of events and the state (checkpoint.h).
// Bounds and cost: as those of a ring. Threads: the node's.
#ifndef RINGWAY_WORKER_JOURNAL_RECORDER_H_
#define RINGWAY_WORKER_JOURNAL_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "journal/ring.h"
#include "runtime/log.h"
#include "worker/worker_node.h"

namespace ringway::worker {

inline constexpr journal::Title kJournalTitle{"ringway worker journal", 1};

class Recorder {
 public:
  // Of a node made from `settings`, into segments of `directory`.
  Recorder(const std::string& directory, std::uint64_t bytes_max, const WorkerSettings& settings,
           const WorkerNode& node, const runtime::Logger& log,
           journal::DiskPace pace = journal::DiskPace::kGoesOn);

  // The node as it is made, before its first Step.
  void Begin(Time now) { ring_.Begin(now); }
  // After the Step with `event`; the actions in their order.
  void Note(Time now, const WorkerEvent& event, const std::vector<WorkerAction>& actions);
  // When Flush wants to be called even if nothing more happens.
  Time FlushAt() const { return ring_.FlushAt(); }
  void Flush(Time now) { ring_.Flush(now); }
  // False: not at present.
  bool recording() const { return ring_.recording(); }

 private:
  journal::Ring ring_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOURNAL_RECORDER_H_
