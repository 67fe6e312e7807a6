// The leader of one tier's slot ledger, in a router: the ledger and the routers connected to it.
//
// Sits between the wire and the ledger (dispatch/ledger/slot_ledger.h). It knows which routers are connected,
// gives each a heartbeat at least every `heartbeat_period` while the ledger is held (and none while it is
// not: silence means "not here"), and turns what routers, workers, directory and controller do into the
// ledger's events. A router whose stream broke loses its places in the line at once, because a grant would
// reach nobody; its leases only when it has been away for `away_max`, because its jobs run on. Every router
// has one for each tier, and nearly all of them are empty.
//
// It also tells the leaders of other regions, which listen over streams of their own, how many workers are
// idle: at once when that has changed, but not more often than they asked for (then with the next event), and
// once in `hint_period_max`; and when they want to know, so that they can measure how far away this is.
//
// Cut off from the controller a leader goes on: workers that announce refuse a deposed leader's leases by
// themselves. Workers that announce nothing cannot, so for them `uncontrolled_max` must be finite: after that
// time without a controller nobody is granted anything until there is one again.
//
// Pure, for the daemon and the simulator. Numbers of routers and workers are the shell's; a router keeps its
// number over reconnects, and while it CountsOn it nobody else may get that. Bounds: the ledger's.
// Complexity: the ledger's, and O(routers connected) a heartbeat. One owner thread.
#ifndef RINGWAY_ROUTER_SESSION_LEDGER_LEADER_H_
#define RINGWAY_ROUTER_SESSION_LEDGER_LEADER_H_

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/ledger/slot_ledger.h"

namespace ringway::router {

struct LeaderSettings {
  ledger::LedgerSettings ledger;
  Duration heartbeat_period = Milliseconds(100);
  Duration hint_period_max = Seconds(1);
  Duration away_max = Seconds(1);
  Duration uncontrolled_max = InfiniteDuration();
};

// ---- events; of the ledger's own: WorkerListed, WorkerGone, Announce ----
// The directory names this life of this router.
struct LeadershipGiven {
  Fence appointment;
  bool fresh = false;  // nobody held it before
};
// It names somebody else, or nobody, under this fence.
struct LeadershipMoved {
  Fence to;
};
struct ControllerSeen {
  bool connected = false;
};
// A router's stream stands; one that stood before is forgotten.
struct ClientConnected {
  RouterId router;
};
struct ClientDisconnected {
  RouterId router;
};
// The leader of another region listens, and wants to hear of changes so often; or does not any more.
struct ListenerConnected {
  RouterId router;
  Duration period;
};
struct ListenerDisconnected {
  RouterId router;
};
// It wants a hint at once.
struct HintWanted {
  RouterId router;
  std::uint64_t number = 0;
};
// An Ask, Withdraw, Renew or Release of a router that stands. Whom it names as its router does not count.
struct RouterSaid {
  RouterId router;
  ledger::LedgerEvent said;
};
// The same for whoever keeps the words.
struct RouterHeard {
  using Kept = RouterSaid;
  RouterId router;
  const ledger::LedgerEvent& said;
};
struct LeaderWake {};
using LeaderEvent =
    std::variant<LeaderWake, LeadershipGiven, LeadershipMoved, ControllerSeen, ClientConnected,
                 ClientDisconnected, ListenerConnected, ListenerDisconnected, HintWanted, RouterSaid,
                 ledger::WorkerListed, ledger::WorkerGone, ledger::Announce, ledger::AwayAimed,
                 ledger::HintHeard, ledger::RegionSilent, ledger::LineBounded>;

// ---- actions ----
// Grant, Refuse, Withdrawn, LeaseLost or Redirect.
struct TellRouter {
  RouterId router;
  ledger::LedgerAction what;
};
struct SendHeartbeat {
  RouterId router;
  Fence appointment;
  bool redirects = false;  // who waits long here is sent where a worker is idle
};
struct SendHint {
  RouterId router;
  ledger::IdleHint hint;
  std::uint64_t answers = 0;  // number of the HintWanted; 0: none
};
// The worker refuses everything at or below `upto`, unless it knows of a higher leader than `by`; with
// `revoke` the job of exactly that lease is stopped.
struct FenceOff {
  WorkerId worker;
  Fence by;
  Lease upto;
  bool revoke = false;
  std::uint64_t connection = 0;  // that the worker is heard over (ledger_session.h); its reply is of this one
};
using LeaderAction = std::variant<TellRouter, SendHeartbeat, SendHint, FenceOff>;

class LedgerLeader {
 public:
  explicit LedgerLeader(const LeaderSettings& settings) : settings_(settings), ledger_(settings.ledger) {}

  // Appends to `actions`.
  void Step(Time now, const LeaderEvent& event, std::vector<LeaderAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(Time now, const Event& event, std::vector<LeaderAction>& actions) {
    const bool held = holding();
    On(now, event, actions);
    if (!Quiet(now, held)) FinishTurn(now, held, actions);
  }
  Time NextWake() const {
    Time wake = ledger_.NextWake();
    if (!away_.empty()) wake = std::min(wake, away_.front().since + settings_.away_max);
    if (!holding() || cut_off_) return wake;
    if (!clients_.empty() || !listeners_.empty()) wake = std::min(wake, beat_at_);
    return uncontrolled_since_ == InfiniteFuture()
               ? wake
               : std::min(wake, uncontrolled_since_ + settings_.uncontrolled_max);
  }

  bool holding() const { return ledger_.holding(); }
  const ledger::SlotLedger& ledger() const { return ledger_; }
  std::size_t clients() const { return clients_.size(); }
  // The router is connected, or its requests and leases have not been ended yet since it left.
  bool CountsOn(RouterId router) const;
  // Holds the ledger but grants nothing, because no controller has been seen for too long.
  bool cut_off() const { return cut_off_; }

 private:
  using Actions = std::vector<LeaderAction>;
  struct Listener {
    RouterId router;
    Duration period;
    ledger::IdleHint last = {};
    Time told_at = InfinitePast();
  };
  struct Away {
    RouterId router;
    Time since;
  };

  // As most turns end: nothing is due, and nobody listens. `held`: before the event.
  bool Quiet(Time now, bool held) const {
    return held && holding() && !cut_off_ && now < beat_at_ && uncontrolled_since_ == InfiniteFuture() &&
           away_.empty() && listeners_.empty();
  }
  // What is due by now.
  void FinishTurn(Time now, bool held, Actions& actions);

  void On(Time now, const LeaderWake& event, Actions& actions);
  void On(Time now, const LeadershipGiven& event, Actions& actions);
  void On(Time now, const LeadershipMoved& event, Actions& actions);
  void On(Time now, const ControllerSeen& event, Actions& actions);
  void On(Time now, const ClientConnected& event, Actions& actions);
  void On(Time now, const ClientDisconnected& event, Actions& actions);
  void On(Time now, const ListenerConnected& event, Actions& actions);
  void On(Time now, const ListenerDisconnected& event, Actions& actions);
  void On(Time now, const HintWanted& event, Actions& actions);
  void On(Time now, const RouterSaid& event, Actions& actions) {
    On(now, RouterHeard{event.router, event.said}, actions);
  }
  void On(Time now, const RouterHeard& event, Actions& actions);
  // The ledger's alone.
  template <class Event>
  void On(Time now, const Event& event, Actions& actions) {
    Tell(now, event, actions);
  }

  template <class Event>
  void Tell(Time now, const Event& event, Actions& actions) {
    ledger_actions_.clear();
    ledger_.Step(now, event, ledger_actions_);
    for (const ledger::LedgerAction& action : ledger_actions_) Perform(action, actions);
  }
  void Perform(const ledger::LedgerAction& action, Actions& actions) const;
  bool Stands(RouterId router) const { return stands_.contains(router) && stands_[router] != 0; }
  void ForgetAway(Time now, Actions& actions);
  void CutOffIfDue(Time now, Actions& actions);
  void Beat(Time now, Actions& actions);
  // To whom it is due by `due`.
  void SendHints(Time now, Time due, Actions& actions);
  ledger::IdleHint NextHint();
  static void Hint(Time now, Listener& listener, const ledger::IdleHint& hint, std::uint64_t answers,
                   Actions& actions);

  LeaderSettings settings_;
  ledger::SlotLedger ledger_;
  std::vector<RouterId> clients_;
  IdVector<RouterId, char> stands_;  // the same, by router
  std::vector<Away> away_;           // longest away first
  std::vector<Listener> listeners_;
  std::uint64_t hints_ = 0;  // sequence of the last one
  ledger::IdleHint told_;    // last, to those to whom it was due
  // When the first may be told of another change, and the first that has not been told of this one.
  Time hints_due_ = InfiniteFuture();
  Time late_due_ = InfiniteFuture();
  Time beat_at_ = InfinitePast();
  Time uncontrolled_since_ = InfiniteFuture();
  bool cut_off_ = false;
  std::vector<ledger::LedgerAction> ledger_actions_;  // reused
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_SESSION_LEDGER_LEADER_H_
