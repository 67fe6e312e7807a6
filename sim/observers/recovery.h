// When all trouble has ended, every healthy worker serves again, at every router: a judge of every run.
//
// Faults that heal are where rests, leases and fences go wrong: each part is right to leave a broken worker
// alone, and nobody is asked whether it ever comes back. So thirty seconds after the last step of the
// scenario began or ended, and for workers and routers that have been well for as long, every few seconds:
//   * each router may use each worker of its region (the figure behind ringway_router_workers), unless it is
//     another router's, was left out as unwell, and no directory has come since;
//   * the ledger that holds the region's tier has the worker's slot among those that it grants, or leased;
//   * where the controller reaches the routers, there is such a ledger, and each router hears its leader.
// A user who has had idle workers at home for five seconds, and no fault for thirty, is served: of such users
// no more than a fifth may not be. Not counted where routers probe is a payload that may be offered only
// once. And a worker that has been dead for as long is used by no router that the controller reaches. Streams
// that break excuse a second. Demand, thresholds and frozen metrics are no trouble of workers. While users
// send broken jobs nothing is judged: who is blamed for them is another matter.
//
// Sees everything and changes nothing. Complexity: O(routers x workers of their regions) a round of five
// virtual seconds. One owner.
#ifndef RINGWAY_SIM_OBSERVERS_RECOVERY_H_
#define RINGWAY_SIM_OBSERVERS_RECOVERY_H_

#include <limits>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/observers/checkers.h"
#include "sim/observers/observer.h"
#include "sim/scenario.h"

namespace ringway::sim {

class Recovery : public Observer {
 public:
  static constexpr double kWithinS = 30;

  // `begins_s`: when the run starts, with a fleet that has just started.
  Recovery(const Scenario& scenario, const Routers& routers, const Workers& workers, const Leaders& leaders,
           double begins_s = 0);
  // Reports what is broken.
  void OnSecond(Time now, Checkers& checkers);
  void OnEnded(Time now, const Ending& ending) override;
  // Pairs of router and worker that were judged; 0: the run was too short, or never calm.
  std::uint64_t judged() const { return judged_; }

  // For other judges, as of this second. No trouble has begun or ended for thirty seconds.
  bool Calm(double now_s) const;
  // Nor has anything that a leader or a worker could still be getting over, for some seconds.
  bool Steady(double now_s) const;
  // The controller reaches the routers.
  bool Directed(double now_s) const;
  // For how long the router has run, or the worker has not.
  double RouterWellS(RouterId router, double now_s) const { return now_s - router_well_s_[router]; }
  double DeadS(WorkerId worker, double now_s) const { return now_s - worker_up_s_[worker]; }
  double WellS(WorkerId worker, double now_s) const { return now_s - worker_well_s_[worker]; }

 private:
  struct Span {
    double from_s;
    double to_s;
  };
  static bool Outside(const std::vector<Span>& spans, double now_s);
  void AddStep(const ScenarioStep& step);
  void NoteWell(double now_s);
  void JudgeRouter(Time now, RouterId router, bool directed, Checkers& checkers);
  void JudgeDead(Time now, RouterId router, Checkers& checkers);
  void JudgeSlots(Time now, bool directed, Checkers& checkers);
  void JudgeSlot(Time now, WorkerId worker, const ledger::SlotLedger* ledger, bool directed,
                 Checkers& checkers);
  void JudgeLeader(Time now, RegionId region, Checkers& checkers);
  // What became of users since the last round, where workers were idle all the time.
  void JudgeService(Time now, Checkers& checkers);

  const Scenario& scenario_;
  const Routers& routers_;
  const Workers& workers_;
  const Leaders& leaders_;
  std::vector<Span> faulty_;                  // nothing is judged within
  std::vector<Span> undirected_;              // directories may not come
  std::vector<Span> resting_;                 // workers may be left alone
  std::vector<Span> shaken_;                  // somebody may still be getting over it
  IdVector<WorkerId, double> worker_up_s_;    // when it last was
  IdVector<WorkerId, double> worker_well_s_;  // since when
  IdVector<RouterId, double> router_well_s_;
  IdVector<WorkerId, double> slot_well_s_;
  IdVector<WorkerId, Lease> lease_seen_;  // the slot's, when it was last looked at
  // Of users of a region, since the last round.
  struct Served {
    double idle_share = 1;  // of the region's workers, the least of all seconds
    std::uint64_t ended = 0;
    std::uint64_t unserved = 0;
  };
  double quiet_from_s_ = 0;  // no fault from then on, and demand as it was until then
  double quiet_to_s_ = std::numeric_limits<double>::infinity();
  bool jobs_wait_ = true;  // else a moment without an idle worker refuses somebody, as it should
  // A payload that is too large to be kept is offered once, and a router that probes does not know who is
  // idle: a busy worker's refusal is the end of it, whoever is idle beside.
  bool blind_once_ = false;
  IdVector<RegionId, double> fails_s_;  // when some worker last had jobs left to fail
  IdVector<RegionId, Served> served_;
  std::uint64_t judged_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_RECOVERY_H_
