// The controller's machine on its thread: routers' messages in, the machine's actions carried out.
//
// Everything runs on one event loop: messages are decoded against the fleet that the machine has loaded, each
// Step is journalled before it happens and its outcomes after, actions are performed in order. A message that
// does not decode ends its stream with INVALID_ARGUMENT and the reason; the router connects again and may
// have learnt better. Streams that do not introduce themselves, or fall silent for long, are closed.
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
#include "controller/daemon/audit_log.h"
#include "controller/daemon/controller_metrics.h"
#include "controller/daemon/history_store.h"
#include "controller/daemon/router_stream.h"
#include "controller/daemon/state_store.h"
#include "controller/journal/recorder.h"
#include "controller/machine.h"
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
  // Told of every Step after its actions have been performed; for screens.
  std::function<void(Time, const ControllerEvent&, const std::vector<ControllerAction>&)> stepped;
};

class ControlLoop final : public RouterStreamListener {
 public:
  using Answer = absl::AnyInvocable<void(const CommandAnswered&)>;

  ControlLoop(runtime::EventLoop& loop, ControllerMachine machine, ControlOutputs listener);

  // Arms the first epoch. Once, on the loop.
  void Begin();
  void Apply(const ControllerEvent& event);
  // `command.request` is set here.
  void Ask(OperatorCommand command, Answer answer);
  // Ends all streams; the routers keep what they have.
  void Close();

  const ControllerMachine& machine() const { return machine_; }
  const AuditLog& audit() const { return listener_.audit; }
  Time started_at() const { return started_at_; }
  // What every region asks for now.
  TrafficNow TrafficOf() const;
  runtime::EventLoop& loop() { return loop_; }

 private:
  void OnStream(RouterStream& stream) override;
  void OnMessage(RouterStream& stream, v1::RouterMessage& message) override;
  void OnStreamClosed(RouterStream& stream) override;
  absl::Status Take(RouterStream& stream, v1::RouterMessage& message);
  // What operators had the router do: once each, then the router is told.
  void RecordOrders(RouterStream& stream, const v1::Report& report);
  void Record(AuditEntry entry);

  // Into the history, with what led to it.
  void Remember(const std::shared_ptr<const RoutingTable>& table, std::string cause);
  void Perform(const ControllerAction& action);
  void On(const SendWelcome& action);
  void On(const SendMap& action);
  void On(const SendTable& action);
  void On(const SendDirectory& action);
  void On(const CloseStream& action);
  void On(const PlanMade& action);
  void On(const SaveState& action);
  void On(const AuditEntry& action);
  void On(const Note& action);
  void On(const CommandAnswered& action);
  void On(const EpochEnded& action);
  void SendTo(std::optional<StreamId> stream, RouterStream::Kind kind, const RouterStream::Message& message);
  void CloseSilent(Time now);

  runtime::EventLoop& loop_;
  ControllerMachine machine_;
  ControlOutputs listener_;
  runtime::Alarm alarm_;
  Time started_at_;
  std::map<StreamId, RouterStream*> streams_;
  std::map<std::uint64_t, Answer> answers_;
  std::uint64_t next_request_ = 1;
  bool unsaved_ = false;
  // The last directory as encoded for one region; it is sent to all routers of a region in a row.
  std::shared_ptr<const Directory> encoded_directory_;
  Time encoded_at_;
  std::map<std::uint32_t, RouterStream::Message> encoded_by_region_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_CONTROL_LOOP_H_
