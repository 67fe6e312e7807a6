#include "controller/controller_node.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/orders/commands.h"
#include "core/check.h"

namespace ringway::controller {
namespace {

constexpr char kNoHello[] = "the first message must be a Hello";
constexpr char kTwoHellos[] = "a second Hello on one stream";

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

}  // namespace

ControllerNode::ControllerNode(ControllerMachine machine, std::deque<std::string> recorded)
    : machine_(std::move(machine)), recorded_(std::move(recorded)) {}

void ControllerNode::Begin(ControllerShell& shell) const {
  if (machine_.table() == nullptr) return;
  shell.Perform(
      TableMade{machine_.table(), absl::StrCat("taken over at the start of epoch ", machine_.epoch())});
}

void ControllerNode::Step(Time now, const ControllerEvent& event, ControllerShell& shell) {
  const Turn turn{now, shell};
  RINGWAY_CHECK(!std::holds_alternative<RouterDisconnected>(event));
  if (const auto* connected = std::get_if<RouterConnected>(&event)) {
    if (!Introduce(turn, *connected)) return;
  } else if (const auto* reported = std::get_if<RouterReported>(&event)) {
    if (HearIntroduced(turn, reported->stream) == nullptr) return;
  } else if (const auto* acked = std::get_if<RouterAcked>(&event)) {
    if (HearIntroduced(turn, acked->stream) == nullptr) return;
  }
  StepMachine(turn, event);
}

void ControllerNode::Step(Time now, const StreamEvent& event, ControllerShell& shell) {
  std::visit([&](const auto& e) { On({now, shell}, e); }, event);
}

// ---- streams ----

void ControllerNode::On(Turn turn, const StreamClosed& event) {
  const auto session = sessions_.find(event.stream);
  if (session == sessions_.end()) return;
  const bool introduced = session->second.introduced;
  sessions_.erase(session);
  if (introduced) StepMachine(turn, RouterDisconnected{event.stream});
}

void ControllerNode::On(Turn turn, const MessageRefused& event) {
  Session* session = Hear(turn.now, event.stream);
  if (session == nullptr) return;
  if (session->introduced == event.hello) {
    Refuse(turn, event.stream, *session, event.hello ? kTwoHellos : kNoHello);
  } else {
    Refuse(turn, event.stream, *session, event.why);
  }
}

void ControllerNode::On(Turn turn, const OrdersTold& event) {
  const Session* session = HearIntroduced(turn, event.stream);
  if (session == nullptr || event.orders.empty()) return;
  for (const OrderTold& order : event.orders) {
    if (!order.refusal.empty()) {
      // Not worth its stream: the router would tell it again, and nobody would plan for it meanwhile.
      turn.shell.Perform(Note{Note::Level::kWarning,
                              absl::StrCat("router ", session->router, ": not recorded: ", order.refusal)});
      continue;
    }
    if (Knows(order.id)) continue;  // from another router, or the answer was lost
    recorded_.push_back(order.id);
    if (recorded_.size() > kOrdersKnown) recorded_.pop_front();
    turn.shell.Perform(AuditEntry{.at = order.at,
                                  .who = order.who,
                                  .why = order.why,
                                  .action = absl::StrCat(order.action, " (router ", session->router, ")"),
                                  .order = order.id});
  }
  turn.shell.Perform(SendRecorded{event.stream, event.orders.back().number});
}

void ControllerNode::On(Turn turn, const GoDown&) {
  for (auto& [stream, session] : sessions_) {
    if (!session.ended) End(turn, stream, session, StreamEnd::kGoingDown, "the controller is going down");
  }
  if (std::exchange(unsaved_, false)) turn.shell.Perform(Persist{});
}

ControllerNode::Session* ControllerNode::Hear(Time now, StreamId stream) {
  const auto found = sessions_.find(stream);
  if (found == sessions_.end() || found->second.ended) return nullptr;
  found->second.heard_at = now;
  return &found->second;
}

ControllerNode::Session* ControllerNode::HearIntroduced(Turn turn, StreamId stream) {
  Session* session = Hear(turn.now, stream);
  if (session == nullptr || session->introduced) return session;
  Refuse(turn, stream, *session, kNoHello);
  return nullptr;
}

bool ControllerNode::Introduce(Turn turn, const RouterConnected& event) {
  Session* session = Hear(turn.now, event.stream);
  if (session == nullptr) return false;
  if (session->introduced) {
    Refuse(turn, event.stream, *session, kTwoHellos);
    return false;
  }
  session->introduced = true;
  session->router = event.hello.router;
  turn.shell.Perform(
      Note{Note::Level::kInfo, absl::StrCat("router ", event.hello.router, " of ",
                                            machine_.fleet()->world.regions[event.hello.region].name, " at ",
                                            event.hello.address, " connected, stream ", event.stream)});
  return true;
}

void ControllerNode::Refuse(Turn turn, StreamId stream, Session& session, const std::string& why) {
  turn.shell.Perform(Note{Note::Level::kWarning, absl::StrCat("stream ", stream, " is closed: ", why)});
  End(turn, stream, session, StreamEnd::kRefused, why);
}

void ControllerNode::End(Turn turn, StreamId stream, Session& session, StreamEnd end,
                         const std::string& reason) {
  session.ended = true;
  turn.shell.Perform(EndStream{stream, end, reason});
}

void ControllerNode::EndSilent(Turn turn) {
  const Duration silence_max = std::max(kSilenceMin, kSilentPeriodsMax * machine_.settings().report_period);
  for (auto& [stream, session] : sessions_) {
    const Duration silence = turn.now - session.heard_at;
    if (session.ended || silence <= (session.introduced ? silence_max : kIntroductionMax)) continue;
    End(turn, stream, session, StreamEnd::kSilent, "nothing was heard for too long");
  }
}

bool ControllerNode::Knows(const std::string& order) const {
  return std::find(recorded_.rbegin(), recorded_.rend(), order) != recorded_.rend();
}

bool ControllerNode::Told(StreamId stream) const {
  const auto found = sessions_.find(stream);
  return found != sessions_.end() && found->second.told();
}

// ---- the machine ----

void ControllerNode::StepMachine(Turn turn, const ControllerEvent& event) {
  RINGWAY_CHECK(actions_.empty());
  turn.shell.MachineSteps(turn.now, event, machine_);
  machine_.Step(turn.now, event, actions_);
  turn.shell.MachineStepped(turn.now, event, actions_);
  for (const ControllerAction& action : actions_) {
    std::visit([&](const auto& a) { Do(turn, a); }, action);
    const auto* sent = std::get_if<SendTable>(&action);
    if (sent == nullptr || sent->stream) continue;
    turn.shell.Perform(TableMade{sent->table, CauseOf(event, *sent, machine_)});
  }
  actions_.clear();
}

void ControllerNode::Do(Turn turn, const SendMap& action) {
  if (action.stream) {
    if (Told(*action.stream)) turn.shell.Perform(SendMapTo{*action.stream});
    return;
  }
  for (const auto& [stream, session] : sessions_) {
    if (session.told()) turn.shell.Perform(SendMapTo{stream});
  }
}

void ControllerNode::Do(Turn turn, const SendTable& action) {
  if (action.stream) {
    if (Told(*action.stream)) turn.shell.Perform(SendTableTo{*action.stream, action.table});
    return;
  }
  for (const auto& [stream, session] : sessions_) {
    if (session.told() && action.For(stream)) turn.shell.Perform(SendTableTo{stream, action.table});
  }
}

void ControllerNode::Do(Turn turn, const CloseStream& action) {
  const auto found = sessions_.find(action.stream);
  if (found == sessions_.end() || found->second.ended) return;
  End(turn, action.stream, found->second, StreamEnd::kReplaced, action.reason);
}

void ControllerNode::Do(Turn turn, const SaveState& action) {
  unsaved_ = !action.now;
  if (action.now) turn.shell.Perform(Persist{.now = true});
}

void ControllerNode::Do(Turn turn, const EpochEnded& action) {
  if (std::exchange(unsaved_, false)) turn.shell.Perform(Persist{});
  EndSilent(turn);
  turn.shell.Perform(action);
}

}  // namespace ringway::controller
