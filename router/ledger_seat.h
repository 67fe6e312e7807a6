// The seat of a ledger's holder, in a router: the slot ledger of one tier and who stands before it.
//
// Sits between the wire and the ledger (dispatch/ledger/slot_ledger.h). It knows which routers stand here,
// gives each a beat at least every `beat_period` while the ledger is held (and none while it is not: silence
// means "not here"), and turns what routers, workers, directory and controller do into the ledger's events. A
// router whose stream broke loses its places in the line at once, because a grant would reach nobody; its
// leases only when it has been away for `away_max`, because its jobs run on. Every router has a seat for each
// tier, and nearly all of them are empty.
//
// Cut off from the controller a holder goes on: workers that announce refuse a deposed holder's leases by
// themselves. Workers that announce nothing cannot, so for them `uncontrolled_max` must be finite: after that
// time without a controller nobody is granted anything until there is one again.
//
// Pure, for the daemon and the simulator. Numbers of routers and workers are the shell's; a router keeps its
// number over reconnects, and while it CountsOn it nobody else may get that. Bounds: the ledger's.
// Complexity: the ledger's, and O(routers standing) a beat. One owner thread.
#ifndef RINGWAY_ROUTER_LEDGER_SEAT_H_
#define RINGWAY_ROUTER_LEDGER_SEAT_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "core/ids.h"
#include "core/lease.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/ledger/slot_ledger.h"

namespace ringway::router {

struct SeatSettings {
  ledger::LedgerSettings ledger;
  absl::Duration beat_period = absl::Milliseconds(100);
  absl::Duration away_max = absl::Seconds(1);
  absl::Duration uncontrolled_max = absl::InfiniteDuration();
};

// ---- events; of the ledger's own: WorkerListed, WorkerGone, Announce ----
// The directory names this life of this router.
struct SeatGiven {
  Fence appointment;
  bool fresh = false;  // nobody held it before
};
// It names somebody else, or nobody, under this fence.
struct SeatMoved {
  Fence to;
};
struct ControllerSeen {
  bool connected = false;
};
// A router's stream stands; one that stood before is forgotten.
struct RouterStands {
  RouterId router;
};
struct RouterFell {
  RouterId router;
};
// An Ask, Withdraw, Renew or Release of a router that stands. Whom it names as its router does not count.
struct RouterSaid {
  RouterId router;
  ledger::LedgerEvent said;
};
struct SeatWake {};
using SeatEvent = std::variant<SeatWake, SeatGiven, SeatMoved, ControllerSeen, RouterStands, RouterFell,
                               RouterSaid, ledger::WorkerListed, ledger::WorkerGone, ledger::Announce>;

// ---- actions ----
// Grant, Refuse, Withdrawn or LeaseLost.
struct TellRouter {
  RouterId router;
  ledger::LedgerAction what;
};
struct BeatRouter {
  RouterId router;
  Fence appointment;
};
// The worker refuses everything at or below `upto`, unless it knows of a higher holder than `by`; with
// `revoke` the job of exactly that lease is stopped.
struct FenceOff {
  WorkerId worker;
  Fence by;
  Lease upto;
  bool revoke = false;
  std::uint64_t connection = 0;  // that the worker is heard over (ledger_session.h); its reply is of this one
};
using SeatAction = std::variant<TellRouter, BeatRouter, FenceOff>;

class LedgerSeat {
 public:
  explicit LedgerSeat(const SeatSettings& settings) : settings_(settings), ledger_(settings.ledger) {}

  // Appends to `actions`.
  void Step(absl::Time now, const SeatEvent& event, std::vector<SeatAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(absl::Time now, const Event& event, std::vector<SeatAction>& actions) {
    const bool held = holding();
    On(now, event, actions);
    FinishTurn(now, held, actions);
  }
  absl::Time NextWake() const;

  bool holding() const { return ledger_.holding(); }
  const ledger::SlotLedger& ledger() const { return ledger_; }
  std::size_t standing() const { return standing_.size(); }
  // The router stands here, or its asks and leases have not been ended yet since it left.
  bool CountsOn(RouterId router) const;
  // Holds the ledger but grants nothing, because no controller has been seen for too long.
  bool cut_off() const { return cut_off_; }

 private:
  using Actions = std::vector<SeatAction>;
  struct Away {
    RouterId router;
    absl::Time since;
  };

  // What is due by now. `held`: before the event.
  void FinishTurn(absl::Time now, bool held, Actions& actions);

  void On(absl::Time now, const SeatWake& event, Actions& actions);
  void On(absl::Time now, const SeatGiven& event, Actions& actions);
  void On(absl::Time now, const SeatMoved& event, Actions& actions);
  void On(absl::Time now, const ControllerSeen& event, Actions& actions);
  void On(absl::Time now, const RouterStands& event, Actions& actions);
  void On(absl::Time now, const RouterFell& event, Actions& actions);
  void On(absl::Time now, const RouterSaid& event, Actions& actions);
  void On(absl::Time now, const ledger::WorkerListed& event, Actions& actions);
  void On(absl::Time now, const ledger::WorkerGone& event, Actions& actions);
  void On(absl::Time now, const ledger::Announce& event, Actions& actions);

  void Tell(absl::Time now, const ledger::LedgerEvent& event, Actions& actions);
  void Perform(const ledger::LedgerAction& action, Actions& actions) const;
  bool Stands(RouterId router) const { return stands_.contains(router) && stands_[router] != 0; }
  void ForgetAway(absl::Time now, Actions& actions);
  void CutOffIfDue(absl::Time now, Actions& actions);
  void Beat(absl::Time now, Actions& actions);

  SeatSettings settings_;
  ledger::SlotLedger ledger_;
  std::vector<RouterId> standing_;
  IdVector<RouterId, char> stands_;  // the same, by router
  std::vector<Away> away_;           // longest away first
  absl::Time beat_at_ = absl::InfinitePast();
  absl::Time uncontrolled_since_ = absl::InfiniteFuture();
  bool cut_off_ = false;
  std::vector<ledger::LedgerAction> ledger_actions_;  // reused
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_LEDGER_SEAT_H_
