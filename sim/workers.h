// The workers of a simulation: the production slot, and a virtual GPU that is busy for the time a job takes.
//
// A worker answers offers through its slot (worker/slot.h), as the daemon does: started, busy, or how the job
// ended. A job that is cancelled frees the worker at the next solver step. Troubles: a dead worker refuses
// connections and loses its job; a slow one takes longer; a sinkhole fails every job at once. News of a
// change goes to the router beside it, and to the holder of its ledger. Which leases a worker
// still obeys is the slot's to say.
//
// Workers are ordered by region, then tier, so that a region's workers are a range: routers know them by
// their place in it.
//
// Complexity: a few slot steps a job. One owner.
#ifndef RINGWAY_SIM_WORKERS_H_
#define RINGWAY_SIM_WORKERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "core/prefetch.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "worker/slot.h"

namespace ringway::sim {

struct WorkerPlace {
  TierId tier;
  RegionId region;
  RouterId beside;
};

class Workers {
 public:
  Workers(Stage& stage, const Scenario& scenario, IdVector<WorkerId, WorkerPlace> places);

  void OnOffer(WorkerId worker, const OfferNote& note);
  void OnWithdraw(WorkerId worker, const OfferNote& note);
  void OnFence(WorkerId worker, const FenceNote& note);
  void OnServiceEnds(WorkerId worker, std::uint64_t run);
  void OnWake(WorkerId worker);

  void Kill(WorkerId worker);
  void Revive(WorkerId worker);
  void SetSlowness(WorkerId worker, double factor) { sites_[worker].slowness = factor; }
  void SetSinkhole(WorkerId worker, bool sinkhole) { sites_[worker].sinkhole = sinkhole; }
  // The router's streams broke: its jobs are withdrawn.
  void LoseRouter(RouterId router);

  // What an idle worker says of itself if it has said nothing for so long; nothing: it has, or is busy or
  // dead.
  std::optional<ledger::Announce> Overdue(WorkerId worker, std::int64_t silent_ns);

  // Hints: the worker's site, and what it will be told of, are about to be used.
  void Foresee(WorkerId worker) const { Prefetch(&sites_[worker]); }
  const Asker& AskerOf(WorkerId worker) const { return sites_[worker].note.asker; }

  // To whoever holds the worker's ledger. Both may be left unset.
  std::function<void(WorkerId, const ledger::Announce&)> on_announce;
  std::function<void(WorkerId, bool listed)> on_listed;

  const IdVector<WorkerId, WorkerPlace>& places() const { return places_; }
  // The number by which routers of its region know a worker, and back.
  WorkerId InRegion(WorkerId worker) const {
    return WorkerId(worker.index() - first_[places_[worker].region].index());
  }
  WorkerId Global(RegionId region, WorkerId in_region) const {
    return WorkerId(first_[region].index() + in_region.index());
  }
  std::size_t count() const { return places_.size(); }
  bool alive(WorkerId worker) const { return sites_[worker].alive; }
  const Slot& slot(WorkerId worker) const { return sites_[worker].slot; }

 private:
  struct Site {
    explicit Site(const SlotSettings& settings) : slot(settings) {}
    Slot slot;
    std::int64_t announced_ns = 0;
    bool alive = true;
    bool sinkhole = false;
    double slowness = 1;
    AttemptId last_attempt = 0;  // this worker's own numbers, for its slot
    AttemptId admitted = 0;      // 0: none
    OfferNote note;              // of the admitted attempt
    bool started = false;
    std::int64_t started_ns = 0;
    std::int64_t ends_ns = 0;
    std::uint64_t run = 0;  // counts starts and stops; a stale end is recognised by it
    WakeCall wake;
  };

  void Perform(WorkerId worker, AttemptId offered, const OfferNote& offer);
  void Start(WorkerId worker);
  void StopAtNextStep(WorkerId worker);
  void Answer(WorkerId worker, const OfferNote& note, router::RouterEvent event);
  void TellBeside(WorkerId worker);
  void Announce(WorkerId worker);
  ledger::Announce Announcement(WorkerId worker);
  void ArmWake(WorkerId worker);
  SlotSettings SettingsFor(TierId tier) const;

  Stage& stage_;
  const Scenario& scenario_;
  IdVector<WorkerId, WorkerPlace> places_;
  IdVector<RegionId, WorkerId> first_;  // worker of each region
  IdVector<WorkerId, Site> sites_;
  std::vector<SlotAction> actions_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_WORKERS_H_
