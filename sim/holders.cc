#include "sim/holders.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/witness.h"

namespace ringway::sim {
namespace {

// Under half the silence after which a router takes its jobs back.
constexpr std::int64_t kBeatNs = 200'000'000;
// Beats that a holder must be found dead before another is appointed.
constexpr int kDeadBeats = 4;
// Idle workers that have been silent for this long announce again, looked at every so many beats: before a
// ledger forgets them after five seconds.
constexpr std::uint64_t kAnnounceEvery = 10;
constexpr std::int64_t kSilentNs = 2'500'000'000;

}  // namespace

Holders::Holders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      seat_of_(scenario.fleet->world.regions.size()),
      routers_of_(scenario.fleet->world.regions.size()) {
  const auto& tiers = scenario.fleet->tiers;
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    routers_of_[routers.places()[RouterId(i)]].push_back(RouterId(i));
  }
  for (auto& of_region : seat_of_) of_region.assign(tiers.size(), kNoSeat);
  // Workers are ordered by region, then by tier.
  for (std::size_t i = 0; i < workers.count(); ++i) {
    const WorkerPlace& place = workers.places()[WorkerId(i)];
    if (tiers[place.tier].dispatch.mode != DispatchMode::kLedger) continue;
    std::uint32_t& number = seat_of_[place.region][place.tier];
    if (number == kNoSeat) {
      number = static_cast<std::uint32_t>(seats_.size());
      Seat& seat = seats_.emplace_back();
      seat.region = place.region;
      seat.tier = place.tier;
      seat.first = WorkerId(i);
      seat.told.assign(routers_of_[place.region].size(), 0);
      seat.told_life.assign(routers_of_[place.region].size(), kAnyLife);
    }
    ++seats_[number].workers;
  }
  routers_.on_ledger = [this](RouterId router, const router::TellLedger& tell) { FromRouter(router, tell); };
  if (!seats_.empty()) {
    workers_.on_announce = [this](WorkerId worker, const ledger::Announce& announce) {
      FromWorker(worker, announce);
    };
    workers_.on_listed = [this](WorkerId worker, bool listed) { WorkerListed(worker, listed); };
  }
}

void Holders::Begin() {
  for (Seat& seat : seats_) Appoint(seat);
  if (!seats_.empty()) stage_.After(kBeatNs, Happening::kHoldersBeat);
}

void Holders::Appoint(Seat& seat) {
  for (const RouterId router : routers_of_[seat.region]) {
    if (!routers_.alive(router)) continue;
    const Tier& tier = scenario_.fleet->tiers[seat.tier];
    ledger::LedgerSettings settings;
    settings.workers_max = seat.workers;
    settings.routers_max = routers_.places().size();
    settings.asks_per_router_max = Routers::kJobsMax;
    settings.waiting_max = std::max<std::size_t>(1, tier.dispatch.waiting_max);
    seat.router = router;
    seat.appointment = ++appointments_;
    seat.beats_dead = 0;
    seat.wake.Reset();
    seat.ledger = std::make_unique<ledger::SlotLedger>(settings);
    Step(seat, ledger::Appointed{.appointment = {1, seat.appointment}});
    for (std::size_t i = 0; i < seat.workers; ++i) Step(seat, ledger::WorkerListed{WorkerId(i)});
    TellSeated(seat);
    return;
  }
}

// Whoever has not heard of the appointment, or has forgotten it in a restart, is told.
void Holders::TellSeated(Seat& seat) {
  const std::vector<RouterId>& routers = routers_of_[seat.region];
  for (std::size_t i = 0; i < routers.size(); ++i) {
    const RouterId router = routers[i];
    if (!routers_.alive(router)) continue;
    if (seat.told[i] == seat.appointment && seat.told_life[i] == routers_.life(router)) continue;
    seat.told[i] = seat.appointment;
    seat.told_life[i] = routers_.life(router);
    RouterNote note;
    note.router = router;
    note.life = routers_.life(router);
    note.event = router::HolderSeated{seat.tier, {.router = seat.router, .fence = {1, seat.appointment}}};
    stage_.TellRouter(HopNs(seat), std::move(note));
  }
}

void Holders::Greet(const Seat& seat) {
  for (const RouterId router : routers_of_[seat.region]) {
    if (!routers_.alive(router)) continue;
    RouterNote note;
    note.router = router;
    note.life = routers_.life(router);
    note.event = router::HolderHeard{seat.tier};
    stage_.TellRouter(HopNs(seat), std::move(note));
  }
}

void Holders::OnBeat() {
  const bool announce = ++beats_ % kAnnounceEvery == 0;
  for (Seat& seat : seats_) {
    if (!seat.ledger) {
      if (++seat.beats_dead >= kDeadBeats && can_appoint && can_appoint(seat.region)) Appoint(seat);
      continue;
    }
    TellSeated(seat);
    Greet(seat);
    if (announce) LetAnnounce(seat);
  }
  stage_.After(kBeatNs, Happening::kHoldersBeat);
}

// Idle workers that have been silent for a while, in one letter. Those that run a leased job are vouched for
// by its router.
void Holders::LetAnnounce(const Seat& seat) {
  Batch batch{.seat = &seat - seats_.data(), .appointment = seat.appointment, .announcements = {}};
  for (std::size_t i = 0; i < seat.workers; ++i) {
    const WorkerId worker = Global(seat, WorkerId(i));
    if (const auto announcement = workers_.Overdue(worker, kSilentNs)) {
      batch.announcements.push_back(*announcement);
      batch.announcements.back().worker = WorkerId(i);
    }
  }
  if (batch.announcements.empty()) return;
  const auto number = static_cast<std::uint32_t>(batch.seat);
  stage_.After(HopNs(seat), Happening::kHolderHearsBatch, number, batches_.Put(std::move(batch)));
}

void Holders::OnBatch(std::uint64_t detail) {
  const Batch batch = batches_.Take(detail);
  Seat& seat = seats_[static_cast<std::size_t>(batch.seat)];
  for (const ledger::Announce& announce : batch.announcements) {
    if (seat.ledger && seat.appointment == batch.appointment) Step(seat, announce);
  }
}

void Holders::OnLetter(std::size_t number, std::uint64_t detail) {
  const LedgerNote& note = stage_.to_holder[detail];
  Seat& seat = seats_[number];
  if (seat.ledger && seat.appointment == note.appointment) Step(seat, note.event);
  stage_.to_holder.Free(detail);
}

void Holders::OnWake(std::size_t number, std::uint64_t appointment) {
  Seat& seat = seats_[number];
  if (!seat.ledger || seat.appointment != appointment) return;
  if (seat.wake.Due(stage_.Now())) Step(seat, ledger::Wake{});
}

void Holders::Step(Seat& seat, const ledger::LedgerEvent& event) {
  actions_.clear();
  seat.ledger->Step(stage_.Now(), event, actions_);
  for (const ledger::LedgerAction& action : actions_) {
    if (const auto* grant = std::get_if<ledger::Grant>(&action)) {
      for (Witness* witness : stage_.witnesses) {
        witness->OnGranted(stage_.Now(), Global(seat, grant->worker), grant->lease);
      }
      AnswerRouter(seat, grant->key.router, *grant);
    } else if (const auto* refuse = std::get_if<ledger::Refuse>(&action)) {
      AnswerRouter(seat, refuse->key.router, *refuse);
    } else if (const auto* withdrawn = std::get_if<ledger::Withdrawn>(&action)) {
      AnswerRouter(seat, withdrawn->key.router, *withdrawn);
    } else if (const auto* lost = std::get_if<ledger::LeaseLost>(&action)) {
      AnswerRouter(seat, lost->router, *lost);
    } else if (const auto* fence = std::get_if<ledger::FenceWorker>(&action)) {
      Fence(seat, fence->worker, fence->upto, false);
    } else if (const auto* revoke = std::get_if<ledger::Revoke>(&action)) {
      Fence(seat, revoke->worker, revoke->lease, true);
    }
  }
  ArmWake(seat);
}

void Holders::ArmWake(Seat& seat) {
  const absl::Time wake = seat.ledger->NextWake();
  if (seat.wake.Wants(wake))
    stage_.At(wake, Happening::kHolderWakes, static_cast<std::uint32_t>(&seat - seats_.data()),
              seat.appointment);
}

// Towards the router its ledger ids become its own: workers of its region, and no name for itself.
void Holders::AnswerRouter(const Seat& seat, RouterId router, ledger::LedgerAction answer) {
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.key; }) a.key.router = RouterId(0);
        if constexpr (requires { a.worker; }) a.worker = workers_.InRegion(Global(seat, a.worker));
      },
      answer);
  RouterNote note;
  note.router = router;
  note.life = routers_.life(router);
  note.event = router::HolderAnswered{seat.tier, std::move(answer)};
  stage_.TellRouter(HopNs(seat), std::move(note));
}

void Holders::FromRouter(RouterId router, const router::TellLedger& tell) {
  const RegionId region = routers_.places()[router];
  const std::uint32_t number = SeatOf(region, tell.tier);
  if (number == kNoSeat || !seats_[number].ledger || seats_[number].router != tell.holder) return;
  const Seat& seat = seats_[number];
  ledger::LedgerEvent event = tell.event;
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.key; }) e.key.router = router;
        if constexpr (requires { e.router; }) e.router = router;
        if constexpr (requires { e.worker; }) {
          e.worker = WorkerId(workers_.Global(region, e.worker).index() - seat.first.index());
        }
      },
      event);
  Send(seat, HopNs(seat), std::move(event));
}

void Holders::FromWorker(WorkerId worker, ledger::Announce announce) {
  const Seat* seat = SeatOfWorker(worker);
  if (seat == nullptr) return;
  announce.worker = WorkerId(worker.index() - seat->first.index());
  Send(*seat, HopNs(*seat), announce);
}

// The holder watches its workers: it sees them die and come back.
void Holders::WorkerListed(WorkerId worker, bool listed) {
  const Seat* seat = SeatOfWorker(worker);
  if (seat == nullptr) return;
  const WorkerId local(worker.index() - seat->first.index());
  if (listed) {
    Send(*seat, HopNs(*seat), ledger::WorkerListed{local});
  } else {
    Send(*seat, HopNs(*seat), ledger::WorkerGone{local});
  }
}

const Holders::Seat* Holders::SeatOfWorker(WorkerId worker) const {
  const WorkerPlace& place = workers_.places()[worker];
  const std::uint32_t number = SeatOf(place.region, place.tier);
  return number == kNoSeat || !seats_[number].ledger ? nullptr : &seats_[number];
}

void Holders::Send(const Seat& seat, std::int64_t after_ns, ledger::LedgerEvent event) {
  stage_.After(after_ns, Happening::kHolderHears, static_cast<std::uint32_t>(&seat - seats_.data()),
               stage_.to_holder.Put({seat.appointment, std::move(event)}));
}

void Holders::Fence(const Seat& seat, WorkerId local, const Lease& upto, bool revoke) {
  stage_.After(HopNs(seat), Happening::kFenceReaches, Global(seat, local).value(),
               stage_.to_fence.Put({upto, revoke}));
}

void Holders::RouterDied(RouterId router) {
  for (Seat& seat : seats_) {
    if (seat.region != routers_.places()[router] || !seat.ledger) continue;
    if (seat.router == router) {
      seat.ledger.reset();
      seat.beats_dead = 0;
    } else {
      Send(seat, HopNs(seat), ledger::RouterGone{router});
    }
  }
}

const ledger::SlotLedger* Holders::ledger(RegionId region, TierId tier) const {
  const std::uint32_t number = SeatOf(region, tier);
  return number == kNoSeat ? nullptr : seats_[number].ledger.get();
}

RouterId Holders::holder(RegionId region, TierId tier) const {
  return ledger(region, tier) == nullptr ? RouterId() : seats_[SeatOf(region, tier)].router;
}

}  // namespace ringway::sim
