// A router as a whole: its machine, a session for each tier's ledger, its registry, and all that they tell
// each other.
//
// The three decide (router_machine.h, ledger_session.h, worker_registry.h); the node says what each hears of
// the others. The daemon and the simulator run this same class, so what goes wrong between two parts goes
// wrong in a seed of the simulator, too. Who is told what, and in which order:
//   * A worker that the registry lists is listed at the machine and, if its tier is in ledger mode, at that
//     tier's session and no other, with what it has announced over a watch stream that still stands.
//   * What it says goes to the registry, then, if it is watched still, to the session where it was listed
//     last; so does the end.
//   * A directory of an earlier controller than the newest that was heard of changes nothing. Any other:
//     registry, then each tier's session, then LeadershipSeen for the registry wherever this changed who
//     leads. A partial one takes nobody away, nor the place of one on disk; none moves a leader that is
//     fixed.
//   * A fleet: sessions for new tiers, how many may wait at the others, the machine, the tiers of known
//     workers, the directory.
//   * What a session wants told to the machine waits until the part that is stepping has done, and is told
//     before Step returns. A part is never stepped within its own step.
//
// The shell is a type of its own, so a Step costs no variant and no virtual call. It is handed each action at
// once, in order (NodeShell), and must not step the node while it performs one. Complexity: that of the
// parts; O(tiers) for a directory or fleet. Memory: the parts', and 64 bytes a worker. One owner thread.
#ifndef RINGWAY_ROUTER_ROUTER_NODE_H_
#define RINGWAY_ROUTER_ROUTER_NODE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/check.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/time.h"
#include "router/node_event.h"
#include "router/router_action.h"
#include "router/router_machine.h"
#include "router/session/ledger_session.h"
#include "router/session/session_place.h"
#include "router/worker_registry.h"

namespace ringway::router {

// What differs from tier to tier, of those that are not as NodeSettings::leader has it.
struct TierLedger {
  TierId tier;
  LeaderSettings leader;
  bool fixed = false;  // an operator names its leader (TierHeard), and directories do not move it
};

struct NodeSettings {
  RouterSettings router;
  std::size_t watch_max = 0;      // of the registry
  RouterId self;                  // own number among the clients of the own ledgers
  std::uint64_t incarnation = 0;  // of this life
  LeaderSettings leader = {};
  std::vector<TierLedger> tiers = {};
  std::uint64_t epoch_seen_max = 0;  // of controllers, by an earlier life
};

// By the clock, in us, but above the last life's: a clock that was set back must not repeat one.
constexpr std::uint64_t NextIncarnation(std::uint64_t clock_us, std::uint64_t last) {
  return std::max(clock_us, last + 1'000'000);
}

// Who performs what a node wants, and may look on. Perform is called for what leaves the router: neither
// TellLedger, AimLedger nor TellMachine is among it, and of the registry's actions only what streams, logs
// and addresses need. The others are called after each step of a part, with what came of it, before any of it
// is performed.
template <class Shell>
concept NodeShell = requires(Shell& shell, Time now, TierId tier, RouterAction& action,
                             SessionAction& session_action, const RegistryAction& registry_action,
                             const NodeAction& node_action, const std::vector<RouterAction>& actions,
                             const std::vector<SessionAction>& session_actions,
                             const std::vector<RegistryAction>& registry_actions) {
  shell.Perform(action);
  shell.Perform(tier, session_action);
  shell.Perform(registry_action);
  shell.Perform(node_action);
  shell.MachineStepped(now, TimePassed{}, actions);
  shell.SessionStepped(tier, LeaderWake{}, session_actions);
  shell.RegistryStepped(LocalWorkerNamed{}, registry_actions);
};

class RouterNode {
 public:
  // `fleet` must contain the home region.
  RouterNode(const NodeSettings& settings, std::shared_ptr<const Fleet> fleet);
  // Between two steps.
  RouterNode(RouterNode&&) = default;

  // `now` does not run backwards. Events of the machine, of the registry and of node_event.h.
  template <class Event, NodeShell Shell>
  void Step(Time now, const Event& event, Shell& shell) {
    Begin();
    On(Turn<Shell>{now, shell}, event);
    End(Turn<Shell>{now, shell});
  }
  // An event of the tier's session; without one nothing happens.
  template <class Event, NodeShell Shell>
  void StepTier(Time now, TierId tier, const Event& event, Shell& shell) {
    Begin();
    StepSession(Turn<Shell>{now, shell}, tier, event);
    End(Turn<Shell>{now, shell});
  }
  // When Step must be called next, even if nothing happens.
  Time NextWake() const { return std::min(machine_->NextWake(), sessions_wake_); }
  bool stepping() const { return stepping_; }

  // What a report that is made now says of workers, and of round trips; appends. As HearRepeat, for whoever
  // performs SendReport, too.
  void ReportWorkers(Time now, std::vector<WorkerReported>& report) { registry_.Report(now, report); }
  void ReportRoundTrips(Time now, std::vector<RoundTrip>& report);
  // A watched worker says again what it said last. This spares the machine, which has nothing to learn of it.
  void HearRepeat(Time now, const WorkerSaid& said) { registry_.HearRepeat(now, said); }

  const RouterMachine& machine() const { return *machine_; }
  const WorkerRegistry& registry() const { return registry_; }
  // Null: the tier is not in ledger mode, and has not been.
  const LedgerSession* session(TierId tier) const {
    return tiers_.contains(tier) ? tiers_[tier].session.get() : nullptr;
  }
  // Tiers with a session are below it.
  TierId tiers_end() const { return tiers_.end_id(); }
  // At whose session the worker is listed; invalid: at none.
  TierId listed_at(WorkerId worker) const {
    return places_.contains(worker) && places_[worker].listed ? places_[worker].tier : TierId();
  }
  // A ledger that was held here may still owe this client something: nobody else may have its number.
  bool CountsOn(RouterId client) const;
  // Goes on with a machine that is what the present one has become: one that was restored.
  void Replace(RouterMachine machine) { machine_.emplace(std::move(machine)); }

 private:
  template <class Shell>
  struct Turn {
    Time now;
    Shell& shell;
  };
  struct TierPart {
    std::unique_ptr<LedgerSession> session;
    Time wake = InfiniteFuture();  // of the session
    bool led = false;              // as the registry was told last
    bool fixed = false;
    std::size_t line_max = 0;  // as the session was told last
  };

  void Begin() {
    RINGWAY_CHECK(!stepping_);
    stepping_ = true;
  }
  template <class Shell>
  void End(Turn<Shell> turn) {
    if (!news_.empty()) TellNews(turn);
    stepping_ = false;
  }
  // Telling the machine may bring about more news, so the loop goes by index; it ends because each ends an
  // ask, and jobs ask anew only as long as there are slots to be granted.
  template <class Shell>
  void TellNews(Turn<Shell> turn) {
    for (std::size_t i = 0; i < news_.size(); ++i) {
      const LedgerNews news = std::move(news_[i]);
      std::visit([&](const auto& n) { StepMachine(turn, n); }, news);
    }
    news_.clear();
  }

  // ---- the parts ----
  template <class Event, class Shell>
  void StepMachine(Turn<Shell> turn, const Event& event);
  template <class Event, class Shell>
  void StepSession(Turn<Shell> turn, TierId tier, const Event& event);
  template <class Event, class Shell>
  void StepRegistry(Turn<Shell> turn, const Event& event);
  template <class Event, class Shell>
  void StepSessions(Turn<Shell> turn, const Event& event) {
    for (TierId tier(0); tier != tiers_.end_id(); tier = TierId(tier.index() + 1)) {
      StepSession(turn, tier, event);
    }
  }
  template <class Shell>
  void SeeLeads(Turn<Shell> turn, TierId tier);
  // Most steps leave it as it was.
  void SeeWake(TierPart& part) {
    const Time wake = part.session->NextWake();
    if (wake != part.wake) SetWake(part, wake);
  }
  void SetWake(TierPart& part, Time wake);
  // For tiers that are in ledger mode now and have none; returns these.
  std::vector<TierId> AddSessions(const Fleet& fleet);
  // Null: it is as NodeSettings::leader has it.
  const TierLedger* SetApart(TierId tier) const;
  // How many jobs may wait at the tier's ledger.
  std::size_t LineMaxOf(TierId tier, const DispatchSpec& dispatch) const;

  // ---- what happens; the rest is the machine's alone ----
  template <class Event, class Shell>
  void On(Turn<Shell> turn, const Event& event) {
    StepMachine(turn, event);
  }
  template <class Shell>
  void On(Turn<Shell> turn, const RouterEvent& event);
  template <class Shell>
  void On(Turn<Shell> turn, const NodeEvent& event) {
    std::visit([&](const auto& e) { On(turn, e); }, event);
  }
  template <class Shell>
  void On(Turn<Shell> turn, const NodeWake& event);
  template <class Shell>
  void On(Turn<Shell> turn, const ControllerWelcomed& event);
  template <class Shell>
  void On(Turn<Shell> turn, const ControllerLost& event) {
    StepMachine(turn, event);
    SeeController(turn, false);
  }
  template <class Shell>
  void SeeController(Turn<Shell> turn, bool connected) {
    connected_ = connected;
    StepSessions(turn, ControllerSeen{connected});
  }
  template <class Shell>
  void On(Turn<Shell> turn, const LocalWorkerNamed& event) {
    StepRegistry(turn, event);
  }
  template <class Shell>
  void On(Turn<Shell> turn, const PoolGiven& event) {
    StepRegistry(turn, event);
  }
  template <class Shell>
  void On(Turn<Shell> turn, const PoolWorkerChecked& event) {
    StepRegistry(turn, event);
  }
  template <class Shell>
  void On(Turn<Shell> turn, const WatchHeard& event);
  template <class Shell>
  void On(Turn<Shell> turn, const WatchEnded& event);
  template <class Shell>
  void On(Turn<Shell> turn, const DirectoryHeard& event);
  DirectoryDecided Decide(const DirectoryHeard& heard) const;
  template <class Shell>
  void On(Turn<Shell> turn, const FleetHeard& event);
  template <class Shell>
  void On(Turn<Shell> turn, const TierHeard& event) {
    std::visit([&](const auto& e) { StepSession(turn, event.tier, e); }, event.event);
  }

  // ---- what the registry wants ----
  template <class Shell>
  void Do(Turn<Shell> turn, const RegistryAction& action);
  template <class Shell>
  void ListAtSession(Turn<Shell> turn, WorkerId worker, TierId tier);
  template <class Shell>
  void UnlistAtSession(Turn<Shell> turn, WorkerId worker);
  SessionPlace& PlaceOf(WorkerId worker) {
    if (!places_.contains(worker)) places_.resize(worker.index() + 1);
    return places_[worker];
  }
  // The worker's watch stream is over, whoever ended it: what was said over it is out of date by the time it
  // is asked for, and what is said over the next one may count from an earlier time.
  template <class Shell>
  void EndWatch(Turn<Shell> turn, WorkerId worker);

  const NodeSettings settings_;
  std::optional<RouterMachine> machine_;  // always one; optional because it cannot be assigned
  WorkerRegistry registry_;
  IdVector<TierId, TierPart> tiers_;
  IdVector<WorkerId, SessionPlace> places_;
  Time sessions_wake_ = InfiniteFuture();  // the earliest of the sessions'
  std::optional<bool> connected_;          // to the controller, as sessions were told
  bool stored_ = false;                    // a directory is on disk
  bool stepping_ = false;
  std::vector<LedgerNews> news_;  // for the machine
  // Reused. None is in use when its part begins a step.
  std::vector<RouterAction> machine_actions_;
  std::vector<SessionAction> session_actions_;
  std::vector<RegistryAction> registry_actions_;
};

// Of leaders in this region, the latest that are known; those that an operator names are of no epoch.
void ReportAppointments(const RouterNode& node, SendReport& report);

// ---- the parts ----

template <class Event, class Shell>
void RouterNode::StepMachine(Turn<Shell> turn, const Event& event) {
  RINGWAY_CHECK(machine_actions_.empty());
  machine_->Step(turn.now, event, machine_actions_);
  turn.shell.MachineStepped(turn.now, event, std::as_const(machine_actions_));
  if (machine_actions_.empty()) return;  // as after most news of workers
  for (RouterAction& action : machine_actions_) {
    if (auto* tell = std::get_if<TellLedger>(&action)) {
      StepSession(turn, tell->tier, MachineHeard{tell->leader, tell->event});
    } else if (auto* aim = std::get_if<AimLedger>(&action)) {
      StepSession(turn, aim->tier, ledger::AwayAimed{std::move(aim->targets)});
    } else {
      if (auto* report = std::get_if<SendReport>(&action)) ReportAppointments(*this, *report);
      turn.shell.Perform(action);
    }
  }
  machine_actions_.clear();
}

template <class Event, class Shell>
void RouterNode::StepSession(Turn<Shell> turn, TierId tier, const Event& event) {
  if (!tiers_.contains(tier) || tiers_[tier].session == nullptr) return;
  TierPart& part = tiers_[tier];
  RINGWAY_CHECK(session_actions_.empty());
  part.session->Step(turn.now, event, session_actions_);
  turn.shell.SessionStepped(tier, event, std::as_const(session_actions_));
  for (SessionAction& action : session_actions_) {
    if (auto* tell = std::get_if<TellMachine>(&action)) {
      news_.push_back(std::move(tell->news));
    } else {
      turn.shell.Perform(tier, action);
    }
  }
  session_actions_.clear();
  SeeWake(part);
  if (part.led != part.session->leads()) SeeLeads(turn, tier);
}

template <class Event, class Shell>
void RouterNode::StepRegistry(Turn<Shell> turn, const Event& event) {
  RINGWAY_CHECK(registry_actions_.empty());
  registry_.Step(turn.now, event, registry_actions_);
  turn.shell.RegistryStepped(event, std::as_const(registry_actions_));
  for (const RegistryAction& action : registry_actions_) Do(turn, action);
  registry_actions_.clear();
}

template <class Shell>
void RouterNode::SeeLeads(Turn<Shell> turn, TierId tier) {
  const bool leads = tiers_[tier].session->leads();
  tiers_[tier].led = leads;
  StepRegistry(turn, LeadershipSeen{tier, leads});
}

// ---- what happens ----

// The fleet, and who is listed, come with the node's own events.
template <class Shell>
void RouterNode::On(Turn<Shell> turn, const RouterEvent& event) {
  if (const auto* welcomed = std::get_if<ControllerWelcomed>(&event)) return On(turn, *welcomed);
  if (const auto* lost = std::get_if<ControllerLost>(&event)) return On(turn, *lost);
  RINGWAY_CHECK(!std::holds_alternative<FleetChanged>(event) &&
                !std::holds_alternative<WorkerListed>(event) && !std::holds_alternative<RouterListed>(event));
  StepMachine(turn, event);
}

template <class Shell>
void RouterNode::On(Turn<Shell> turn, const NodeWake&) {
  if (machine_->NextWake() <= turn.now) StepMachine(turn, TimePassed{});
  if (sessions_wake_ > turn.now) return;
  for (TierId tier(0); tier != tiers_.end_id(); tier = TierId(tier.index() + 1)) {
    if (tiers_[tier].wake <= turn.now) StepSession(turn, tier, LeaderWake{});
  }
}

template <class Shell>
void RouterNode::On(Turn<Shell> turn, const WatchHeard& event) {
  StepRegistry(turn, event.said);
  // Its own word may have ended the watch, and nobody would say when it is out of date.
  if (!event.announce || !registry_.watched(event.said.worker)) return;
  SessionPlace& place = PlaceOf(event.said.worker);
  place.Remember(*event.announce);
  StepSession(turn, place.tier, WorkerAnnounced{*event.announce, std::nullopt});
}

template <class Shell>
void RouterNode::On(Turn<Shell> turn, const WatchEnded& event) {
  EndWatch(turn, event.worker);
  StepRegistry(turn, event);
}

template <class Shell>
void RouterNode::On(Turn<Shell> turn, const ControllerWelcomed& event) {
  const std::uint64_t seen = machine_->epoch_seen_max();
  StepMachine(turn, event);
  if (machine_->epoch_seen_max() < seen) turn.shell.Perform(NodeAction(EpochForgotten{seen, event.epoch}));
  SeeController(turn, true);
}

template <class Shell>
void RouterNode::On(Turn<Shell> turn, const DirectoryHeard& event) {
  const DirectoryDecided decided = Decide(event);
  turn.shell.Perform(NodeAction(decided));
  if (!decided.active) return;
  stored_ = stored_ || decided.store || event.from_disk;
  StepRegistry(turn, event.given);
  for (TierId tier(0); tier != tiers_.end_id(); tier = TierId(tier.index() + 1)) {
    if (tiers_[tier].session == nullptr) continue;
    const auto& here = event.leaders.here;
    const auto leader = std::find_if(here.begin(), here.end(), [&](const auto& l) { return l.tier == tier; });
    if (tiers_[tier].fixed) {
      // As its operator says.
    } else if (leader != here.end()) {
      StepSession(turn, tier, leader->leader);
    } else if (!event.given.partial) {
      StepSession(turn, tier, NoLeaderNamed{});
    }
    LeadersElsewhere others;
    for (const TierLeaderElsewhere& other : event.leaders.elsewhere) {
      if (other.tier == tier) others.leaders.push_back(other.leader);
    }
    if (!others.leaders.empty() || !event.given.partial) StepSession(turn, tier, others);
  }
}

// Sessions first: the machine says at once where a new tier's jobs may go.
template <class Shell>
void RouterNode::On(Turn<Shell> turn, const FleetHeard& event) {
  for (const TierId tier : AddSessions(*event.fleet)) {
    if (connected_) StepSession(turn, tier, ControllerSeen{*connected_});
  }
  for (TierId tier(0); tier != event.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const DispatchSpec& dispatch = event.fleet->tiers[tier].dispatch;
    if (tiers_[tier].session == nullptr || dispatch.mode != DispatchMode::kLedger) continue;
    const std::size_t line_max = LineMaxOf(tier, dispatch);
    if (std::exchange(tiers_[tier].line_max, line_max) == line_max) continue;
    StepSession(turn, tier, ledger::LineBounded{line_max});
  }
  StepMachine(turn, FleetChanged{event.fleet});
  for (const TierResolved& resolved : event.tiers) StepRegistry(turn, resolved);
  if (event.directory) On(turn, *event.directory);
}

// ---- what the registry wants ----

template <class Shell>
void RouterNode::Do(Turn<Shell> turn, const RegistryAction& action) {
  if (const auto* heard = std::get_if<WorkerHeard>(&action)) {
    StepMachine(turn, *heard);
  } else if (const auto* listed = std::get_if<WorkerListed>(&action)) {
    StepMachine(turn, *listed);
    ListAtSession(turn, listed->worker, listed->tier);
  } else if (const auto* unlisted = std::get_if<WorkerUnlisted>(&action)) {
    StepMachine(turn, *unlisted);
    UnlistAtSession(turn, unlisted->worker);
  } else if (const auto* complete = std::get_if<RoutersComplete>(&action)) {
    StepMachine(turn, *complete);
  } else {
    if (const auto* router = std::get_if<RouterListed>(&action)) StepMachine(turn, *router);
    if (const auto* router = std::get_if<RouterUnlisted>(&action)) StepMachine(turn, *router);
    if (const auto* unwatched = std::get_if<UnwatchWorker>(&action)) EndWatch(turn, unwatched->worker);
    turn.shell.Perform(action);
  }
}

template <class Shell>
void RouterNode::ListAtSession(Turn<Shell> turn, WorkerId worker, TierId tier) {
  const Fleet& fleet = machine_->fleet();
  if (fleet.tiers[tier].dispatch.mode != DispatchMode::kLedger) return UnlistAtSession(turn, worker);
  if (listed_at(worker) == tier) return;
  UnlistAtSession(turn, worker);
  SessionPlace& place = PlaceOf(worker);
  place.tier = tier;
  place.listed = true;
  StepSession(turn, tier, ledger::WorkerListed{worker});
  if (!place.announced) return;
  // That a granted job has begun since was not announced.
  if (place.status == ledger::WorkerStatus::kIdle && registry_.busy(worker)) return;
  StepSession(turn, tier, WorkerAnnounced{place.Announced(worker), std::nullopt});
}

template <class Shell>
void RouterNode::EndWatch(Turn<Shell> turn, WorkerId worker) {
  if (!places_.contains(worker)) return;
  SessionPlace& place = places_[worker];
  place.announced = false;
  StepSession(turn, place.tier, WatchBroke{worker});
}

template <class Shell>
void RouterNode::UnlistAtSession(Turn<Shell> turn, WorkerId worker) {
  if (!listed_at(worker).valid()) return;
  places_[worker].listed = false;
  StepSession(turn, places_[worker].tier, ledger::WorkerGone{worker});
}

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTER_NODE_H_
