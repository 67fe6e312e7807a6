// What the production machines of a simulation live through, told as it happens: each life with what its
// machine was made from, and each step with its time, its event and what came of it. It is what the daemons
// write into their journals, so whoever is told can write the same (sim/journals/).
//
// A tap decides nothing, and a run with one is the run without. Where there is none (Stage::tap is null) a
// step costs one branch: what is told is put together out of line.
//
// Machines stay where they are for their lives, from Born to Died; those that live when the run is over are
// never told to have died. All lives of a process follow each other. One owner.
#ifndef RINGWAY_SIM_FLEET_TAP_H_
#define RINGWAY_SIM_FLEET_TAP_H_

#include <memory>
#include <type_traits>
#include <vector>

#include "controller/events.h"
#include "controller/machine.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/time.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"
#include "worker/worker_node.h"

namespace ringway::sim {

class Tap {
 public:
  virtual ~Tap() = default;

  // Before its first step.
  virtual void Born(RouterId router, Time now, const router::RouterSettings& settings,
                    const router::RouterMachine& machine) = 0;
  virtual void Born(WorkerId worker, Time now, const WorkerSettings& settings, const WorkerNode& node) = 0;
  // `file`: as its topology file has the fleet.
  virtual void ControllerBorn(const std::shared_ptr<const Fleet>& file) = 0;
  virtual void Died(RouterId router) = 0;
  virtual void Died(WorkerId worker) = 0;
  virtual void ControllerDied() = 0;

  virtual void Stepped(RouterId router, Time now, const router::RouterEvent& event,
                       const std::vector<router::RouterAction>& actions) = 0;
  // One action of the step under way; then the step.
  virtual void Acts(WorkerId worker, const WorkerAction& action) = 0;
  virtual void Stepped(WorkerId worker, Time now, const WorkerEvent& event) = 0;
  // Before a step, and after it.
  virtual void ControllerSteps(Time now, const controller::ControllerEvent& event,
                               const controller::ControllerMachine& machine) = 0;
  virtual void ControllerStepped(Time now, const std::vector<controller::ControllerAction>& actions,
                                 const controller::ControllerMachine& machine) = 0;
};

// Of any event that a machine can be told.
template <class Event>
[[gnu::noinline, gnu::cold]] void TellStepped(Tap& tap, RouterId router, Time now, const Event& event,
                                              const std::vector<router::RouterAction>& actions) {
  if constexpr (std::is_same_v<Event, router::RouterEvent>) {
    tap.Stepped(router, now, event, actions);
  } else {
    tap.Stepped(router, now, router::RouterEvent(event), actions);
  }
}

// Around a worker's shell, for one step.
template <class Shell>
struct ToldShell {
  Tap& tap;
  WorkerId worker;
  Shell& shell;
  std::vector<SlotAction>& slot_actions;
  template <class Action>
  void Perform(const Action& action) {
    tap.Acts(worker, WorkerAction(action));
    shell.Perform(action);
  }
  template <class Event>
  void SlotStepped(const Event& event, const std::vector<SlotAction>& actions) {
    shell.SlotStepped(event, actions);
  }
};

// Steps the node, and tells of it.
template <class Event, class Shell>
[[gnu::noinline, gnu::cold]] void TellStep(Tap& tap, WorkerId worker, WorkerNode& node, Time now,
                                           const Event& event, Shell& shell) {
  ToldShell<Shell> told{tap, worker, shell, shell.slot_actions};
  node.Step(now, event, told);
  tap.Stepped(worker, now, WorkerEvent(event));
}

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_TAP_H_
