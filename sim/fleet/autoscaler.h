// An autoscaler in virtual time: it starts and stops workers until there are as many as the controller wants.
//
// It knows what one in production would be told, the wanted numbers (controller/scale/), and does what one in
// production does: asks every `every_s`; a worker that it starts serves `start_up_s` later; of too many it
// takes those that have not begun yet, then the idle, then the busy. Whoever is taken is told to drain and
// ends when its job has ended, so scaling loses no job; one that drains comes back at once when it is wanted
// again. Without a controller, and before a number is known, nothing is touched.
//
// A worker costs from the order to start it to its end. Counted after the scenario's warm-up.
//
// Invariant: a worker that is stopped has no job. Complexity: O(workers of scaled tiers) a second. One owner.
#ifndef RINGWAY_SIM_FLEET_AUTOSCALER_H_
#define RINGWAY_SIM_FLEET_AUTOSCALER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "sim/fleet/control_plane.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

struct ScalingTotals {
  double worker_s = 0;       // paid for
  std::uint64_t starts = 0;  // ordered
  std::uint64_t stops = 0;   // workers that ended, or that were called off before they had begun
  std::uint64_t thrash = 0;  // of those, started less than kThrashS before
};

class Autoscaler {
 public:
  static constexpr double kThrashS = 600;

  Autoscaler(Stage& stage, const Scenario& scenario, Workers& workers, const ControlPlane& control);

  void Begin();
  // kScalingRound, once a second, or kWorkerReady.
  void On(const SimEvent& event);

  const ScalingTotals& totals() const { return totals_; }
  // Of the totals' worker_s, that of the tier's workers there.
  double paid_s(RegionId region, TierId tier) const { return paid_s_[region][tier]; }
  // Paid for now: that run, start or drain.
  int paid(RegionId region) const;
  bool active() const { return scenario_.autoscale.has_value(); }

 private:
  enum class Standing : std::uint8_t { kOff, kStarting, kOn, kDraining };
  struct Site {
    Standing standing = Standing::kOn;
    std::uint32_t order = 0;  // counts starts; one that was called off is recognised by it
    double started_s = -kThrashS;
  };

  void OnRound();
  void OnReady(WorkerId worker, std::uint32_t order);
  double NowS() const { return static_cast<double>(stage_.queue.now_ns()) * 1e-9; }
  bool Counted() const { return NowS() >= scenario_.warmup_s; }
  void Reach(RegionId region, TierId tier, int wanted);
  // The first of the tier's workers there that stands so; invalid: none. `idle`: that has no job.
  WorkerId Find(RegionId region, TierId tier, Standing standing, bool idle) const;
  void Start(WorkerId worker);
  void Stop(WorkerId worker);
  void Off(WorkerId worker);

  Stage& stage_;
  const Scenario& scenario_;
  Workers& workers_;
  const ControlPlane& control_;
  IdVector<WorkerId, Site> sites_;
  ScalingTotals totals_;
  IdVector<RegionId, IdVector<TierId, double>> paid_s_;
  std::int64_t seconds_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_AUTOSCALER_H_
