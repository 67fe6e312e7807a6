#include "controller/daemon/control_loop.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/commands.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "proto/fleet_codec.h"
#include "proto/operations_codec.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

constexpr Duration kIntroductionMax = Seconds(10);
// In report periods, but never less than kSilenceMin: then the other side is gone without a word.
constexpr int kSilentPeriodsMax = 30;
constexpr Duration kSilenceMin = Seconds(30);

RouterStream::Message Wrap(v1::ControllerMessage message) {
  return std::make_shared<const v1::ControllerMessage>(std::move(message));
}

// Of the routers of a canary, in the history of tables.
constexpr std::size_t kRoutersNamed = 20;

std::string Named(const std::vector<std::string>& routers) {
  const auto end = routers.begin() + static_cast<std::ptrdiff_t>(std::min(routers.size(), kRoutersNamed));
  return absl::StrCat(absl::StrJoin(routers.begin(), end, ", "), end != routers.end() ? ", ..." : "");
}

// What made the machine send a new table, for people.
std::string CauseOf(const ControllerEvent& event, const SendTable& sent, const ControllerMachine& machine) {
  if (sent.audience != nullptr && sent.audience->only) {
    const canary::TrialState& canary = machine.trial().state();
    return absl::StrCat("canary ", canary.id, ": for ", canary.chosen.size(),
                        " routers: ", Named(canary.chosen));
  }
  if (const auto* order = std::get_if<OperatorCommand>(&event)) {
    return absl::StrCat(order->who, ": ", Describe(*order));
  }
  if (std::holds_alternative<TopologyLoaded>(event)) {
    return absl::StrCat("new topology: ", machine.fleet()->world.name);
  }
  const TableVersion version = machine.table()->version;
  return version.version == 1 ? absl::StrCat("first of epoch ", version.epoch) : "planned";
}

// An encoded directory tells how long ago earlier views were left, so it is not sent for ever.
constexpr Duration kEncodedMax = Seconds(10);

}  // namespace

ControlLoop::ControlLoop(runtime::EventLoop& loop, ControllerMachine machine, ControlOutputs listener)
    : loop_(loop),
      machine_(std::move(machine)),
      listener_(std::move(listener)),
      alarm_(loop, [this] { Apply(Tick{}); }),
      started_at_(runtime::MonotonicNow()) {}

void ControlLoop::Begin() {
  if (machine_.table() != nullptr) {
    Remember(machine_.table(), absl::StrCat("taken over at the start of epoch ", machine_.epoch()));
  }
  alarm_.Arm(machine_.NextWake());
}

void ControlLoop::Apply(const ControllerEvent& event) {
  const Time now = runtime::MonotonicNow();
  std::vector<ControllerAction> actions;
  listener_.journal.Event(now, event, machine_);
  machine_.Step(now, event, actions);
  listener_.journal.Outcomes(now, actions, *machine_.fleet());
  for (const ControllerAction& action : actions) {
    Perform(action);
    const auto* sent = std::get_if<SendTable>(&action);
    if (sent != nullptr && !sent->stream) Remember(sent->table, CauseOf(event, *sent, machine_));
  }
  listener_.stepped(now, event, actions);
  listener_.metrics.Stepped(runtime::MonotonicNow() - now);
  alarm_.Arm(machine_.NextWake());
}

TrafficNow ControlLoop::TrafficOf() const {
  TrafficNow traffic{.fleet = machine_.fleet(), .demand_rps = {}};
  const Time now = runtime::MonotonicNow();
  for (const TierLoop& loop : machine_.tiers()) {
    IdVector<RegionId, PerPriority<double>>& demand = traffic.demand_rps[traffic.demand_rps.push_back({})];
    for (const RegionLoad& region : loop.Unpinned(now).regions) demand.push_back(region.demand_rps);
  }
  return traffic;
}

void ControlLoop::Remember(const std::shared_ptr<const RoutingTable>& table, std::string cause) {
  listener_.history.Add(
      {.table = table, .traffic = TrafficOf(), .at = runtime::WallNow(), .cause = std::move(cause)});
}

void ControlLoop::Ask(OperatorCommand command, Answer answer) {
  command.request = next_request_++;
  answers_.emplace(command.request, std::move(answer));
  Apply(std::move(command));
}

void ControlLoop::Close() {
  for (auto& [id, stream] : streams_) {
    stream->Close(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the controller is going down"));
  }
  if (unsaved_) listener_.state.SaveSoon(machine_.Durable());
}

// ---- routers ----

void ControlLoop::OnStream(RouterStream& stream) {
  stream.heard_at = runtime::MonotonicNow();
  streams_[stream.id()] = &stream;
  listener_.metrics.streams().Set(static_cast<double>(streams_.size()));
}

void ControlLoop::OnMessage(RouterStream& stream, v1::RouterMessage& message) {
  stream.heard_at = runtime::MonotonicNow();
  const absl::Status taken = Take(stream, message);
  listener_.metrics.MessageTaken(taken.ok());
  if (taken.ok()) return;
  listener_.log.Warning(absl::StrCat("stream ", stream.id(), " is closed: ", taken.message()));
  stream.Close(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, std::string(taken.message())));
}

absl::Status ControlLoop::Take(RouterStream& stream, v1::RouterMessage& message) {
  const Fleet& fleet = *machine_.fleet();
  if (message.has_hello()) {
    if (stream.introduced) return absl::InvalidArgumentError("a second Hello on one stream");
    auto hello = DecodeHello(message.hello(), fleet);
    if (!hello.ok()) return hello.status();
    stream.introduced = true;
    stream.router = hello->router;
    listener_.log.Info(absl::StrCat("router ", hello->router, " of ", message.hello().region(), " at ",
                                    hello->address, " connected, stream ", stream.id()));
    Apply(RouterConnected{stream.id(), *std::move(hello)});
    return absl::OkStatus();
  }
  if (!stream.introduced) return absl::InvalidArgumentError("the first message must be a Hello");
  if (message.has_report()) {
    auto report = DecodeReport(message.report(), fleet);
    if (!report.ok()) return report.status();
    RecordOrders(stream, message.report());
    Apply(RouterReported{stream.id(), *std::move(report)});
    return absl::OkStatus();
  }
  if (message.has_ack()) {
    const v1::Ack& ack = message.ack();
    listener_.metrics.Acked(ack.active());
    Apply(RouterAcked{stream.id(), {ack.epoch(), ack.version()}, ack.active(), ack.refusal().substr(0, 500)});
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("a message that is neither Hello, Report nor Ack");
}

void ControlLoop::RecordOrders(RouterStream& stream, const v1::Report& report) {
  const int taken = std::min(report.orders_size(), wire::kOrdersInReport);
  if (taken == 0) return;
  const Time now = runtime::WallNow();
  for (int i = 0; i < taken; ++i) {
    const v1::OrderDone& order = report.orders(i);
    if (absl::Status status = wire::CheckOrderDone(order); !status.ok()) {
      // Not worth its stream: the router would send it again, and nobody would plan for it meanwhile.
      listener_.log.Warning(absl::StrCat("router ", stream.router, ": not recorded: ", status.message()));
      continue;
    }
    if (listener_.audit.Holds(order.id())) continue;  // from another router, or the answer was lost
    const Time at = FromUnixMicros(order.at_unix_us());
    Record({.at = order.at_unix_us() > 0 ? std::min(at, now) : now,
            .who = order.who(),
            .why = order.why(),
            .action = absl::StrCat(order.action(), " (router ", stream.router, ")"),
            .order = order.id()});
  }
  v1::ControllerMessage message;
  message.mutable_orders_recorded()->set_number(report.orders(taken - 1).number());
  stream.Send(RouterStream::Kind::kRecorded, Wrap(std::move(message)));
}

void ControlLoop::OnStreamClosed(RouterStream& stream) {
  streams_.erase(stream.id());
  listener_.metrics.streams().Set(static_cast<double>(streams_.size()));
  listener_.stream_closed();
  if (stream.introduced) Apply(RouterDisconnected{stream.id()});
}

void ControlLoop::CloseSilent(Time now) {
  const Duration silence_max = std::max(kSilenceMin, kSilentPeriodsMax * machine_.settings().report_period);
  for (auto& [id, stream] : streams_) {
    const Duration silence = now - stream->heard_at;
    if (stream->introduced ? silence > silence_max : silence > kIntroductionMax) {
      stream->Close(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "nothing was heard for too long"));
    }
  }
}

// ---- actions ----

void ControlLoop::Perform(const ControllerAction& action) {
  std::visit([this](const auto& kind) { On(kind); }, action);
}

void ControlLoop::SendTo(std::optional<StreamId> stream, RouterStream::Kind kind,
                         const RouterStream::Message& message) {
  if (!stream) {
    for (auto& [id, open] : streams_) {
      if (open->introduced) open->Send(kind, message);
    }
    return;
  }
  if (const auto open = streams_.find(*stream); open != streams_.end()) open->second->Send(kind, message);
}

void ControlLoop::On(const SendWelcome& action) {
  v1::ControllerMessage message;
  v1::Welcome& welcome = *message.mutable_welcome();
  welcome.set_wire_version(wire::kWireVersion);
  welcome.set_epoch(action.epoch);
  welcome.set_report_period_s(ToDoubleSeconds(machine_.settings().report_period));
  welcome.set_controller(machine_.settings().name);
  welcome.set_records_orders(true);
  SendTo(action.stream, RouterStream::Kind::kWelcome, Wrap(std::move(message)));
}

void ControlLoop::On(const SendMap& action) {
  v1::ControllerMessage message;
  *message.mutable_fleet_map() = wire::EncodeFleet(*machine_.fleet());
  SendTo(action.stream, RouterStream::Kind::kMap, Wrap(std::move(message)));
}

void ControlLoop::On(const SendTable& action) {
  v1::ControllerMessage message;
  *message.mutable_table() = wire::EncodeTable(*action.table, *machine_.fleet());
  const RouterStream::Message wrapped = Wrap(std::move(message));
  if (action.stream) {
    SendTo(action.stream, RouterStream::Kind::kTable, wrapped);
  } else {
    for (auto& [id, open] : streams_) {
      if (open->introduced && action.For(id)) open->Send(RouterStream::Kind::kTable, wrapped);
    }
  }
  listener_.metrics.TableSent();
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
    *message.mutable_directory() = EncodeDirectory(*action.directory, *machine_.fleet(), action.region);
    for (v1::PastView& past : *message.mutable_directory()->mutable_before()) {
      past.set_left_s(ToDoubleSeconds(now - FromUnixNanos(past.left_unix_ns())));
    }
    encoded = Wrap(std::move(message));
  }
  SendTo(action.stream, RouterStream::Kind::kDirectory, encoded);
}

void ControlLoop::On(const CloseStream& action) {
  const auto open = streams_.find(action.stream);
  if (open == streams_.end()) return;
  open->second->Close(grpc::Status(grpc::StatusCode::ABORTED, action.reason));
}

void ControlLoop::On(const PlanMade& action) { listener_.metrics.Planned(machine_, action); }

void ControlLoop::On(const SaveState& action) {
  if (!action.now) {
    unsaved_ = true;
    return;
  }
  unsaved_ = false;
  (void)listener_.state.SaveNow(machine_.Durable());  // the replica tells how it went
}

void ControlLoop::On(const AuditEntry& action) {
  AuditEntry entry = action;
  entry.at = runtime::WallNow();
  Record(std::move(entry));
}

void ControlLoop::Record(AuditEntry entry) {
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
  if (std::exchange(unsaved_, false) || listener_.state.failing())
    listener_.state.SaveSoon(machine_.Durable());
  CloseSilent(runtime::MonotonicNow());
  listener_.metrics.EpochEnded(machine_, listener_.journal, loop_.inbox_depth());
}

}  // namespace ringway::controller
