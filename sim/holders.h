// The slot ledgers of a simulation: the production session of every router and tier, and the network between.
//
// Who leads is the controller's to say (controller/holder_book.h), what follows from that the session's
// (router/ledger_session.h); nothing is decided here. As the daemon does (router/daemon/ledger_hall.h), this
// carries in virtual time what sessions want said: to the leader over a link, to clients, to workers. A link
// breaks when either end dies, is tried again after 30 to 300 ms, and what was said on an earlier one is
// dropped.
//
// A scenario without a controller has holders by their operators' word, as `--holder` gives them: the first
// router of each region. The holder watches the tier's workers. Idle ones that have been silent for a while
// announce again, many in one letter; busy ones are vouched for by their routers' renewals.
//
// Ids: a seat knows workers as the routers of the region do, and routers by their place in it. Complexity:
// O(1) a message beside the seat's own; a round of announcements is O(workers). One owner.
#ifndef RINGWAY_SIM_HOLDERS_H_
#define RINGWAY_SIM_HOLDERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "router/ledger_session.h"
#include "router/router_action.h"
#include "sim/routers.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "sim/workers.h"

namespace ringway::sim {

// What a directory says to a router of its region about one tier.
struct HolderNamed {
  TierId tier;
  RouterId router;  // invalid: nobody
  Life incarnation = 0;
  Fence fence;
  bool fresh = false;
};

class Holders {
 public:
  Holders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers);

  void Begin();
  void OnSeatHears(std::uint32_t desk, std::uint32_t detail);
  void OnAskerHears(std::uint32_t desk, std::uint32_t detail);
  void OnAnnounced(std::uint32_t desk, std::uint32_t detail);
  void OnSeatWakes(std::uint32_t desk, Life life);
  void OnLinkRetried(std::uint32_t desk, std::uint32_t link);
  void OnAnnounceRound();

  // The directory, newest, at one router.
  void Direct(RouterId router, const std::vector<HolderNamed>& named);
  // The router's process ended, or begins.
  void RouterDied(RouterId router);
  void RouterRevived(RouterId router);
  // This share of the region's links to leaders breaks, in both ends' view.
  void BreakLinks(RegionId region, double share);

  // Hints, as those of Routers: the worker's slot is about to be asked for or given back, the job of the
  // router is about to ask.
  void Foresee(WorkerId worker) const;
  void ForeseeFurther(WorkerId worker) const;
  void Foresee(RouterId router, JobId job) const;
  // A job of the router is about to ask for a slot: what will be granted, and then what that names.
  void ForeseeAsk(RouterId router) const;
  void ForeseeAskFurther(RouterId router) const;
  // The same for what a seat is about to hear, if it is an ask.
  void ForeseeHeard(std::uint32_t desk, std::uint32_t detail) const;
  void ForeseeHeardFurther(std::uint32_t desk, std::uint32_t detail) const;

  RouterId RouterOf(std::uint32_t desk) const { return desks_[desk].router; }
  // For the report and for tests. Null, invalid: nobody holds the seat now.
  const ledger::SlotLedger* ledger(RegionId region, TierId tier) const;
  RouterId holder(RegionId region, TierId tier) const;

 private:
  static constexpr std::uint32_t kNoDesk = ~std::uint32_t{0};
  // Number of a way from a desk to a holder, unique in a run; 0: none.
  using Link = std::uint32_t;

  // One router and one tier in ledger mode.
  struct Desk {
    RouterId router;
    TierId tier;
    std::unique_ptr<router::LedgerSession> session;  // null: the router is dead
    WakeCall wake;
    bool watches = false;  // the tier's workers, because it leads
    RouterId leader;       // that the link goes to
    Link link = 0;
    int tries = 0;                     // of the link, in vain
    std::uint32_t renewals = 0;        // letter of renewals that is being written
    std::int64_t renewals_at_ns = -1;  // when
    // As one that may lead: the links of clients, by the router's place in the region.
    std::vector<Link> standing;
  };

  // From a router to the seat of another.
  struct SeatNote {
    enum class What : std::uint8_t { kStands, kFell, kSays, kRenews };
    What what = What::kSays;
    std::uint32_t from = 0;  // desk
    Link link = 0;
    ledger::LedgerEvent said;
    std::vector<ledger::Renew> renewals;
  };
  static bool IsAsk(const SeatNote& note) {
    return note.what == SeatNote::What::kSays && std::holds_alternative<ledger::Ask>(note.said);
  }
  // The other way.
  struct HolderNote {
    enum class What : std::uint8_t { kSays, kBeat, kBroke };
    What what = What::kSays;
    Link link = 0;
    Fence appointment = {};  // of a beat
    ledger::LedgerAction said = {};
  };

  std::uint32_t DeskOf(RouterId router, TierId tier) const { return desk_of_[router][tier]; }
  std::uint32_t NumberOf(const Desk& desk) const { return static_cast<std::uint32_t>(&desk - desks_.data()); }
  RegionId RegionOf(const Desk& desk) const { return routers_.places()[desk.router]; }
  // By its place in the region.
  RouterId LocalOf(RouterId router) const { return local_[router]; }
  Desk& Neighbour(const Desk& desk, RouterId local);
  std::int64_t HopNs(const Desk& desk) { return stage_.network.HereNs(RegionOf(desk)); }

  void Open(Desk& desk);
  router::LeaderNamed Named(const Desk& desk, const HolderNamed& named) const;
  void Connect(Desk& desk);
  void Disconnect(Desk& desk);
  void LinkBroke(Desk& desk);

  void FromRouter(RouterId router, const router::TellLedger& tell);
  void Renew(Desk& desk, const ledger::Renew& renew);
  void WatchBroke(WorkerId worker);
  void LetAnnounce(const Desk& desk);
  void SendToSeat(const Desk& from, SeatNote::What what, const ledger::LedgerEvent* said = nullptr);
  void SendToAsker(const Desk& to, Link link, HolderNote::What what);
  void ForeseeGrant(std::uint32_t desk) const;
  void ForeseeGrantFurther(std::uint32_t desk) const;
  // The desks whose seats hold the ledgers of the router.
  template <class F>
  void ForHolders(RouterId router, F f) const;
  // The seats that the region's workers of the tier belong to.
  template <class F>
  void ForSeats(WorkerId worker, F f) const;
  template <class Event>
  void Step(Desk& desk, const Event& event) {
    actions_.clear();
    desk.session->Step(stage_.Now(), event, actions_);
    Perform(desk);
  }
  // What the session wants done.
  void Perform(Desk& desk);
  void WatchIfLeading(Desk& desk);
  void Do(Desk& desk, const router::TellRouter& tell);
  void Do(Desk& desk, const router::BeatRouter& beat);
  void Do(Desk& desk, const router::FenceOff& fence);
  void Do(Desk& desk, const router::DialLeader& dial);
  void Do(Desk& desk, const router::HangUpLeader& hang_up);
  void Do(Desk& desk, const router::TellLeader& tell);
  void Do(Desk& desk, const router::TellMachine& tell);
  void ShowGrant(const Desk& desk, const ledger::LedgerAction& said);

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  Workers& workers_;
  Rng retries_;
  std::vector<Desk> desks_;
  IdVector<RouterId, IdVector<TierId, std::uint32_t>> desk_of_;
  IdVector<RegionId, std::vector<RouterId>> routers_of_;
  IdVector<RouterId, RouterId> local_;
  MessagePool<SeatNote> to_seat_;
  MessagePool<HolderNote> to_asker_;
  MessagePool<std::vector<ledger::Announce>> announced_;
  std::vector<router::SessionAction> actions_;
  Link last_link_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_HOLDERS_H_
