// One run of a scenario: production machines in virtual time, judged and tallied.
//
// The simulation builds the populations, hands each event to the one it is for, and stops when the scenario's
// time is over; the observers then hear of the jobs in flight. It decides nothing itself. A run is a function
// of the scenario, seed included: same input, same bytes out.
//
// A slice of a run (sim/slice.h) starts at its own time and ends when nothing of its window is under way.
//
// Placement: workers of a tier and region are spread over the region's routers in turn ("beside" them).
// Threads: one owner; runs share nothing but the immutable fleet, so sweeps run them side by side.
#ifndef RINGWAY_SIM_SIMULATION_H_
#define RINGWAY_SIM_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/clients.h"
#include "sim/faults.h"
#include "sim/fleet/autoscaler.h"
#include "sim/fleet/control_plane.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/once_calls.h"
#include "sim/fleet/prometheus.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/router_orders.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/observers/agreement.h"
#include "sim/observers/checkers.h"
#include "sim/observers/order_audit.h"
#include "sim/observers/recovery.h"
#include "sim/observers/tally.h"
#include "sim/scenario.h"
#include "sim/slice.h"
#include "sim/stage.h"

namespace ringway::sim {

class Simulation {
 public:
  // Neither is owned. `wire`: null: processes hand values to each other, whatever the scenario says. `tap`:
  // null: nobody is told what the machines live through.
  explicit Simulation(std::shared_ptr<const Scenario> scenario, const Slice& slice = {}, Wire* wire = nullptr,
                      Tap* tap = nullptr);

  // The fleet as it is built, worker by worker.
  static IdVector<RouterId, RegionId> PlaceRouters(const Scenario& scenario);
  static IdVector<WorkerId, WorkerPlace> PlaceWorkers(const Scenario& scenario,
                                                      const IdVector<RouterId, RegionId>& routers);

  // Runs to the end, or until `keep_going` (asked once a virtual second) says no.
  void Run(const std::function<bool(double now_s)>& keep_going = nullptr);

  // Adds an observer before Run; not owned.
  void Watch(Observer* observer) { stage_.observers.push_back(observer); }

  const Scenario& scenario() const { return *scenario_; }
  std::shared_ptr<const Scenario> shared_scenario() const { return scenario_; }
  const Slice& slice() const { return slice_; }
  const Tally& tally() const { return tally_; }
  const Checkers& checkers() const { return checkers_; }
  const Recovery& recovery() const { return recovery_; }
  const ControlPlane& control() const { return control_; }
  const Autoscaler& autoscaler() const { return autoscaler_; }
  const Leaders& leaders() const { return leaders_; }
  const OrderAudit& audit() const { return audit_; }
  std::uint64_t events() const { return events_; }
  // What has been reached at an instant; of the window's begin, and of its end or the run's.
  struct Mark {
    std::uint64_t events = 0;
    double rtt_cost = 0;  // of plans, see ControlPlane
    double rtt_cost_optimal = 0;
  };
  const Mark& window_began() const { return began_; }
  Mark window_ended() const { return over_ ? ended_ : Reached(); }
  const KindCounts& kinds() const { return stage_.kinds; }
  // Events still to come.
  std::size_t pending() const { return stage_.queue.size(); }
  bool finished() const { return finished_; }
  // Virtual time that has passed.
  double now_s() const { return ToDoubleSeconds(stage_.Now() - UnixEpoch()); }
  std::size_t workers() const { return workers_.count(); }
  bool alive(WorkerId worker) const { return workers_.alive(worker); }
  bool busy(WorkerId worker) const { return workers_.slot(worker).busy(); }
  RegionId place(WorkerId worker) const { return workers_.places()[worker].region; }
  std::size_t routers() const { return routers_.places().size(); }
  RegionId place(RouterId router) const { return routers_.places()[router]; }
  // Between two virtual seconds (Run's keep_going).
  void Exchange(const Routers::MachineExchange& exchange) { routers_.Exchange(exchange); }
  // Jobs at the router that wait for a worker.
  std::size_t waiting(RouterId router) const;
  // That the router was given last; null: none.
  const RoutingTable* table(RouterId router) const { return routers_.table(router); }

 private:
  void Begin();
  Mark Reached() const { return {events_, control_.plan_cost().rtt, control_.plan_cost().rtt_least}; }
  void MarkWindow();
  bool SliceIsOver() const { return over_ && tally_.settled(); }
  void Dispatch(const SimEvent& event);
  // Routers that do not know yet what others recorded of keys.
  void ShowReading();
  void TellOffered(const SimEvent& event);
  void OnOffer(const SimEvent& event);
  void TellClients(const SimEvent& event);
  void TellLeaders(const SimEvent& event);
  void TellControl(const SimEvent& event);
  void TellReplicas(const SimEvent& event);
  void TellRegistries(const SimEvent& event);
  void TellOperators(const SimEvent& event);
  // When whoever the event is for goes on, if its process is stopped; else 0.
  std::int64_t HeldUntil(const SimEvent& event) const;
  // True: the event waits for a stopped process, and comes again.
  bool Held(const SimEvent& event);

  // Hints to the memory about the buckets of the queue that come next; without effect on results.
  void LookAhead();
  void ForeseeJob(const SimEvent& event) const;
  void ForeseeAttempt(WorkerId worker, const OfferNote& note) const;

  std::shared_ptr<const Scenario> scenario_;
  const Slice slice_;
  Stage stage_;
  Workers workers_;
  Routers routers_;
  Leaders leaders_;
  Registries registries_;
  Clients clients_;
  RouterOrders orders_;
  ControlPlane control_;
  Autoscaler autoscaler_;
  Prometheus prometheus_;
  OnceCalls once_;
  Faults faults_;
  Tally tally_;
  Checkers checkers_;
  Recovery recovery_;
  Agreement agreement_;
  OrderAudit audit_;
  std::uint64_t events_ = 0;
  std::int64_t bucket_ = -1;  // of the queue, whose neighbours have been looked at
  bool finished_ = false;
  Mark began_, ended_;
  bool over_ = false;  // the window
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_SIMULATION_H_
