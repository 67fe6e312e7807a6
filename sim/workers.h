// The workers of a simulation: the production slot, and a virtual GPU that is busy for the time a job takes.
//
// A worker answers offers through its slot (worker/slot.h), as the daemon does: started, busy, or how the job
// ended. A job that is cancelled frees the worker at the next solver step. Troubles: a dead worker refuses
// connections and loses its job; a slow one takes longer; a sinkhole fails every job at once. News of a
// change goes to the router beside it.
//
// Complexity: a few slot steps a job. One owner.
#ifndef RINGWAY_SIM_WORKERS_H_
#define RINGWAY_SIM_WORKERS_H_

#include <cstdint>
#include <vector>

#include "core/ids.h"
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

  void OnOffer(WorkerId worker, OfferNote note);
  void OnWithdraw(WorkerId worker, const OfferNote& note);
  void OnServiceEnds(WorkerId worker, std::uint64_t run);
  void OnWake(WorkerId worker);

  void Kill(WorkerId worker);
  void Revive(WorkerId worker);
  void SetSlowness(WorkerId worker, double factor) { sites_[worker].slowness = factor; }
  void SetSinkhole(WorkerId worker, bool sinkhole) { sites_[worker].sinkhole = sinkhole; }
  // The router's streams broke: its jobs are withdrawn.
  void LoseRouter(RouterId router);

  const IdVector<WorkerId, WorkerPlace>& places() const { return places_; }
  std::size_t count() const { return places_.size(); }
  bool alive(WorkerId worker) const { return sites_[worker].alive; }
  SlotView View(WorkerId worker) const { return sites_[worker].slot.View(stage_.Now()); }

 private:
  struct Site {
    explicit Site(const SlotSettings& settings) : slot(settings) {}
    Slot slot;
    bool alive = true;
    bool sinkhole = false;
    double slowness = 1;
    AttemptId last_attempt = 0;  // this worker's own numbers, for its slot
    AttemptId admitted = 0;      // 0: none
    OfferNote note;              // of the admitted attempt
    bool started = false;
    std::int64_t started_ns = 0;
    std::int64_t ends_ns = 0;
    std::uint64_t run = 0;           // counts starts and stops; a stale end is recognised by it
    std::int64_t wake_ns = kNoWake;  // of the next scheduled wake
  };

  void Perform(WorkerId worker, AttemptId offered, const OfferNote& offer);
  void Start(WorkerId worker);
  void StopAtNextStep(WorkerId worker);
  void Answer(WorkerId worker, const OfferNote& note, router::RouterEvent event);
  void TellBeside(WorkerId worker);
  void ArmWake(WorkerId worker);
  SlotSettings SettingsFor(TierId tier) const;

  Stage& stage_;
  const Scenario& scenario_;
  IdVector<WorkerId, WorkerPlace> places_;
  IdVector<WorkerId, Site> sites_;
  std::vector<SlotAction> actions_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_WORKERS_H_
