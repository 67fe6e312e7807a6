#include "router/daemon/ledger_hall.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/address.h"
#include "core/check.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

SeatSettings SettingsOfSeat(std::size_t routers_max) {
  SeatSettings settings;
  settings.ledger.routers_max = routers_max;
  return settings;
}

}  // namespace

LedgerHall::LedgerHall(runtime::EventLoop& loop, StreamCount& client_streams, HallSettings settings,
                       const FleetBook& fleet, AddressBook& book, const runtime::Logger& log, Tell tell)
    : loop_(loop),
      client_streams_(client_streams),
      settings_(std::move(settings)),
      fleet_(fleet),
      book_(book),
      log_(log),
      tell_(std::move(tell)),
      self_(NumberOf(settings_.router)) {
  numbers_.Came(self_);
}

LedgerHall::~LedgerHall() = default;

LedgerHall::Desk& LedgerHall::DeskOf(TierId tier) {
  Desk& desk = desks_[tier];
  if (desk.session != nullptr) return desk;
  const Tier& spec = fleet_.fleet->tiers[tier];
  SeatSettings seat = SettingsOfSeat(kRoutersMax);
  if (spec.dispatch.waiting_max == 0) seat.ledger.waiting_max = 0;
  if (settings_.plain && settings_.plain->tier == spec.name) {
    seat = settings_.plain->seat;
    seat.ledger.routers_max = kRoutersMax;
  }
  desk.session = std::make_unique<SessionDriver>(
      loop_,
      LedgerSession(
          {.tier = tier, .self = self_, .incarnation = settings_.incarnation, .seat = std::move(seat)}),
      SeatWake{},
      [this, tier](SessionAction& action) { std::visit([this, tier](auto& a) { Do(tier, a); }, action); });
  return desk;
}

RouterId LedgerHall::NumberOf(const std::string& router) {
  return numbers_.NumberOf(router, [this](RouterId number) {
    return std::any_of(desks_.begin(), desks_.end(), [number](const auto& desk) {
      return desk.second.session != nullptr && desk.second.session->machine().seat().CountsOn(number);
    });
  });
}

// ---- the directory ----

void LedgerHall::UseDirectory(const v1::Directory& directory) {
  std::map<std::string, std::string> addresses;
  for (const v1::RouterEntry& router : directory.routers()) {
    if (IsCallable(router.address())) addresses[router.name()] = router.address();
  }
  std::set<TierId> named;
  for (const v1::HolderEntry& entry : directory.holders()) {
    const auto tier = fleet_.fleet->FindTier(entry.tier());
    // A map that has it will come; and a directory does not move what is fixed.
    if (!tier || IsFixed(entry.tier()) || !named.insert(*tier).second) continue;
    Name(*tier, entry, addresses[entry.router()]);
  }
  for (auto& [tier, desk] : desks_) {
    if (named.contains(tier) || IsFixed(fleet_.fleet->tiers[tier].name)) continue;
    desk.leader.clear();
    desk.session->Apply(NoLeaderNamed{});
  }
  TellQueued();
}

void LedgerHall::UseFixedHolder() {
  if (!settings_.plain || !IsFixed(settings_.plain->tier)) return;
  const FixedHolder& holder = *settings_.plain->holder;
  const bool own = holder.router == settings_.router;
  v1::HolderEntry entry;
  entry.set_tier(settings_.plain->tier);
  entry.set_router(holder.router);
  // Each life of the holder is an appointment of its own; the others learn it from its beats.
  entry.set_appointment(own ? settings_.incarnation : 0);
  entry.set_incarnation(own ? settings_.incarnation : 0);
  entry.set_fresh(holder.fresh);
  Name(*fleet_.fleet->FindTier(entry.tier()), entry, own ? "own" : holder.address);
}

void LedgerHall::Name(TierId tier, const v1::HolderEntry& entry, const std::string& address) {
  Desk& desk = DeskOf(tier);
  LeaderNamed named{.router = RouterId(),
                    .self = entry.router() == settings_.router,
                    .incarnation = entry.incarnation(),
                    .address = address,
                    .fence = {entry.leader_epoch(), entry.appointment()},
                    .fresh = entry.fresh()};
  const bool callable = !entry.router().empty() && !address.empty();
  if (callable) named.router = book_.RouterNamed(entry.router(), address);
  const LedgerSession& session = desk.session->machine();
  const Fence before = session.seat().ledger().appointment();
  desk.session->Apply(named);
  desk.leader = session.leader().valid() ? book_.router(session.leader()).name : "";
  if (session.leads() && session.seat().ledger().appointment() != before) {
    log_.Info(absl::StrCat("holds the ledger of tier ", entry.tier(), ", appointment ",
                           named.fence.leader_epoch, "/", named.fence.appointment));
  }
}

void LedgerHall::SeeController(bool connected) {
  for (auto& [tier, desk] : desks_) desk.session->Apply(ControllerSeen{connected});
}

bool LedgerHall::Holds(TierId tier) const {
  const auto desk = desks_.find(tier);
  return desk != desks_.end() && desk->second.session->machine().leads();
}

// ---- workers ----

void LedgerHall::ListWorker(WorkerId worker, TierId tier) {
  if (fleet_.fleet->tiers[tier].dispatch.mode != DispatchMode::kLedger) return UnlistWorker(worker);
  if (!workers_.contains(worker)) workers_.resize(worker.index() + 1);
  Listed& entry = workers_[worker];
  if (entry.listed && entry.tier == tier) return;
  UnlistWorker(worker);
  entry = {.tier = tier, .listed = true};
  DeskOf(tier).session->Apply(ledger::WorkerListed{worker});
  const v1::WorkerState& state = book_.worker(worker).state;
  if (state.wire_version() != 0) HearWorker(worker, &state);
}

void LedgerHall::UnlistWorker(WorkerId worker) {
  if (!workers_.contains(worker) || !std::exchange(workers_[worker].listed, false)) return;
  DeskOf(workers_[worker].tier).session->Apply(ledger::WorkerGone{worker});
}

void LedgerHall::HearWorker(WorkerId worker, const v1::WorkerState* state) {
  if (!workers_.contains(worker) || !workers_[worker].tier.valid()) return;
  SessionDriver& session = *DeskOf(workers_[worker].tier).session;
  if (state == nullptr) {
    session.Apply(WatchBroke{worker});
  } else {
    session.Apply(WorkerAnnounced{.announce = AnnouncementOf(worker, *state), .connection = std::nullopt});
  }
}

// ---- what the router's machine says and hears ----

void LedgerHall::Perform(const TellLedger& tell) {
  const auto found = desks_.find(tell.tier);
  if (found != desks_.end()) found->second.session->Apply(MachineSaid{tell.holder, tell.event});
}

void LedgerHall::Do(TierId tier, const TellLeader& action) {
  desks_[tier].link->Send(EncodeUp(runtime::MonotonicNow(), action.said, fleet_.fleet->tiers[tier], *this));
}

void LedgerHall::Do(TierId tier, const DialLeader& action) {
  Desk& desk = desks_[tier];
  desk.link = std::make_unique<LedgerLink>(
      loop_, client_streams_, book_.Dial(action.address),
      LedgerGreeting{settings_.router, fleet_.fleet->tiers[tier].name}, settings_.seed + tier.value(),
      [this, tier](const v1::LedgerDown& message) { Hear(tier, message); },
      [this, tier] {
        desks_[tier].session->Apply(LeaderLost{});
        TellQueued();
      });
}

void LedgerHall::Do(TierId tier, const HangUpLeader&) { desks_[tier].link.reset(); }

void LedgerHall::Hear(TierId tier, const v1::LedgerDown& message) {
  Desk& desk = desks_[tier];
  if (message.has_beat()) {
    desk.session->Apply(LeaderBeat{{message.beat().leader_epoch(), message.beat().appointment()}});
    return TellQueued();
  }
  const auto answer = DecodeDown(message, LedgerSession::kMachine, *this);
  if (answer.ok()) {
    desk.session->Apply(LeaderSaid{*answer});
    return TellQueued();
  }
  if (!absl::IsNotFound(answer.status())) {
    log_.Warning(absl::StrCat("the ledger's holder ", desk.leader, ": ", answer.status().message()));
    desk.link->Break();
    return;
  }
  if (!message.has_grant()) return;
  // A worker that this router has not been told of: given back as busy, and asked for anew.
  v1::LedgerUp back;
  back.mutable_release()->set_worker(message.grant().worker());
  back.mutable_release()->set_lease(message.grant().lease());
  back.mutable_release()->set_outcome(std::string(OutcomeName(Outcome::kBusy)));
  desk.link->Send(std::move(back));
  const ledger::AskKey key{LedgerSession::kMachine, message.grant().slot(), message.grant().generation()};
  desk.session->Apply(LeaderSaid{ledger::Refuse{key, ledger::RefuseReason::kStale}});
  TellQueued();
}

// It must not reach the machine while that is still acting: the loop brings it, unless somebody tells it
// before, who knows that the machine rests.
void LedgerHall::Do(TierId, TellMachine& action) {
  queued_.push_back(std::move(action.news));
  if (queue_posted_) return;
  queue_posted_ = loop_.Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    queue_posted_ = false;
    TellQueued();
  });
}

void LedgerHall::TellQueued() {
  std::vector<LedgerNews> news;
  news.swap(queued_);
  for (const LedgerNews& one : news) std::visit([this](const auto& n) { tell_(n); }, one);
}

WorkerId LedgerHall::FindWorker(std::string_view address) const {
  return book_.FindWorker(std::string(address));
}

std::string_view LedgerHall::AddressOf(WorkerId worker) const { return book_.worker(worker).address; }

std::vector<LedgerStanding> LedgerHall::Standings() const {
  std::vector<LedgerStanding> standings;
  for (const auto& [tier, desk] : desks_) {
    const LedgerSession& session = desk.session->machine();
    standings.push_back({.tier = tier,
                         .holder = desk.leader,
                         .reached = session.heard(),
                         .holding = session.leads() && session.seat().holding(),
                         .routers = session.seat().standing(),
                         .view = session.seat().ledger().View()});
  }
  return standings;
}

void LedgerHall::Close() {
  closed_ = true;
  for (auto& [tier, desk] : desks_) {
    desk.link.reset();
    for (auto& [router, stream] : desk.streams) {
      stream->Close({grpc::StatusCode::UNAVAILABLE, "this router is going down"});
    }
  }
}

}  // namespace ringway::router
