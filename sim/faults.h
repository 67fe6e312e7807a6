// Makes a scenario's steps happen, and undoes them when they end.
//
// Each kind of trouble acts on the populations through their public verbs only. Undoing is exact for factors,
// cuts and delays (they nest); what was killed comes back empty, as a restarted process does. A step that
// repeats is scheduled again when it begins.
//
// A simulation that starts later than at zero begins with what the steps before have left in force
// (sim/step_times.h).
//
// One owner.
#ifndef RINGWAY_SIM_FAULTS_H_
#define RINGWAY_SIM_FAULTS_H_

#include <cstddef>
#include <vector>

#include "sim/clients.h"
#include "sim/fleet/control_plane.h"
#include "sim/fleet/job_streams.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/once_calls.h"
#include "sim/fleet/router_orders.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "sim/step_times.h"

namespace ringway::sim {

// Whom faults befall.
struct Populations {
  Clients& clients;
  Routers& routers;
  Workers& workers;
  Leaders& leaders;
  Registries& registries;
  ControlPlane& control;
  OnceCalls& once;
  RouterOrders& orders;
};

class Faults {
 public:
  Faults(Stage& stage, const Scenario& scenario, const Populations& populations);

  void Begin();
  // `replayed`: 0, or one more than the number of a moment before the start.
  void OnBegins(std::size_t step, std::uint32_t replayed = 0);
  void OnEnds(std::size_t step);

 private:
  void Apply(const KillWorkers& kill, bool begin);
  void Apply(const KillRouters& kill, bool begin);
  void Apply(const RestartRouters& restart, bool begin);
  void Apply(const KillLeaders& kill, bool begin);
  void Apply(const KillRegion& kill, bool begin);
  void Apply(const KillController& kill, bool begin);
  void Apply(const DrainRegion& drain, bool begin);
  void Apply(const Partition& partition, bool begin);
  void Apply(const ExtraDelay& delay, bool begin);
  void Apply(const SlowWorkers& slow, bool begin);
  void Apply(const DrainWorkers& drain, bool begin);
  void Apply(const Sinkhole& sinkhole, bool begin);
  void Apply(const StallWorkers& stall, bool begin);
  void Apply(const PauseRouters& pause, bool begin);
  void Apply(const BreakStreams& streams, bool begin);
  void Apply(const FailJobs& fail, bool begin);
  void Apply(const BadJobs& bad, bool begin);
  void Apply(const ScaleDemand& scale, bool begin);
  void Apply(const FreezeMetrics& freeze, bool begin);
  void Apply(const SetThreshold& set, bool begin);
  void Apply(const LoadTopology& load, bool begin);
  void Apply(const WrongTier& wrong, bool begin);
  void Apply(const LoseWrites& lose, bool begin);
  void Apply(const SetClocksBack& clocks, bool begin);
  void Apply(const OrderRouters& order, bool begin);
  void Apply(const Upgrade& upgrade, bool begin);

  RegionSet Meant(const RegionSet& regions) const;
  std::vector<WorkerId> WorkersOf(RegionId region) const;
  // Of the region's workers this share, after the first `skip`.
  std::vector<WorkerId> ShareOf(RegionId region, double share, double skip = 0) const;
  void Replay(const StepMoment& moment);
  // When the step that has begun last ends.
  std::int64_t StepEndsNs() const;
  std::vector<RouterId> RoutersOf(RegionId region) const;
  void SetRouter(RouterId router, bool alive);
  void SetWorker(WorkerId worker, bool alive);
  // It is dead if it was.
  void StartAnew(RouterId router, Release release);
  void StartAnew(WorkerId worker, Release release);
  void Command(decltype(controller::OperatorCommand::what) what, const char* why,
               Duration lasts = ZeroDuration());

  Stage& stage_;
  const Scenario& scenario_;
  Clients& clients_;
  Routers& routers_;
  Workers& workers_;
  Leaders& leaders_;
  Registries& registries_;
  ControlPlane& control_;
  OnceCalls& once_;
  RouterOrders& orders_;
  JobStreams streams_;
  std::size_t step_ = 0;                               // that acts now
  std::int64_t begun_ns_ = 0;                          // when it began
  std::vector<StepMoment> replay_;                     // before the start, and still in force
  std::vector<std::vector<RouterId>> leaders_killed_;  // by step
  IdVector<WorkerId, Duration> clock_back_;            // of the hosts
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FAULTS_H_
