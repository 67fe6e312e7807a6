#include "router/session/ledger_session.h"

#include <algorithm>
#include <utility>

namespace ringway::router {
namespace {

// What a leader says to its client `number` is said to the machine, which has another number there.
void NameMachine(ledger::LedgerAction& action) {
  std::visit(
      [](auto& said) {
        if constexpr (requires { said.key; }) said.key.router = LedgerSession::kMachine;
        if constexpr (requires { said.router; }) said.router = LedgerSession::kMachine;
      },
      action);
}

}  // namespace

void LedgerSession::Step(Time now, const SessionEvent& event, std::vector<SessionAction>& actions) {
  std::visit([&](const auto& e) { On(now, e, actions); }, event);
}

// ---- who leads ----

void LedgerSession::On(Time now, const LeaderNamed& event, Actions& actions) {
  if (event.fence < fence_) return;  // by a controller that was replaced
  if (event.self && event.incarnation == settings_.incarnation) return Lead(now, event, actions);
  if (event.self || !event.router.valid()) return FollowNobody(now, event.fence, actions);
  Follow(now, event, actions);
}

void LedgerSession::On(Time now, const NoLeaderNamed&, Actions& actions) {
  FollowNobody(now, fence_, actions);
}

void LedgerSession::Lead(Time now, const LeaderNamed& named, Actions& actions) {
  HangUp(actions);
  leader_ = named.router;
  if (leads_ && fence_ == named.fence) return;
  fence_ = named.fence;
  StepLeader(now, LeadershipGiven{fence_, named.fresh}, actions);
  if (!std::exchange(leads_, true)) StepLeader(now, ClientConnected{settings_.self}, actions);
  Listen(now, actions);
}

void LedgerSession::Follow(Time now, const LeaderNamed& named, Actions& actions) {
  fence_ = named.fence;
  GiveUp(now, actions);
  if (dialled_ && leader_ == named.router && address_ == named.address) return;
  HangUp(actions);
  leader_ = named.router;
  address_ = named.address;
  dialled_ = true;
  actions.emplace_back(DialLeader{leader_, address_});
}

void LedgerSession::FollowNobody(Time now, const Fence& fence, Actions& actions) {
  fence_ = fence;
  HangUp(actions);
  leader_ = RouterId();
  GiveUp(now, actions);
  LoseLeader(actions);
}

void LedgerSession::GiveUp(Time now, Actions& actions) {
  if (std::exchange(leads_, false)) StepLeader(now, ClientDisconnected{settings_.self}, actions);
  StepLeader(now, LeadershipMoved{fence_}, actions);
  Listen(now, actions);
}

void LedgerSession::HangUp(Actions& actions) {
  if (std::exchange(dialled_, false)) actions.emplace_back(HangUpLeader{});
}

// ---- what the leader says ----

// Over a link that was hung up nothing is heard any more.
void LedgerSession::On(Time, const LeaderLost&, Actions& actions) {
  if (dialled_) LoseLeader(actions);
}

void LedgerSession::On(Time, const LeaderHeartbeat& event, Actions& actions) {
  if (dialled_) HearHeartbeat(event.appointment, event.redirects, actions);
}

void LedgerSession::On(Time, const LeaderSaid& event, Actions& actions) {
  if (!dialled_) return;
  LeaderAnswered news{settings_.tier, event.said};
  NameMachine(news.answer);
  actions.emplace_back(TellMachine{std::move(news)});
}

void LedgerSession::HearHeartbeat(const Fence& appointment, bool redirects, Actions& actions) {
  if (appointment < fence_) return;  // it does not know that it has been replaced
  if (!heard_ || heard_fence_ != appointment) {
    heard_ = true;
    heard_fence_ = appointment;
    actions.emplace_back(
        TellMachine{LeaderAppointed{settings_.tier, {.router = leader_, .fence = appointment}}});
    if (!redirects) return;  // as a leader is taken for that has just been appointed
  }
  actions.emplace_back(TellMachine{LeaderHeard{.tier = settings_.tier, .redirects = redirects}});
}

void LedgerSession::LoseLeader(Actions& actions) {
  if (!std::exchange(heard_, false)) return;
  actions.emplace_back(
      TellMachine{LeaderAppointed{settings_.tier, {.router = RouterId(), .fence = heard_fence_}}});
}

void LedgerSession::On(Time now, const MachineHeard& event, Actions& actions) {
  if (event.leader != leader_) return;
  if (leads_) {
    StepLeader(now, RouterHeard{settings_.self, event.said}, actions);
  } else if (dialled_) {
    actions.emplace_back(TellLeader{event.said});
  }
}

// ---- what the ledger held here wants ----

void LedgerSession::Pass(TellRouter& tell, Actions& actions) {
  if (tell.router != settings_.self) {
    actions.emplace_back(std::move(tell));
    return;
  }
  LeaderAnswered news{settings_.tier, std::move(tell.what)};
  NameMachine(news.answer);
  actions.emplace_back(TellMachine{std::move(news)});
}

void LedgerSession::Pass(const SendHeartbeat& heartbeat, Actions& actions) {
  if (heartbeat.router == settings_.self) {
    return HearHeartbeat(heartbeat.appointment, heartbeat.redirects, actions);
  }
  actions.emplace_back(heartbeat);
}

void LedgerSession::Pass(FenceOff& fence, Actions& actions) {
  fence.connection = KnownOf(fence.worker).order.session();
  actions.emplace_back(fence);
}

// ---- other regions ----

void LedgerSession::On(Time now, const LeadersElsewhere& event, Actions& actions) {
  elsewhere_ = event.leaders;
  Listen(now, actions);
}

void LedgerSession::On(Time now, const ledger::AwayAimed& event, Actions& actions) {
  targets_ = event.targets;
  if (targets_.size() > kRegionsMax) targets_.resize(kRegionsMax);
  StepLeader(now, ledger::AwayAimed{targets_}, actions);
  Listen(now, actions);
}

// What a link says that was hung up is nobody's word.
void LedgerSession::On(Time now, const RegionHinted& event, Actions& actions) {
  const bool listened = std::any_of(links_.begin(), links_.end(),
                                    [&](const DialRegion& link) { return link.region == event.region; });
  if (!listened) return;
  round_trips_.Answered(now, event.region, event.answers);
  if (const auto number = round_trips_.Ask(now, event.region)) {
    actions.emplace_back(AskRegion{event.region, number});
  }
  StepLeader(now, ledger::HintHeard{event.region, event.hint}, actions);
}

void LedgerSession::On(Time now, const RegionLinkBroke& event, Actions& actions) {
  round_trips_.LinkBroke(event.region);
  StepLeader(now, ledger::RegionSilent{event.region}, actions);
}

const LeaderElsewhere* LedgerSession::LeaderOf(RegionId region) const {
  const auto found = std::find_if(elsewhere_.begin(), elsewhere_.end(),
                                  [&](const LeaderElsewhere& leader) { return leader.region == region; });
  return found == elsewhere_.end() ? nullptr : &*found;
}

void LedgerSession::Listen(Time now, Actions& actions) {
  std::vector<DialRegion> wanted;
  for (const ledger::AwayTarget& target : targets_) {
    const LeaderElsewhere* const leader = leads_ ? LeaderOf(target.region) : nullptr;
    if (leader == nullptr) continue;
    const Duration period = wanted.size() < kNearRegions ? kNearPeriod : kFarPeriod;
    wanted.push_back({target.region, leader->router, leader->address, period});
  }
  for (const DialRegion& link : links_) {
    if (std::find(wanted.begin(), wanted.end(), link) != wanted.end()) continue;
    actions.emplace_back(HangUpRegion{link.region});
    round_trips_.LinkBroke(link.region);
    StepLeader(now, ledger::RegionSilent{link.region}, actions);
  }
  for (const DialRegion& link : wanted) {
    if (std::find(links_.begin(), links_.end(), link) == links_.end()) actions.emplace_back(link);
  }
  links_ = std::move(wanted);
}

// ---- workers ----

void LedgerSession::MakeRoom(WorkerId worker) { workers_.resize(worker.index() + 1); }

void LedgerSession::On(Time now, const WorkerAnnounced& event, Actions& actions) {
  Known& known = KnownOf(event.announce.worker);
  if (!known.listed) return;
  const auto number =
      known.order.Number(event.connection.value_or(known.order.session()), event.announce.sequence);
  if (!number) return;
  ledger::Announce announce = event.announce;
  announce.sequence = *number;
  if (std::exchange(known.broke, false)) StepLeader(now, ledger::WorkerListed{announce.worker}, actions);
  StepLeader(now, announce, actions);
}

void LedgerSession::On(Time now, const WatchBroke& event, Actions& actions) {
  Known& known = KnownOf(event.worker);
  known.order.StreamBroke();
  if (!known.listed || std::exchange(known.broke, true)) return;
  StepLeader(now, ledger::WorkerGone{event.worker}, actions);
}

void LedgerSession::On(Time now, const ledger::WorkerListed& event, Actions& actions) {
  Known& known = KnownOf(event.worker);
  known.listed = true;
  known.broke = false;
  StepLeader(now, event, actions);
}

void LedgerSession::On(Time now, const ledger::WorkerGone& event, Actions& actions) {
  if (!std::exchange(KnownOf(event.worker).listed, false)) return;
  StepLeader(now, event, actions);
}

}  // namespace ringway::router
