// The controller of a simulation: the production node, fed by the routers' reports and killed when the
// scenario says so.
//
// Each router has a stream to it. As those of the daemons (router/daemon/control/control_link.cc) it loses
// nothing while it stands, so what is lost on the way is sent again; where a partition outlasts keepalive the
// router gives it up and dials again until it is heard. The controller has no keepalive of its own: who is
// listened to, and when a silent stream is ended, is its node's to say (controller/controller_node.h). A
// router whose process is stopped while it dials opens its stream, and greets when it goes on. What was on
// its way over a stream that ended is dropped.
//
// It lives in the scenario's first region; reports and tables travel the network and are lost when it is cut.
// A restarted controller gets the state that its predecessor had on disk, with the epoch rule of production.
//
// One owner.
#ifndef RINGWAY_SIM_FLEET_CONTROL_PLANE_H_
#define RINGWAY_SIM_FLEET_CONTROL_PLANE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "controller/controller_node.h"
#include "controller/machine.h"
#include "controller/node_event.h"
#include "core/rng.h"
#include "sim/fleet/control_messages.h"
#include "sim/fleet/control_reports.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/router_orders.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/tap.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class ControlPlane final : private controller::ControllerShell {
 public:
  ControlPlane(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers,
               Registries& registries, Leaders& leaders, RouterOrders& orders);

  void Begin();
  void OnReport(Life life, std::uint32_t detail);
  void OnDirectory(RouterId router, std::uint32_t detail);
  void OnWakes(Life life);
  void OnStreamRetried(RouterId router, std::uint32_t stream);
  void OnStreamSilent(RouterId router, std::uint32_t stream);
  void OnStreamGreets(RouterId router, std::uint32_t stream);
  void OnStreamEnded(RouterId router, std::uint32_t stream);

  void Kill();
  // It ends in good order.
  void GoDown();
  void OnEnds(Life life) {
    if (going_down_ && life == life_) Kill();
  }
  void Revive();
  // From now on, or no longer, nothing is kept that it writes to disk; `wiped`: nor what it has written.
  void LoseWrites(bool lost, bool wiped);
  void RouterDied(RouterId router);
  void RouterRevived(RouterId router);
  // A partition has begun or ended.
  void SeeNetwork();
  // This share of the streams of the region's routers breaks; the controller's ends so much later.
  void BreakStreams(RegionId region, double share, std::int64_t late_ns);
  RouterReports& reports() { return reports_; }
  void Command(controller::OperatorCommand command);
  // What a Prometheus server says of a tier.
  void Sample(const controller::MetricSampled& sample);
  // Another topology file, now and at every start from now on.
  void Load(std::shared_ptr<const Fleet> file);

  RegionId home() const { return home_; }
  bool alive() const { return node_.has_value(); }
  const controller::ControllerMachine& machine() const { return node_->machine(); }
  // Of the plans that sent traffic away: their cost in RPS x RTT, and the least that any plan could have.
  struct PlanCost {
    double rtt = 0;
    double rtt_least = 0;
  };
  const PlanCost& plan_cost() const { return plan_cost_; }

 private:
  struct DirectoryNote {
    Life life = 0;                    // of the router
    controller::StreamId stream = 0;  // over which it comes
    Listing listing;
  };
  struct Link {
    controller::StreamId stream = 0;      // 0: not connected
    std::int64_t directory_ns = 0;        // when the last directory arrives: a stream keeps its order
    std::shared_ptr<const Fleet> map;     // that the router was given last; null: the scenario's
    std::int64_t opened_ns = 0;           // when the stream's beginning arrives
    bool greeted = false;                 // the hello is on its way, or there
    bool over = false;                    // at the controller, which the router cannot have heard
    bool welcomed = false;                // and the answer to it; the router has heard of no end since
    std::optional<std::int64_t> cut_ns;   // since when the network is cut between both ends
    std::optional<DirectoryNote> unsent;  // the newest, which was lost on the way
  };

  // What a controller that has known the whole fleet leaves on its disk.
  controller::DurableState LastLife() const;
  void Persist();
  void Connect(RouterId router);
  // False: it was lost on the way. `report`: that the event was made of. `orders` are told before it.
  bool SendUp(RouterId router, controller::ControllerEvent event, const router::SendReport* report = nullptr,
              std::vector<controller::OrderTold> orders = {});
  void Reach(std::int64_t at_ns, controller::NodeEvent event);
  void Step(const controller::ControllerEvent& event);
  void Step(const controller::StreamEvent& event);
  void ArmWake();
  void MachineSteps(Time now, const controller::ControllerEvent& event,
                    const controller::ControllerMachine& machine) override {
    if (stage_.tap != nullptr) stage_.tap->ControllerSteps(now, event, machine);
  }
  void MachineStepped(Time now, const controller::ControllerEvent& event,
                      const std::vector<controller::ControllerAction>& actions) override;
  void Perform(const controller::NodeAction& action) override;
  void Welcome(const controller::SendWelcome& action);
  void SendDirectory(const controller::SendDirectory& action);
  void End(const controller::EndStream& action);
  // The router is told that this stream of it is over.
  void Refuse(controller::StreamId stream);
  bool listens() const { return node_ && !going_down_; }
  // False: it was lost.
  bool SendDown(RouterId router, router::RouterEvent event);
  // As the router has it. False: it refuses it.
  bool Read(RouterId router, std::int64_t takes_ns, router::RouterEvent& event);
  // Unless it has it.
  void GiveMap(RouterId router);
  void Deliver(RouterId router, DirectoryNote note);
  void RetryLater(RouterId router);
  // The router's end of its stream is over: it is told so, if it had been welcomed.
  void EndStream(RouterId router);
  std::optional<RouterId> RouterOf(controller::StreamId stream) const;

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  const Workers& workers_;
  Registries& registries_;
  RouterReports reports_;
  RouterOrders& told_;
  ControlMessages messages_;
  RegionId home_;
  std::shared_ptr<const Fleet> file_;
  std::optional<controller::ControllerNode> node_;
  std::optional<controller::DurableState> disk_;  // nothing: it was wiped
  Release disk_by_ = Release::kPresent;           // of which release the controller was that wrote it
  bool writes_lost_ = false;
  bool going_down_ = false;
  Life life_ = 1;
  WakeCall wake_;
  IdVector<RouterId, Link> links_;
  // Given while the controller was down: whoever gets no answer gives the order again.
  std::vector<controller::OperatorCommand> orders_;
  std::vector<RouterId> router_of_stream_;  // by stream - 1
  Rng breaks_;
  MessagePool<controller::NodeEvent> up_;
  MessagePool<DirectoryNote> directories_;
  PlanCost plan_cost_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_CONTROL_PLANE_H_
