// The router: from a job to a worker, here or in another region. A pure state machine.
//
// It is made of what has been told (router_view.h), the jobs (job_machine.h) and, around these, their
// idempotency keys (keyed_jobs.h). An event goes to each part that it concerns, then each does what is due,
// and then a report is made if one is. What the whole guarantees, for any sequence of events, stands with the
// parts; beside that:
//   * Every JobArrived is answered by exactly one EndJob, the last action about that job.
//   * Without a controller the last table stands; without a table jobs stay home.
//
// Complexity: O(log jobs) for each event, plus O(workers beside) for a round of probes. Threads: one owner.
#ifndef RINGWAY_ROUTER_ROUTER_MACHINE_H_
#define RINGWAY_ROUTER_ROUTER_MACHINE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fleet.h"
#include "core/state.h"
#include "core/time.h"
#include "router/jobs/job_machine.h"
#include "router/jobs/keyed_jobs.h"
#include "router/once/once_machine.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/routes/router_view.h"

namespace ringway::router {

struct RouterSettings {
  RegionId home;
  std::string name = {};  // unique in its region: routers share the region's import cap in the order of names
  std::size_t jobs_max = 16384;  // JobIds are below this
  std::uint64_t seed = 1;
  // Rises from one life of this router to the next: tells its requests from those of an earlier life.
  Time started = UnixEpoch();
  // A worker that has neither taken nor refused an offer for so long hangs, and the job goes to another one.
  Duration offer_limit = Seconds(2);
  once::Settings once = {};  // no name: keys are not looked at
};

class RouterMachine {
 public:
  // `fleet` must contain the home region.
  // `epoch_seen_max`: of controllers, by an earlier life.
  RouterMachine(const RouterSettings& settings, std::shared_ptr<const Fleet> fleet,
                std::uint64_t epoch_seen_max = 0);

  // Appends to `actions`. `now` does not run backwards.
  void Step(Time now, const RouterEvent& event, std::vector<RouterAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(Time now, const Event& event, std::vector<RouterAction>& actions) {
    const std::size_t first = actions.size();
    Turn turn{now, view_, actions};
    view_.workers.OpenReturned(now);
    On(turn, event);
    jobs_.Finish(turn);
    if (keys_.on()) keys_.Finish(turn, jobs_, first);
    if (view_.controller.report_at() <= now) Report(turn);
  }
  // When Step must be called next, even if nothing happens. Later than the last Step.
  Time NextWake() const {
    const Time next = std::min(view_.controller.report_at(), jobs_.NextWake());
    return keys_.on() ? std::min(next, keys_.NextWake()) : next;
  }

  // For screens and metrics.
  const dispatch::WorkerView& workers() const { return view_.workers; }
  const TierState& tier(TierId tier) const { return jobs_.tier(tier); }
  std::size_t jobs() const { return jobs_.live() + keys_.settling(); }
  const JobRecord& job(JobId id) const { return jobs_.job(id); }
  bool draining() const { return view_.draining; }
  const Fleet& fleet() const { return *view_.fleet; }
  TableVersion table() const { return view_.routes.version(); }
  std::uint64_t epoch_seen_max() const { return view_.routes.epoch_seen_max(); }
  const once::OnceMachine& once() const { return keys_.once(); }

  RINGWAY_STATE(view_, jobs_, keys_)

 private:
  // What the router is told, and nothing else hears.
  template <class Event>
  void On(Turn& turn, const Event& event) {
    Learn(turn, event);
  }
  void On(Turn&, const TimePassed&) {}
  void On(Turn& turn, const JobArrived& event);
  void On(Turn& turn, const AttemptAccepted& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const AttemptEnded& event);
  void On(Turn& turn, const ClientGone& event);
  void On(Turn& turn, const JobWithdrawn& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const RepeatRuledOut& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const WorkerListed& event);
  void On(Turn& turn, const WorkerHeard& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const RouterListed& event);
  void On(Turn& turn, const RouterUnlisted& event);
  void On(Turn& turn, const RoutersComplete& event) { keys_.On(turn, event); }
  void On(Turn& turn, const FleetChanged& event);
  void On(Turn& turn, const TableOffered& event);
  void On(Turn& turn, const ControllerWelcomed& event);
  void On(Turn& turn, const LeaderAppointed& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const LeaderAnswered& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const LeaderHeard& event) { jobs_.On(turn, event); }
  void On(Turn& turn, const OnceAsked& event) { keys_.On(turn, event); }
  void On(Turn& turn, const OnceReplied& event) { keys_.On(turn, event); }
  void Report(Turn& turn);

  RouterView view_;
  JobMachine jobs_;
  KeyedJobs keys_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTER_MACHINE_H_
