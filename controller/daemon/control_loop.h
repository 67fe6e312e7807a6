// The controller's node on its thread: routers' messages in, what the node wants carried out.
//
// Everything runs on one event loop: messages are decoded against the fleet that the machine has loaded, each
// step of the machine is journalled before it happens and its outcomes after, actions are performed in order.
// Nothing is decided here: who is listened to, who is told, and when the state is saved is the node's to say
// (controller/controller_node.h).
//
// Bounds: streams and admin calls as their services say. Threads: the loop's, except where noted.
#ifndef RINGWAY_CONTROLLER_DAEMON_CONTROL_LOOP_H_
#define RINGWAY_CONTROLLER_DAEMON_CONTROL_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "controller/controller_node.h"
#include "controller/daemon/audit_log.h"
#include "controller/daemon/controller_metrics.h"
#include "controller/daemon/history_store.h"
#include "controller/daemon/router_stream.h"
#include "controller/daemon/state_store.h"
#include "controller/journal/recorder.h"
#include "controller/machine.h"
#include "controller/node_event.h"
#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::controller {

// What the loop works with; all of it outlives the loop.
struct ControlOutputs {
  StateStore& state;
  AuditLog& audit;
  Recorder& journal;
  HistoryStore& history;
  ControllerMetrics& metrics;
  runtime::Logger log;
  std::function<void()> stream_closed;  // tells the service
  // Told of every step of the machine; for screens.
  std::function<void(Time, const ControllerEvent&, const std::vector<ControllerAction>&)> stepped;
};

class ControlLoop final : public RouterStreamListener, private ControllerShell {
 public:
  using Answer = absl::AnyInvocable<void(const CommandAnswered&)>;

  ControlLoop(runtime::EventLoop& loop, ControllerMachine machine, ControlOutputs listener);

  // Arms the first epoch. Once, on the loop.
  void Begin();
  void Apply(const ControllerEvent& event);
  // `command.request` is set here.
  void Ask(OperatorCommand command, Answer answer);
  // Ends all streams; the routers keep what they have.
  void Close() { Apply(GoDown{}); }

  const ControllerMachine& machine() const { return node_.machine(); }
  const AuditLog& audit() const { return listener_.audit; }
  Time started_at() const { return started_at_; }
  // What every region asks for now.
  TrafficNow TrafficOf() const;
  runtime::EventLoop& loop() { return loop_; }

 private:
  void OnStream(RouterStream& stream) override;
  void OnMessage(RouterStream& stream, v1::RouterMessage& message) override;
  void OnStreamClosed(RouterStream& stream) override;
  void Take(StreamId stream, const v1::RouterMessage& message);
  void Apply(const StreamEvent& event);

  void MachineSteps(Time now, const ControllerEvent& event, const ControllerMachine& machine) override;
  void MachineStepped(Time now, const ControllerEvent& event,
                      const std::vector<ControllerAction>& actions) override;
  void Perform(const NodeAction& action) override;
  void On(const SendWelcome& action);
  void On(const SendMapTo& action);
  void On(const SendTableTo& action);
  void On(const SendDirectory& action);
  void On(const SendRecorded& action);
  void On(const EndStream& action);
  void On(const TableMade& action);
  void On(const PlanMade& action);
  void On(const Persist& action);
  void On(const AuditEntry& action);
  void On(const Note& action);
  void On(const CommandAnswered& action);
  void On(const EpochEnded& action);
  void Send(StreamId stream, RouterStream::Kind kind, const RouterStream::Message& message);

  runtime::EventLoop& loop_;
  ControlOutputs listener_;
  ControllerNode node_;
  runtime::Alarm alarm_;
  Time started_at_;
  std::map<StreamId, RouterStream*> streams_;
  std::map<std::uint64_t, Answer> answers_;
  std::uint64_t next_request_ = 1;
  bool refused_ = false;  // what came last
  // As encoded last: a table and a map go to all routers in a row, a directory to all of a region.
  std::shared_ptr<const RoutingTable> encoded_table_;
  RouterStream::Message table_message_;
  std::shared_ptr<const Fleet> encoded_map_;
  RouterStream::Message map_message_;
  std::shared_ptr<const Directory> encoded_directory_;
  Time encoded_at_;
  std::map<std::uint32_t, RouterStream::Message> encoded_by_region_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_CONTROL_LOOP_H_
