#include "controller/daemon/control_loop.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "controller/wire/control_codec.h"
#include "proto/fleet_codec.h"
#include "proto/operations_codec.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

// An encoded directory tells how long ago earlier views were left, so it is not sent for ever.
constexpr Duration kEncodedMax = Seconds(10);

RouterStream::Message Wrap(v1::ControllerMessage message) {
  return std::make_shared<const v1::ControllerMessage>(std::move(message));
}

grpc::StatusCode CodeOf(StreamEnd end) {
  switch (end) {
    case StreamEnd::kRefused:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case StreamEnd::kSilent:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case StreamEnd::kReplaced:
      return grpc::StatusCode::ABORTED;
    case StreamEnd::kGoingDown:
      break;
  }
  return grpc::StatusCode::UNAVAILABLE;
}

OrdersTold ReadOrders(StreamId stream, const v1::Report& report) {
  OrdersTold told{.stream = stream, .orders = {}};
  const int taken = std::min(report.orders_size(), wire::kOrdersInReport);
  for (int i = 0; i < taken; ++i) {
    const v1::OrderDone& order = report.orders(i);
    told.orders.push_back({.number = order.number(),
                           .id = order.id(),
                           .at = order.at_unix_us() > 0 ? FromUnixMicros(order.at_unix_us()) : InfinitePast(),
                           .who = order.who(),
                           .why = order.why(),
                           .action = order.action(),
                           .refusal = std::string(wire::CheckOrderDone(order).message())});
  }
  return told;
}

}  // namespace

ControlLoop::ControlLoop(runtime::EventLoop& loop, ControllerMachine machine, ControlOutputs listener)
    : loop_(loop),
      listener_(std::move(listener)),
      node_(std::move(machine), listener_.audit.Orders()),
      alarm_(loop, [this] { Apply(Tick{}); }),
      started_at_(runtime::MonotonicNow()) {}

void ControlLoop::Begin() {
  node_.Begin(*this);
  alarm_.Arm(node_.NextWake());
}

void ControlLoop::Apply(const ControllerEvent& event) {
  const Time now = runtime::MonotonicNow();
  if (listener_.state.failing()) node_.SaveFailed();
  node_.Step(now, event, *this);
  listener_.metrics.Stepped(runtime::MonotonicNow() - now);
  alarm_.Arm(node_.NextWake());
}

void ControlLoop::Apply(const StreamEvent& event) {
  node_.Step(runtime::MonotonicNow(), event, *this);
  alarm_.Arm(node_.NextWake());
}

TrafficNow ControlLoop::TrafficOf() const {
  TrafficNow traffic{.fleet = machine().fleet(), .demand_rps = {}};
  const Time now = runtime::MonotonicNow();
  for (const TierLoop& loop : machine().tiers()) {
    IdVector<RegionId, PerPriority<double>>& demand = traffic.demand_rps[traffic.demand_rps.push_back({})];
    for (const RegionLoad& region : loop.Unpinned(now).regions) demand.push_back(region.demand_rps);
  }
  return traffic;
}

void ControlLoop::Ask(OperatorCommand command, Answer answer) {
  command.request = next_request_++;
  answers_.emplace(command.request, std::move(answer));
  Apply(std::move(command));
}

// ---- routers ----

void ControlLoop::OnStream(RouterStream& stream) {
  streams_[stream.id()] = &stream;
  listener_.metrics.streams().Set(static_cast<double>(streams_.size()));
  Apply(StreamOpened{stream.id()});
}

void ControlLoop::OnMessage(RouterStream& stream, v1::RouterMessage& message) {
  refused_ = false;
  Take(stream.id(), message);
  listener_.metrics.MessageTaken(!refused_);
}

void ControlLoop::Take(StreamId stream, const v1::RouterMessage& message) {
  const NodeEvent event = ReadMessage(stream, message, *machine().fleet());
  if (const auto* refused = std::get_if<StreamEvent>(&event)) return Apply(*refused);
  if (message.has_ack()) listener_.metrics.Acked(message.ack().active());
  if (message.report().orders_size() > 0) Apply(ReadOrders(stream, message.report()));
  Apply(std::get<ControllerEvent>(event));
}

void ControlLoop::OnStreamClosed(RouterStream& stream) {
  streams_.erase(stream.id());
  listener_.metrics.streams().Set(static_cast<double>(streams_.size()));
  listener_.stream_closed();
  Apply(StreamClosed{stream.id()});
}

// ---- the machine's steps ----

void ControlLoop::MachineSteps(Time now, const ControllerEvent& event, const ControllerMachine& machine) {
  listener_.journal.Event(now, event, machine);
}

void ControlLoop::MachineStepped(Time now, const ControllerEvent& event,
                                 const std::vector<ControllerAction>& actions) {
  listener_.journal.Outcomes(now, actions, *machine().fleet());
  for (const ControllerAction& action : actions) {
    if (std::holds_alternative<SendTable>(action)) listener_.metrics.TableSent();
  }
  listener_.stepped(now, event, actions);
}

// ---- actions ----

void ControlLoop::Perform(const NodeAction& action) {
  std::visit([this](const auto& kind) { On(kind); }, action);
}

void ControlLoop::Send(StreamId stream, RouterStream::Kind kind, const RouterStream::Message& message) {
  if (const auto open = streams_.find(stream); open != streams_.end()) open->second->Send(kind, message);
}

void ControlLoop::On(const SendWelcome& action) {
  v1::ControllerMessage message;
  *message.mutable_welcome() = EncodeWelcome(action.epoch, machine().settings());
  Send(action.stream, RouterStream::Kind::kWelcome, Wrap(std::move(message)));
}

void ControlLoop::On(const SendMapTo& action) {
  if (std::exchange(encoded_map_, machine().fleet()) != machine().fleet()) {
    v1::ControllerMessage message;
    *message.mutable_fleet_map() = wire::EncodeFleet(*machine().fleet());
    map_message_ = Wrap(std::move(message));
  }
  Send(action.stream, RouterStream::Kind::kMap, map_message_);
}

void ControlLoop::On(const SendTableTo& action) {
  if (std::exchange(encoded_table_, action.table) != action.table) {
    v1::ControllerMessage message;
    *message.mutable_table() = wire::EncodeTable(*action.table, *machine().fleet());
    table_message_ = Wrap(std::move(message));
  }
  Send(action.stream, RouterStream::Kind::kTable, table_message_);
}

void ControlLoop::On(const SendDirectory& action) {
  const Time now = runtime::MonotonicNow();
  if (encoded_directory_ != action.directory || now - encoded_at_ > kEncodedMax) {
    encoded_directory_ = action.directory;
    encoded_at_ = now;
    encoded_by_region_.clear();
  }
  RouterStream::Message& encoded = encoded_by_region_[action.region.value()];
  if (encoded == nullptr) {
    v1::ControllerMessage message;
    *message.mutable_directory() =
        EncodeDirectoryAt(now, *action.directory, *machine().fleet(), action.region);
    encoded = Wrap(std::move(message));
  }
  Send(action.stream, RouterStream::Kind::kDirectory, encoded);
}

void ControlLoop::On(const SendRecorded& action) {
  v1::ControllerMessage message;
  message.mutable_orders_recorded()->set_number(action.number);
  Send(action.stream, RouterStream::Kind::kRecorded, Wrap(std::move(message)));
}

void ControlLoop::On(const EndStream& action) {
  refused_ = action.end == StreamEnd::kRefused;
  const auto open = streams_.find(action.stream);
  if (open != streams_.end()) open->second->Close({CodeOf(action.end), action.reason});
}

void ControlLoop::On(const TableMade& action) {
  listener_.history.Add(
      {.table = action.table, .traffic = TrafficOf(), .at = runtime::WallNow(), .cause = action.cause});
}

void ControlLoop::On(const PlanMade& action) { listener_.metrics.Planned(machine(), action); }

void ControlLoop::On(const Persist& action) {
  if (!action.now) return listener_.state.SaveSoon(machine().Durable());
  (void)listener_.state.SaveNow(machine().Durable());  // the replica tells how it went
}

// A router's clock may go ahead of this one's.
void ControlLoop::On(const AuditEntry& action) {
  AuditEntry entry = action;
  const Time now = runtime::WallNow();
  const bool dated = !entry.order.empty() && entry.at != InfinitePast();
  entry.at = dated ? std::min(entry.at, now) : now;
  listener_.log.Info(absl::StrCat("operator ", entry.who, ": ", entry.action));
  const absl::Status written = listener_.audit.Append(std::move(entry));
  listener_.metrics.AuditWritten(written.ok());
  if (!written.ok()) listener_.log.Error(absl::StrCat(written.message(), "; the entry is in this log alone"));
}

void ControlLoop::On(const Note& action) {
  if (action.level == Note::Level::kWarning) {
    listener_.log.Warning(action.text);
  } else {
    listener_.log.Info(action.text);
  }
}

void ControlLoop::On(const CommandAnswered& action) {
  const auto waiting = answers_.find(action.request);
  if (waiting == answers_.end()) return;
  waiting->second(action);
  answers_.erase(waiting);
}

void ControlLoop::On(const EpochEnded&) {
  listener_.metrics.EpochEnded(machine(), listener_.journal, loop_.inbox_depth());
}

}  // namespace ringway::controller
