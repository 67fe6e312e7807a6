#include "sim/holders.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sim/witness.h"

namespace ringway::sim {
namespace {

// Idle workers that have been silent for this long announce again, looked at every so often: before a ledger
// forgets them after five seconds.
constexpr std::int64_t kAnnounceEveryNs = 2'000'000'000;
constexpr std::int64_t kSilentNs = 2'500'000'000;
// Between two tries of a way to a holder, as router/daemon/ledger_link.cc does it.
constexpr double kRetryFirstNs = 30e6;
constexpr double kRetryMaxNs = 300e6;
constexpr std::uint64_t kRetryStream = 0x6c696e6b;

}  // namespace

Holders::Holders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      retries_(scenario.seed, kRetryStream),
      routers_of_(scenario.fleet->world.regions.size()) {
  const auto& tiers = scenario.fleet->tiers;
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    std::vector<RouterId>& here = routers_of_[routers.places()[RouterId(i)]];
    local_.push_back(RouterId(here.size()));
    here.push_back(RouterId(i));
  }
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    const RouterId router(i);
    desk_of_.push_back(IdVector<TierId, std::uint32_t>(tiers.size(), kNoDesk));
    for (TierId tier(0); tier != tiers.end_id(); tier = TierId(tier.index() + 1)) {
      if (tiers[tier].dispatch.mode != DispatchMode::kLedger) continue;
      desk_of_[router][tier] = static_cast<std::uint32_t>(desks_.size());
      Desk& desk = desks_.emplace_back();
      desk.router = router;
      desk.tier = tier;
      desk.standing.assign(routers_of_[routers.places()[router]].size(), 0);
    }
  }
  if (desks_.empty()) return;
  routers_.on_ledger = [this](RouterId router, const router::TellLedger& tell) { FromRouter(router, tell); };
  routers_.on_announcement = [this](RouterId router, const ledger::Announce& announcement) {
    const TierId tier =
        workers_.places()[workers_.Global(routers_.places()[router], announcement.worker)].tier;
    Desk& desk = desks_[DeskOf(router, tier)];
    if (desk.session) Step(desk, router::WorkerAnnounced{announcement, std::nullopt});
  };
  routers_.on_controller = [this](RouterId router, bool connected) {
    for (const std::uint32_t number : desk_of_[router]) {
      if (number != kNoDesk && desks_[number].session)
        Step(desks_[number], router::ControllerSeen{connected});
    }
  };
  workers_.on_watch_broke = [this](WorkerId worker) { WatchBroke(worker); };
}

void Holders::Begin() {
  for (Desk& desk : desks_) Open(desk);
  routers_.Settle();
  if (!desks_.empty()) stage_.After(kAnnounceEveryNs, Happening::kAnnounceRound);
}

// The desk of a router that has just started.
void Holders::Open(Desk& desk) {
  const RegionId region = RegionOf(desk);
  const Life own_life = routers_.life(desk.router);
  router::SessionSettings settings{
      .tier = desk.tier, .self = LocalOf(desk.router), .incarnation = own_life, .seat = {}};
  if (scenario_.fleet->tiers[desk.tier].dispatch.waiting_max == 0) settings.seat.ledger.waiting_max = 0;
  desk.session = std::make_unique<router::LedgerSession>(settings);
  const auto [begin, end] = workers_.Range(region, desk.tier);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    Step(desk, ledger::WorkerListed{workers_.InRegion(worker)});
  }
  if (scenario_.controller || scenario_.fleet->tiers[desk.tier].regions[region].workers == 0) return;
  // By the operator's word: each life of the holder is an appointment, the others learn it from its beats.
  const RouterId leader = routers_of_[region].front();
  const Fence fence{0, leader == desk.router ? own_life : 0};
  Step(desk, Named(desk, {.tier = desk.tier,
                          .router = leader,
                          .incarnation = routers_.life(leader),
                          .fence = fence,
                          .fresh = false}));
}

// ---- where the directory points ----

void Holders::Direct(RouterId router, const std::vector<HolderNamed>& named) {
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    if (DeskOf(router, tier) == kNoDesk) continue;
    Desk& desk = desks_[DeskOf(router, tier)];
    const auto entry =
        std::find_if(named.begin(), named.end(), [&](const HolderNamed& n) { return n.tier == tier; });
    if (entry != named.end()) {
      Step(desk, Named(desk, *entry));
    } else {
      Step(desk, router::NoLeaderNamed{});
    }
  }
  routers_.Settle();
}

router::LeaderNamed Holders::Named(const Desk& desk, const HolderNamed& named) const {
  return {.router = named.router,
          .self = named.router == desk.router,
          .incarnation = named.incarnation,
          .address = {},
          .fence = named.fence,
          .fresh = named.fresh};
}

// ---- links ----

void Holders::Do(Desk& desk, const router::DialLeader& dial) {
  desk.leader = dial.router;
  desk.tries = 0;
  Connect(desk);
}

void Holders::Do(Desk& desk, const router::HangUpLeader&) { Disconnect(desk); }

void Holders::Connect(Desk& desk) {
  desk.link = ++last_link_;
  SendToSeat(desk, SeatNote::What::kStands);
}

void Holders::Disconnect(Desk& desk) {
  if (desk.link != 0) SendToSeat(desk, SeatNote::What::kFell);
  desk.link = 0;
}

void Holders::LinkBroke(Desk& desk) {
  Step(desk, router::LeaderLost{});
  const double wait_ns =
      std::min(kRetryMaxNs, kRetryFirstNs * static_cast<double>(1 << std::min(desk.tries, 8)));
  ++desk.tries;
  stage_.After(static_cast<std::int64_t>(wait_ns * (0.5 + 0.5 * retries_.Uniform())), Happening::kLinkRetried,
               NumberOf(desk), desk.link);
}

void Holders::OnLinkRetried(std::uint32_t number, std::uint32_t link) {
  Desk& desk = desks_[number];
  if (desk.session && desk.link == link) Connect(desk);
}

void Holders::SendToSeat(const Desk& from, SeatNote::What what, const ledger::LedgerEvent* said) {
  const std::uint32_t at = to_seat_.New();
  SeatNote& note = to_seat_[at];
  note.what = what;
  note.from = NumberOf(from);
  note.link = from.link;
  if (said != nullptr) note.said = *said;
  stage_.After(HopNs(from), Happening::kSeatHears, DeskOf(from.leader, from.tier), at);
}

void Holders::SendToAsker(const Desk& to, Link link, HolderNote::What what) {
  stage_.After(HopNs(to), Happening::kAskerHears, NumberOf(to), to_asker_.Put({.what = what, .link = link}));
}

Holders::Desk& Holders::Neighbour(const Desk& desk, RouterId local) {
  return desks_[DeskOf(routers_of_[RegionOf(desk)][local.index()], desk.tier)];
}

void Holders::OnSeatHears(std::uint32_t number, std::uint32_t detail) {
  SeatNote& note = to_seat_[detail];
  Desk& desk = desks_[number];
  const Desk& from = desks_[note.from];
  const RouterId local = LocalOf(from.router);
  Link& standing = desk.standing[local.index()];
  if (note.what == SeatNote::What::kStands) {
    if (desk.session) {
      standing = note.link;
      Step(desk, router::RouterStands{local});
    } else {
      SendToAsker(from, note.link, HolderNote::What::kBroke);
    }
  } else if (desk.session && standing == note.link) {
    if (note.what == SeatNote::What::kFell) {
      standing = 0;
      Step(desk, router::RouterFell{local});
    } else if (note.what == SeatNote::What::kSays) {
      Step(desk, router::RouterSaid{local, note.said});
    } else {
      for (const ledger::Renew& renew : note.renewals) Step(desk, router::RouterSaid{local, renew});
    }
  }
  note.renewals.clear();
  to_seat_.Free(detail);
  routers_.Settle();
}

void Holders::OnAskerHears(std::uint32_t number, std::uint32_t detail) {
  const HolderNote& note = to_asker_[detail];
  Desk& desk = desks_[number];
  if (desk.session && desk.link == note.link) {
    if (note.what == HolderNote::What::kBroke) {
      LinkBroke(desk);
    } else {
      desk.tries = 0;
      if (note.what == HolderNote::What::kBeat) {
        Step(desk, router::LeaderBeat{note.appointment});
      } else {
        Step(desk, router::LeaderSaid{note.said});
      }
    }
  }
  to_asker_.Free(detail);
  routers_.Settle();
}

// ---- what machines say ----

void Holders::FromRouter(RouterId router, const router::TellLedger& tell) {
  Step(desks_[DeskOf(router, tell.tier)], router::MachineSaid{tell.holder, tell.event});
}

void Holders::Do(Desk& desk, const router::TellLeader& tell) {
  if (const auto* renew = std::get_if<ledger::Renew>(&tell.said)) return Renew(desk, *renew);
  SendToSeat(desk, SeatNote::What::kSays, &tell.said);
}

// All that a router renews in one moment goes in one letter.
void Holders::Renew(Desk& desk, const ledger::Renew& renew) {
  const std::int64_t now_ns = stage_.queue.now_ns();
  if (desk.renewals_at_ns != now_ns) {
    const std::uint32_t at = to_seat_.New();
    const std::int64_t hop_ns = HopNs(desk);
    to_seat_[at].what = SeatNote::What::kRenews;
    to_seat_[at].from = NumberOf(desk);
    to_seat_[at].link = desk.link;
    stage_.After(hop_ns, Happening::kSeatHears, DeskOf(desk.leader, desk.tier), at);
    desk.renewals = at;
    // A letter that arrives at once may have been read when the next renewal is written.
    desk.renewals_at_ns = hop_ns > 0 ? now_ns : -1;
  }
  to_seat_[desk.renewals].renewals.push_back(renew);
}

// ---- workers ----

void Holders::WatchBroke(WorkerId worker) {
  const WorkerId known = workers_.InRegion(worker);
  for (const RouterId watcher : workers_.Watchers(worker)) {
    Step(desks_[DeskOf(watcher, workers_.places()[worker].tier)], router::WatchBroke{known});
  }
  routers_.Settle();
}

void Holders::OnAnnounceRound() {
  for (const Desk& desk : desks_) {
    if (desk.watches) LetAnnounce(desk);
  }
  stage_.After(kAnnounceEveryNs, Happening::kAnnounceRound);
}

void Holders::LetAnnounce(const Desk& desk) {
  std::vector<ledger::Announce> announcements = workers_.Overdue(RegionOf(desk), desk.tier, kSilentNs);
  if (announcements.empty()) return;
  stage_.After(HopNs(desk), Happening::kAnnouncedReach, NumberOf(desk),
               announced_.Put(std::move(announcements)));
}

void Holders::OnAnnounced(std::uint32_t number, std::uint32_t detail) {
  const std::vector<ledger::Announce> announcements = announced_.Take(detail);
  Desk& desk = desks_[number];
  for (const ledger::Announce& announcement : announcements) {
    if (desk.session) Step(desk, router::WorkerAnnounced{announcement, std::nullopt});
  }
  routers_.Settle();
}

// ---- seats ----

void Holders::OnSeatWakes(std::uint32_t number, Life life) {
  Desk& desk = desks_[number];
  if (!desk.session || routers_.life(desk.router) != life) return;
  if (desk.wake.Due(stage_.Now())) Step(desk, router::SeatWake{});
  routers_.Settle();
}

void Holders::Perform(Desk& desk) {
  for (const router::SessionAction& action : actions_) {
    std::visit([&](const auto& a) { Do(desk, a); }, action);
  }
  WatchIfLeading(desk);
  const absl::Time wake = desk.session->NextWake();
  if (desk.wake.Wants(wake)) {
    stage_.At(wake, Happening::kSeatWakes, NumberOf(desk), routers_.life(desk.router));
  }
}

void Holders::WatchIfLeading(Desk& desk) {
  if (desk.watches == desk.session->leads()) return;
  desk.watches = desk.session->leads();
  if (desk.watches) {
    workers_.Watch(RegionOf(desk), desk.tier, desk.router);
  } else {
    workers_.Unwatch(RegionOf(desk), desk.tier, desk.router);
  }
}

void Holders::ShowGrant(const Desk& desk, const ledger::LedgerAction& said) {
  const auto* grant = std::get_if<ledger::Grant>(&said);
  if (grant == nullptr) return;
  const WorkerId worker = workers_.Global(RegionOf(desk), grant->worker);
  for (Witness* witness : stage_.witnesses) witness->OnGranted(stage_.Now(), worker, grant->lease);
}

void Holders::Do(Desk& desk, const router::TellMachine& tell) {
  const auto* answered = std::get_if<router::HolderAnswered>(&tell.news);
  if (answered != nullptr && desk.session->leads()) ShowGrant(desk, answered->answer);
  routers_.TellOwn(desk.router, tell.news);
}

void Holders::Do(Desk& desk, const router::TellRouter& tell) {
  ShowGrant(desk, tell.what);
  const std::uint32_t at = to_asker_.New();
  HolderNote& note = to_asker_[at];
  note.what = HolderNote::What::kSays;
  note.link = desk.standing[tell.router.index()];
  note.said = tell.what;
  stage_.After(HopNs(desk), Happening::kAskerHears, NumberOf(Neighbour(desk, tell.router)), at);
}

void Holders::Do(Desk& desk, const router::BeatRouter& beat) {
  stage_.After(HopNs(desk), Happening::kAskerHears, NumberOf(Neighbour(desk, beat.router)),
               to_asker_.Put({.what = HolderNote::What::kBeat,
                              .link = desk.standing[beat.router.index()],
                              .appointment = beat.appointment}));
}

void Holders::Do(Desk& desk, const router::FenceOff& fence) {
  const WorkerId worker = workers_.Global(RegionOf(desk), fence.worker);
  stage_.After(HopNs(desk), Happening::kFenceReaches, worker.value(),
               stage_.to_fence.Put({fence.by, fence.upto, fence.revoke}));
}

// ---- lives ----

void Holders::RouterDied(RouterId router) {
  for (const std::uint32_t number : desk_of_[router]) {
    if (number == kNoDesk) continue;
    Desk& desk = desks_[number];
    Disconnect(desk);
    workers_.Unwatch(RegionOf(desk), desk.tier, router);
    for (std::size_t i = 0; i < desk.standing.size(); ++i) {
      const Link link = std::exchange(desk.standing[i], 0);
      if (link != 0) SendToAsker(Neighbour(desk, RouterId(i)), link, HolderNote::What::kBroke);
    }
    Desk empty;
    empty.router = router;
    empty.tier = desk.tier;
    empty.standing = std::move(desk.standing);
    desk = std::move(empty);
  }
}

void Holders::RouterRevived(RouterId router) {
  for (const std::uint32_t number : desk_of_[router]) {
    if (number != kNoDesk) Open(desks_[number]);
  }
  routers_.Settle();
}

void Holders::BreakLinks(RegionId region, double share) {
  for (Desk& desk : desks_) {
    if (RegionOf(desk) != region || !desk.session || desk.link == 0 || !retries_.Chance(share)) continue;
    Desk& leader = desks_[DeskOf(desk.leader, desk.tier)];
    Link& standing = leader.standing[LocalOf(desk.router).index()];
    if (leader.session && standing == desk.link) {
      standing = 0;
      Step(leader, router::RouterFell{LocalOf(desk.router)});
    }
    desk.link = ++last_link_;  // nothing more is heard over the one that broke
    LinkBroke(desk);
  }
  routers_.Settle();
}

const ledger::SlotLedger* Holders::ledger(RegionId region, TierId tier) const {
  const RouterId router = holder(region, tier);
  return router.valid() ? &desks_[DeskOf(router, tier)].session->seat().ledger() : nullptr;
}

RouterId Holders::holder(RegionId region, TierId tier) const {
  for (const RouterId router : routers_of_[region]) {
    if (DeskOf(router, tier) == kNoDesk) continue;
    const Desk& desk = desks_[DeskOf(router, tier)];
    if (desk.session && desk.session->leads() && desk.session->seat().holding()) return router;
  }
  return RouterId();
}

}  // namespace ringway::sim
