// What holders will touch soon, for the look ahead (look_ahead.cc): the slot that an ask will be granted,
// what lies beside it in the ledger's lists, and everybody who will hear of it; or the job that a free slot
// goes to.
#include "sim/holders.h"
#include "sim/witness.h"

namespace ringway::sim {

// The slot that has been idle longest, and the worker; the job that waits if there is none.
void Holders::ForeseeGrant(std::uint32_t number) const {
  const Desk& desk = desks_[number];
  if (!desk.session) return;
  const WorkerId next = desk.session->seat().ledger().NextIdle();
  if (!next.valid()) return desk.session->seat().ledger().ForeseeNext();
  const WorkerId worker = workers_.Global(RegionOf(desk), next);
  desk.session->seat().ledger().Foresee(next);
  for (const RouterId router : routers_of_[RegionOf(desk)]) routers_.ForeseeKnown(router, next);
  for (const Witness* witness : stage_.witnesses) witness->Foresee(worker, 0);
}

void Holders::ForeseeGrantFurther(std::uint32_t number) const {
  const Desk& desk = desks_[number];
  if (!desk.session) return;
  const WorkerId next = desk.session->seat().ledger().NextIdle();
  if (!next.valid()) return;
  desk.session->seat().ledger().ForeseeFurther(next);
  workers_.Foresee(workers_.Global(RegionOf(desk), next));
  for (const RouterId router : routers_of_[RegionOf(desk)]) routers_.ForeseeKnownFurther(router, next);
}

template <class F>
void Holders::ForHolders(RouterId router, F f) const {
  for (const std::uint32_t number : desk_of_[router]) {
    if (number == kNoDesk || !desks_[number].session) continue;
    const RouterId leader = desks_[number].session->leader();
    if (leader.valid()) f(DeskOf(leader, desks_[number].tier));
  }
}

void Holders::ForeseeAsk(RouterId router) const {
  ForHolders(router, [this](std::uint32_t holder) { ForeseeGrant(holder); });
}

void Holders::ForeseeAskFurther(RouterId router) const {
  ForHolders(router, [this](std::uint32_t holder) { ForeseeGrantFurther(holder); });
}

void Holders::ForeseeHeard(std::uint32_t desk, std::uint32_t detail) const {
  if (IsAsk(to_seat_[detail])) ForeseeGrant(desk);
}

void Holders::ForeseeHeardFurther(std::uint32_t desk, std::uint32_t detail) const {
  if (IsAsk(to_seat_[detail])) ForeseeGrantFurther(desk);
}

template <class F>
void Holders::ForSeats(WorkerId worker, F f) const {
  for (const RouterId watcher : workers_.Watchers(worker)) {
    const Desk& desk = desks_[DeskOf(watcher, workers_.places()[worker].tier)];
    if (desk.session) f(desk);
  }
}

// Whoever is first in line will get the slot.
void Holders::Foresee(WorkerId worker) const {
  ForSeats(worker, [&](const Desk& desk) {
    const ledger::SlotLedger& ledger = desk.session->seat().ledger();
    ledger.Foresee(workers_.InRegion(worker));
    if (const auto next = ledger.NextWaiting()) {
      ledger.Foresee(*next);
      routers_.Foresee(routers_of_[RegionOf(desk)][next->router.index()], JobId(next->slot));
    }
  });
}

void Holders::ForeseeFurther(WorkerId worker) const {
  ForSeats(worker, [&](const Desk& desk) {
    const ledger::SlotLedger& ledger = desk.session->seat().ledger();
    ledger.ForeseeFurther(workers_.InRegion(worker));
    if (const auto next = ledger.NextWaiting()) {
      routers_.ForeseeFurther(routers_of_[RegionOf(desk)][next->router.index()], JobId(next->slot));
    }
  });
}

void Holders::Foresee(RouterId router, JobId job) const {
  const ledger::AskKey key{.router = LocalOf(router), .slot = job.value()};
  ForHolders(router, [&](std::uint32_t holder) {
    if (desks_[holder].session) desks_[holder].session->seat().ledger().Foresee(key);
  });
}

}  // namespace ringway::sim
