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

// The router's machine does not know its own number; as far as it is concerned it has this one.
const RouterId kMachine(0);

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
  if (desk.seat != nullptr) return desk;
  const Tier& spec = fleet_.fleet->tiers[tier];
  SeatSettings seat = SettingsOfSeat(kRoutersMax);
  if (spec.dispatch.waiting_max == 0) seat.ledger.waiting_max = 0;
  if (settings_.plain && settings_.plain->tier == spec.name) {
    seat = settings_.plain->seat;
    seat.ledger.routers_max = kRoutersMax;
  }
  desk.seat = std::make_unique<SeatDriver>(
      loop_, LedgerSeat(seat), SeatWake{},
      [this, tier](SeatAction& action) { std::visit([this, tier](const auto& a) { Do(tier, a); }, action); });
  return desk;
}

RouterId LedgerHall::NumberOf(const std::string& router) {
  return numbers_.NumberOf(router, [this](RouterId number) {
    return std::any_of(desks_.begin(), desks_.end(), [number](const auto& desk) {
      return desk.second.seat != nullptr && desk.second.seat->machine().CountsOn(number);
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
    Point(*tier, entry, addresses[entry.router()]);
  }
  for (const auto& [tier, desk] : desks_) {
    if (!named.contains(tier) && !IsFixed(fleet_.fleet->tiers[tier].name)) Leave(tier, desk.fence);
  }
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
  Point(*fleet_.fleet->FindTier(entry.tier()), entry, own ? "own" : holder.address);
}

void LedgerHall::Point(TierId tier, const v1::HolderEntry& entry, const std::string& address) {
  Desk& desk = DeskOf(tier);
  const Fence fence{entry.leader_epoch(), entry.appointment()};
  if (fence < desk.fence) return;  // of a leader that was replaced
  const bool own = entry.router() == settings_.router && entry.incarnation() == settings_.incarnation;
  if (own) {
    desk.link.reset();
    desk.id = book_.RouterNamed(settings_.router, address);
    desk.holder = entry.router();
    desk.address = address;
    if (desk.own && desk.fence == fence) return;
    desk.fence = fence;
    log_.Info(absl::StrCat("holds the ledger of tier ", entry.tier(), ", appointment ", fence.leader_epoch,
                           "/", fence.appointment));
    TakeSeat(desk, entry.fresh());
    return;
  }
  // An appointment of this router's earlier life is nobody's.
  if (entry.router().empty() || entry.router() == settings_.router || address.empty()) {
    Leave(tier, fence);
    return;
  }
  desk.fence = fence;
  LeaveSeat(desk);
  if (desk.link != nullptr && desk.holder == entry.router() && desk.address == address) return;
  desk.holder = entry.router();
  desk.address = address;
  desk.id = book_.RouterNamed(desk.holder, address);
  desk.link = std::make_unique<LedgerLink>(
      loop_, client_streams_, book_.Dial(address), LedgerGreeting{settings_.router, entry.tier()},
      settings_.seed + tier.value(), [this, tier](const v1::LedgerDown& message) { Hear(tier, message); },
      [this, tier] { Lost(tier); });
}

void LedgerHall::Leave(TierId tier, const Fence& fence) {
  Desk& desk = desks_[tier];
  desk.fence = fence;
  desk.holder.clear();
  desk.link.reset();
  LeaveSeat(desk);
  Unseat(tier, desk);
}

void LedgerHall::TakeSeat(Desk& desk, bool fresh) {
  desk.seat->Apply(SeatGiven{desk.fence, fresh});
  if (!desk.own) desk.seat->Apply(RouterStands{self_});
  desk.own = true;
}

void LedgerHall::LeaveSeat(Desk& desk) {
  if (std::exchange(desk.own, false)) desk.seat->Apply(RouterFell{self_});
  desk.seat->Apply(SeatMoved{desk.fence});
}

void LedgerHall::SeeController(bool connected) {
  for (auto& [tier, desk] : desks_) desk.seat->Apply(ControllerSeen{connected});
}

bool LedgerHall::Holds(TierId tier) const {
  const auto desk = desks_.find(tier);
  return desk != desks_.end() && desk->second.own;
}

// ---- workers ----

void LedgerHall::ListWorker(WorkerId worker, TierId tier) {
  if (fleet_.fleet->tiers[tier].dispatch.mode != DispatchMode::kLedger) return UnlistWorker(worker);
  if (!workers_.contains(worker)) workers_.resize(worker.index() + 1);
  Listed& entry = workers_[worker];
  if (entry.listed && entry.tier == tier) return;
  UnlistWorker(worker);
  entry.tier = tier;
  entry.listed = entry.reached = true;
  DeskOf(tier).seat->Apply(ledger::WorkerListed{worker});
  const v1::WorkerState& state = book_.worker(worker).state;
  if (state.wire_version() != 0) HearWorker(worker, &state);
}

void LedgerHall::UnlistWorker(WorkerId worker) {
  if (!workers_.contains(worker) || !workers_[worker].listed) return;
  workers_[worker].listed = false;
  DeskOf(workers_[worker].tier).seat->Apply(ledger::WorkerGone{worker});
}

void LedgerHall::HearWorker(WorkerId worker, const v1::WorkerState* state) {
  if (!workers_.contains(worker)) return;
  Listed& entry = workers_[worker];
  if (state != nullptr) return Announced(worker, *state, entry.order.session());
  entry.order.StreamBroke();
  // It is granted to nobody until it is heard again.
  if (entry.listed && std::exchange(entry.reached, false)) {
    DeskOf(entry.tier).seat->Apply(ledger::WorkerGone{worker});
  }
}

void LedgerHall::Announced(WorkerId worker, const v1::WorkerState& state, std::uint64_t session) {
  Listed& entry = workers_[worker];
  if (!entry.listed) return;
  const auto number = entry.order.Number(session, state.sequence());
  if (!number) return;
  SeatDriver& seat = *DeskOf(entry.tier).seat;
  if (!std::exchange(entry.reached, true)) seat.Apply(ledger::WorkerListed{worker});
  seat.Apply(AnnouncementOf(worker, *number, state));
}

// ---- what the router's machine says and hears ----

void LedgerHall::Perform(const TellLedger& tell) {
  const auto found = desks_.find(tell.tier);
  if (found == desks_.end() || found->second.id != tell.holder) return;
  Desk& desk = found->second;
  if (desk.own) {
    desk.seat->Apply(RouterSaid{self_, tell.event});
  } else if (desk.link != nullptr) {
    desk.link->Send(EncodeUp(runtime::MonotonicNow(), tell.event, fleet_.fleet->tiers[tell.tier], *this));
  }
}

void LedgerHall::Hear(TierId tier, const v1::LedgerDown& message) {
  Desk& desk = desks_[tier];
  if (message.has_beat()) {
    HearBeat(tier, {message.beat().leader_epoch(), message.beat().appointment()});
    return;
  }
  const auto answer = DecodeDown(message, kMachine, *this);
  if (answer.ok()) {
    tell_(HolderAnswered{tier, *answer});
    return;
  }
  if (!absl::IsNotFound(answer.status())) {
    log_.Warning(absl::StrCat("the ledger's holder ", desk.holder, ": ", answer.status().message()));
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
  const ledger::AskKey key{kMachine, message.grant().slot(), message.grant().generation()};
  tell_(HolderAnswered{tier, ledger::Refuse{key, ledger::RefuseReason::kStale}});
}

void LedgerHall::HearBeat(TierId tier, const Fence& appointment) {
  Desk& desk = desks_[tier];
  if (appointment < desk.fence) return;  // it does not know that it has been replaced
  if (desk.seated && desk.seated_fence == appointment) {
    tell_(HolderHeard{tier});
    return;
  }
  desk.seated = true;
  desk.seated_fence = appointment;
  tell_(HolderSeated{tier, {.router = desk.id, .fence = appointment}});
}

void LedgerHall::Lost(TierId tier) { Unseat(tier, desks_[tier]); }

void LedgerHall::Unseat(TierId tier, Desk& desk) {
  if (!std::exchange(desk.seated, false)) return;
  tell_(HolderSeated{tier, {.router = RouterId(), .fence = desk.seated_fence}});
}

// An answer must not reach the machine while it is still acting: the loop brings it, and others in between.
void LedgerHall::QueueOwn(OwnAnswer answer) {
  own_.push_back(std::move(answer));
  if (own_posted_) return;
  own_posted_ = loop_.Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) DrainOwn();
  });
}

void LedgerHall::DrainOwn() {
  own_posted_ = false;
  std::vector<OwnAnswer> answers;
  answers.swap(own_);
  for (OwnAnswer& answer : answers) {
    if (!answer.beat) {
      tell_(HolderAnswered{answer.tier, std::move(answer.what)});
    } else if (desks_[answer.tier].own) {
      HearBeat(answer.tier, answer.appointment);
    }
  }
}

WorkerId LedgerHall::FindWorker(std::string_view address) const {
  return book_.FindWorker(std::string(address));
}

std::string_view LedgerHall::AddressOf(WorkerId worker) const { return book_.worker(worker).address; }

std::vector<LedgerStanding> LedgerHall::Standings() const {
  std::vector<LedgerStanding> standings;
  for (const auto& [tier, desk] : desks_) {
    const LedgerSeat& seat = desk.seat->machine();
    standings.push_back({.tier = tier,
                         .holder = desk.holder,
                         .reached = desk.seated,
                         .holding = desk.own && seat.holding(),
                         .routers = seat.standing(),
                         .view = seat.ledger().View()});
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
