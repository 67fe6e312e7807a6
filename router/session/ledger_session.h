// A router's part in the slot ledger of one tier: a client of its leader, or the leader itself.
//
// The directory, or an operator, names the leader. While that is another router, the session keeps a link to
// it and tells this router's machine that there is a leader as soon as its heartbeat arrives, and that there
// is none as soon as the link breaks: no job waits for a leader that cannot be heard. What comes from a
// leader that was replaced (an appointment below the directory's) is not believed. While the directory names
// this life of this router, the ledger is held here (ledger_leader.h), and the router's own machine is a
// client that needs no link. An appointment of an earlier life is nobody's.
//
// Workers are heard over watch streams and in replies to fences. Which of two announcements is the newer one
// is decided here (announcement_order.h); a worker whose stream broke is granted to nobody until it is heard
// again.
//
// While this router leads, the session listens to the leaders of the regions where jobs may go (kRegionsMax
// of them, the nearest), over a link each: the nearest kNearRegions tell of changes as fast as they may, the
// others a few times a second. Where a leader is called comes from the directory, which regions matter from
// the machine. How long the round trip to each takes is measured by asking for a hint (round_trips.h).
//
// Pure, for the daemon and the simulator, which carry what the actions say and nothing else. Two kinds of
// router numbers meet: the machine's, by which it knows leaders, and the ledger's, by which a leader knows
// its clients; the machine knows itself as kMachine in requests. Complexity: the ledger's. One owner thread.
#ifndef RINGWAY_ROUTER_SESSION_LEDGER_SESSION_H_
#define RINGWAY_ROUTER_SESSION_LEDGER_SESSION_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/time.h"
#include "router/router_event.h"
#include "router/session/announcement_order.h"
#include "router/session/ledger_leader.h"
#include "router/session/round_trips.h"

namespace ringway::router {

struct SessionSettings {
  TierId tier;
  RouterId self;                  // this router's number among the clients of its own ledger
  std::uint64_t incarnation = 0;  // of this life of the router
  LeaderSettings leader;
};

// ---- events; of the leader: LeaderWake, ControllerSeen, ClientConnected, ClientDisconnected, RouterSaid,
// WorkerListed, WorkerGone ----
struct LeaderNamed {
  RouterId router = {};           // in the machine's numbers; invalid: nobody, or nobody that can be called
  bool self = false;              // a life of this router ...
  std::uint64_t incarnation = 0;  // ... namely this one
  std::string address = {};       // a leader that moved is called anew
  Fence fence = {};
  bool fresh = false;  // nobody held the ledger before
};
// The directory, newest, does not speak of the tier.
struct NoLeaderNamed {};
// The link to the leader broke; the shell tries again by itself.
struct LeaderLost {};
struct LeaderHeartbeat {
  Fence appointment;
  bool redirects = false;
};
// Grant, Refuse, Withdrawn, LeaseLost or Redirect.
struct LeaderSaid {
  ledger::LedgerAction said;
};
// Ask, Withdraw, Renew or Release, for the leader that the machine believes in.
struct MachineSaid {
  RouterId leader;
  ledger::LedgerEvent said;
};
// The same for whoever keeps the words.
struct MachineHeard {
  using Kept = MachineSaid;
  RouterId leader;
  const ledger::LedgerEvent& said;
};
struct WorkerAnnounced {
  ledger::Announce announce;                // `sequence`: the worker's own
  std::optional<std::uint64_t> connection;  // of a reply: as in the FenceOff; none: from its watch stream
};
struct WatchBroke {
  WorkerId worker;
};
// Who leads the tier's ledgers in other regions.
struct LeaderElsewhere {
  RegionId region;
  RouterId router;  // in the machine's numbers
  std::string address = {};
  friend bool operator==(const LeaderElsewhere&, const LeaderElsewhere&) = default;
};
struct LeadersElsewhere {
  std::vector<LeaderElsewhere> leaders;  // all of them
};
// Over the link to the region's leader; or that link broke, and the shell tries again by itself.
struct RegionHinted {
  RegionId region;
  ledger::IdleHint hint;
  std::uint64_t answers = 0;  // number of the AskRegion; 0: none
};
struct RegionLinkBroke {
  RegionId region;
};
using SessionEvent =
    std::variant<LeaderWake, LeaderNamed, NoLeaderNamed, LeaderLost, LeaderHeartbeat, LeaderSaid, MachineSaid,
                 WorkerAnnounced, WatchBroke, ControllerSeen, ClientConnected, ClientDisconnected,
                 ListenerConnected, ListenerDisconnected, HintWanted, RouterSaid, LeadersElsewhere,
                 RegionHinted, RegionLinkBroke, ledger::AwayAimed, ledger::WorkerListed, ledger::WorkerGone,
                 ledger::LineBounded>;

// ---- actions; of the leader: TellRouter and SendHeartbeat to clients and SendHint to listeners, over their
// streams, and FenceOff ----
struct DialLeader {
  RouterId router;
  std::string address;
};
struct HangUpLeader {};
struct TellLeader {
  ledger::LedgerEvent said;
};
// A link over which the leader of another region is listened to, at most every `period`.
struct DialRegion {
  RegionId region;
  RouterId router;
  std::string address;
  Duration period;
  friend bool operator==(const DialRegion&, const DialRegion&) = default;
};
struct HangUpRegion {
  RegionId region;
};
// Over the link: a hint at once, to measure the round trip.
struct AskRegion {
  RegionId region;
  std::uint64_t number = 0;
};
using LedgerNews = std::variant<LeaderAnswered, LeaderHeard, LeaderAppointed>;
// To be told in this order, and not while the machine is acting.
struct TellMachine {
  LedgerNews news;
};
using SessionAction = std::variant<TellRouter, SendHeartbeat, SendHint, FenceOff, DialLeader, HangUpLeader,
                                   TellLeader, TellMachine, DialRegion, HangUpRegion, AskRegion>;

class LedgerSession {
 public:
  // As a router's machine names itself in its asks.
  static constexpr RouterId kMachine{0};
  // Other regions that a leader listens to; beyond them the table alone sends jobs. And of these the near
  // ones, where most jobs go, how often they tell of changes, and how often the others do.
  static constexpr std::size_t kRegionsMax = 64;
  static constexpr std::size_t kNearRegions = 8;
  static constexpr Duration kNearPeriod = Milliseconds(100);
  static constexpr Duration kFarPeriod = Milliseconds(250);

  explicit LedgerSession(const SessionSettings& settings)
      : settings_(settings), leadership_(settings.leader) {}

  // Appends to `actions`.
  void Step(Time now, const SessionEvent& event, std::vector<SessionAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(Time now, const Event& event, std::vector<SessionAction>& actions) {
    On(now, event, actions);
  }
  Time NextWake() const { return leadership_.NextWake(); }

  // This router is the leader, as far as the directory goes.
  bool leads() const { return leads_; }
  // The leader of the directory, in the machine's numbers; invalid: none.
  RouterId leader() const { return leader_; }
  // The latest appointment that the controller has told, or, of the ledger held here, that a worker has.
  Fence latest() const { return std::max(fence_, leadership_.ledger().appointment()); }
  // It is heard, by the machine too.
  bool heard() const { return heard_; }
  const LedgerLeader& leadership() const { return leadership_; }
  // What the controller should be told of round trips now; appends.
  void TakeRoundTrips(Time now, std::vector<RoundTrip>& out) { round_trips_.Take(now, out); }

 private:
  using Actions = std::vector<SessionAction>;
  struct Known {
    AnnouncementOrder order;
    bool listed = false;
    bool broke = false;  // its stream, and it has not been heard since
  };

  void On(Time now, const LeaderNamed& event, Actions& actions);
  void On(Time now, const NoLeaderNamed& event, Actions& actions);
  void On(Time now, const LeaderLost& event, Actions& actions);
  void On(Time now, const LeaderHeartbeat& event, Actions& actions);
  void On(Time now, const LeaderSaid& event, Actions& actions);
  void On(Time now, const MachineSaid& event, Actions& actions) {
    On(now, MachineHeard{event.leader, event.said}, actions);
  }
  void On(Time now, const MachineHeard& event, Actions& actions);
  void On(Time now, const WorkerAnnounced& event, Actions& actions);
  void On(Time now, const WatchBroke& event, Actions& actions);
  void On(Time now, const ledger::WorkerListed& event, Actions& actions);
  void On(Time now, const ledger::WorkerGone& event, Actions& actions);
  void On(Time now, const LeadersElsewhere& event, Actions& actions);
  void On(Time now, const ledger::AwayAimed& event, Actions& actions);
  void On(Time now, const RegionHinted& event, Actions& actions);
  void On(Time now, const RegionLinkBroke& event, Actions& actions);
  // The rest is the ledger's alone.
  template <class Event>
  void On(Time now, const Event& event, Actions& actions) {
    StepLeader(now, event, actions);
  }

  void Lead(Time now, const LeaderNamed& named, Actions& actions);
  void Follow(Time now, const LeaderNamed& named, Actions& actions);
  void FollowNobody(Time now, const Fence& fence, Actions& actions);
  // It is not, or not any more, this router that leads.
  void GiveUp(Time now, Actions& actions);
  void HangUp(Actions& actions);
  void HearHeartbeat(const Fence& appointment, bool redirects, Actions& actions);
  void LoseLeader(Actions& actions);

  // Steps the ledger held here; what it wants said to this router's machine needs no way.
  template <class Event>
  void StepLeader(Time now, const Event& event, Actions& actions) {
    leader_actions_.clear();
    leadership_.Step(now, event, leader_actions_);
    for (LeaderAction& action : leader_actions_) {
      std::visit([&](auto& a) { Pass(a, actions); }, action);
    }
  }
  void Pass(TellRouter& tell, Actions& actions);
  void Pass(const SendHeartbeat& heartbeat, Actions& actions);
  void Pass(const SendHint& hint, Actions& actions) { actions.emplace_back(hint); }
  void Pass(FenceOff& fence, Actions& actions);
  // Links to those who are to be listened to, and to nobody else.
  void Listen(Time now, Actions& actions);
  const LeaderElsewhere* LeaderOf(RegionId region) const;
  Known& KnownOf(WorkerId worker) {
    if (!workers_.contains(worker)) MakeRoom(worker);
    return workers_[worker];
  }
  void MakeRoom(WorkerId worker);

  const SessionSettings settings_;
  LedgerLeader leadership_;
  bool leads_ = false;
  RouterId leader_;
  std::string address_;  // of the leader
  Fence fence_;          // of the directory
  bool dialled_ = false;
  bool heard_ = false;
  bool redirects_ = false;  // as the leader last said
  Fence heard_fence_;       // the appointment that was last heard of
  IdVector<WorkerId, Known> workers_;
  std::vector<LeaderElsewhere> elsewhere_;   // as the directory says
  std::vector<ledger::AwayTarget> targets_;  // as the machine says, nearest first, kRegionsMax at most
  std::vector<DialRegion> links_;            // that stand or are being tried; as targets_
  RoundTrips round_trips_;
  std::vector<LeaderAction> leader_actions_;  // reused
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_SESSION_LEDGER_SESSION_H_
