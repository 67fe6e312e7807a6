// A router's journal, as it is written (journal/ring.h): what its machine is told, and a digest of its
// actions.
//
// Results of jobs with an idempotency key are in it, payloads are not. A segment begins with the settings,
// the fleet, the number of events and the state (checkpoint.h). Threads: the machine's.
#ifndef RINGWAY_ROUTER_JOURNAL_RECORDER_H_
#define RINGWAY_ROUTER_JOURNAL_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "journal/ring.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"
#include "runtime/log.h"

namespace ringway::router {

// Versions: 1: reports did not count what held workers; 2: a failed lease did not tell how far it got; 4:
// regions had no thresholds of their own; 5: reports did not count what came of the jobs that entered; 6: a
// segment was a whole life and began with a new machine; 7: times were kept to a quarter of a nanosecond; 8:
// a segment did not tell the shapes of what it holds (shape.h), so only the release that wrote it reads it.
inline constexpr journal::Title kJournalTitle{"ringway router journal", 9};

class Recorder {
 public:
  // Of a machine made from `settings`, into segments of `directory`.
  Recorder(const std::string& directory, std::uint64_t bytes_max, const RouterSettings& settings,
           const RouterMachine& machine, const runtime::Logger& log,
           journal::DiskPace pace = journal::DiskPace::kGoesOn);

  // The machine as it is made, before its first Step.
  void Begin(Time now) { ring_.Begin(now); }
  // After the Step with `event`, before its actions are performed.
  void Note(Time now, const RouterEvent& event, const std::vector<RouterAction>& actions);
  // False: not at present.
  bool recording() const { return ring_.recording(); }

 private:
  journal::Ring ring_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOURNAL_RECORDER_H_
