// Runs a router's node (router/router_node.h) on the event loop: events in, one turn after the other, an
// alarm at NextWake.
//
// The node's turns do not nest. What an action causes at once (a connection that is refused while it is
// dialled) comes back through Apply, waits until the turn is over, and is told then, in the order in which it
// came. Actions are performed as they are made, on the loop's thread.
//
// Bound: what waits is at most a few events for each action of a turn. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_NODE_DRIVER_H_
#define RINGWAY_ROUTER_DAEMON_NODE_DRIVER_H_

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "router/node_event.h"
#include "router/router_node.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"

namespace ringway::router {

// Does what the node wants. It may call NodeDriver::Apply.
class NodePerformer {
 public:
  virtual ~NodePerformer() = default;
  virtual void Perform(RouterAction& action) = 0;
  virtual void Perform(TierId tier, SessionAction& action) = 0;
  virtual void Perform(const RegistryAction& action) = 0;
  virtual void Perform(const NodeAction& action) = 0;
};

class NodeDriver {
 public:
  // `performer` is not called before the first Apply.
  NodeDriver(runtime::EventLoop& loop, const NodeSettings& settings, std::shared_ptr<const Fleet> fleet,
             NodePerformer& performer)
      : node_(settings, std::move(fleet)),
        performer_(performer),
        alarm_(loop, [this] { Apply(NodeWake{}); }) {}

  // Sees every step of the machine: its time, its event, and what came of it, before that is performed.
  using Observer = absl::AnyInvocable<void(Time, const RouterEvent&, const std::vector<RouterAction>&)>;
  void Observe(Observer observer) { observe_ = std::move(observer); }

  // Any event of a NodeEvent.
  template <class Event>
  void Apply(const Event& event) {
    if (busy_) {
      later_.emplace_back(event);
      return;
    }
    busy_ = true;
    Turn(event);
    // By index: each of them may cause more.
    for (std::size_t i = 0; i < later_.size(); ++i) {
      const NodeEvent next = std::move(later_[i]);
      Turn(next);
    }
    later_.clear();
    busy_ = false;
    alarm_.Arm(node_.NextWake());
  }

  RouterNode& node() { return node_; }
  const RouterNode& node() const { return node_; }
  const RouterMachine& machine() const { return node_.machine(); }

 private:
  // What the node hands out (NodeShell).
  struct Shell {
    NodeDriver& driver;
    template <class Event>
    void MachineStepped(Time now, const Event& event, const std::vector<RouterAction>& actions) {
      if (!driver.observe_) return;
      if constexpr (std::is_same_v<Event, RouterEvent>) {
        driver.observe_(now, event, actions);
      } else {
        driver.observe_(now, RouterEvent(event), actions);
      }
    }
    template <class Event>
    void SessionStepped(TierId, const Event&, const std::vector<SessionAction>&) {}
    template <class Event>
    void RegistryStepped(const Event&, const std::vector<RegistryAction>&) {}
    void Perform(RouterAction& action) { driver.performer_.Perform(action); }
    void Perform(TierId tier, SessionAction& action) { driver.performer_.Perform(tier, action); }
    void Perform(const RegistryAction& action) { driver.performer_.Perform(action); }
    void Perform(const NodeAction& action) { driver.performer_.Perform(action); }
  };
  template <class Event>
  void Turn(const Event& event) {
    Shell shell{*this};
    node_.Step(runtime::MonotonicNow(), event, shell);
  }

  RouterNode node_;
  NodePerformer& performer_;
  Observer observe_;
  bool busy_ = false;
  std::vector<NodeEvent> later_;
  runtime::Alarm alarm_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_NODE_DRIVER_H_
