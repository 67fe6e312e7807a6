// When no trouble is new, the parts of a fleet agree on who leads, who is dead and what is leased: a judge of
// every run, beside sim/observers/recovery.h, which knows when that is.
//
// Each second, for routers that have been well for thirty seconds, as long as nothing has begun or ended
// (Recovery::Calm) and the controller reaches them:
//   * nobody but who speaks for it lists a worker that has been dead for thirty seconds;
//   * one router of a region holds a tier's ledger, but for a few seconds;
//   * a router that hears its leader asks it, and does not probe.
// And where nothing has for some seconds (Recovery::Steady):
//   * of the jobs that wait for a slot each stands in the leader's line.
// Always, as long as the routers of the region run:
//   * a lease that no worker runs is off the ledger within seven seconds;
//   * a worker that has been dead for a second or two is granted to nobody;
//   * a worker's rest ends by time.
//
// Sees everything and changes nothing. Complexity: O(workers + routers) a virtual second. One owner.
#ifndef RINGWAY_SIM_OBSERVERS_AGREEMENT_H_
#define RINGWAY_SIM_OBSERVERS_AGREEMENT_H_

#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/time.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/observers/checkers.h"
#include "sim/observers/observer.h"
#include "sim/observers/recovery.h"
#include "sim/scenario.h"

namespace ringway::sim {

class Agreement : public Observer {
 public:
  Agreement(const Scenario& scenario, const Recovery& recovery, const Routers& routers,
            const Workers& workers, const Leaders& leaders, const Registries& registries);
  // Reports what is broken; after Recovery::OnSecond.
  void OnSecond(Time now, Checkers& checkers);
  void OnGranted(Time now, WorkerId worker, const Lease& lease) override;
  void OnStarted(Time now, WorkerId worker, const OfferNote& note) override;
  void OnFreed(Time now, WorkerId worker, const OfferNote& note, bool finished) override;
  void OnWorkerDied(Time now, WorkerId worker) override;

 private:
  struct Seen {
    Lease granted;    // the last
    Lease running;    // none: idle, or a job without a lease
    Lease unclaimed;  // that the ledger has leased and the worker does not run
    int unclaimed_s = 0;
    double rests_since_s = 0;
  };
  // Of a region and tier.
  struct Line {
    int lost_s = 0;     // for how long jobs have waited that are in no line
    int unheard_s = 0;  // and a router has not asked the leader that it hears
    int several_s = 0;  // and more than one router has held the ledger
    int granted = 0;    // in this second
  };

  void JudgeGranted(Time now, Checkers& checkers);
  // One that rests, as far as its slot goes.
  void JudgeRest(Time now, WorkerId worker, Checkers& checkers);
  void JudgeDead(Time now, WorkerId worker, Checkers& checkers) const;
  void JudgeSpokenFor(Time now, WorkerId worker, Checkers& checkers) const;
  // The lease stands in the ledger and its worker does not run it.
  void JudgeUnclaimed(Time now, WorkerId worker, const Lease& unclaimed, Checkers& checkers);
  void JudgeLeases(Time now, RegionId region, TierId tier, bool whole, Checkers& checkers);
  void JudgeLine(Time now, RegionId region, TierId tier, Checkers& checkers);
  void JudgeHolders(Time now, RegionId region, TierId tier, Checkers& checkers);
  bool Led(RegionId region, TierId tier) const;
  // All routers of the region run, and have for a while.
  bool Whole(RegionId region, double for_s) const;
  bool AllAlive() const;

  const Scenario& scenario_;
  const Recovery& recovery_;
  const Routers& routers_;
  const Workers& workers_;
  const Leaders& leaders_;
  const Registries& registries_;
  IdVector<WorkerId, Seen> seen_;
  IdVector<RegionId, IdVector<TierId, Line>> lines_;
  IdVector<RegionId, std::vector<RouterId>> routers_of_;
  std::vector<std::pair<WorkerId, Lease>> granted_dead_;  // since the last second
  double now_s_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_AGREEMENT_H_
