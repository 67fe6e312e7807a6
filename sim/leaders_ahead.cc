// What leaders will touch soon, for the look ahead (look_ahead.cc): the slot that an acquire will be granted,
// what lies beside it in the ledger's lists, and everybody who will hear of it; or the job that a free slot
// goes to.
#include "sim/leaders.h"
#include "sim/observer.h"

namespace ringway::sim {

// The slot that has been idle longest, and the worker; the job that waits if there is none.
void Leaders::ForeseeGrant(std::uint32_t number) const {
  const Endpoint& endpoint = endpoints_[number];
  if (!endpoint.session) return;
  const WorkerId next = endpoint.session->leadership().ledger().NextIdle();
  if (!next.valid()) return endpoint.session->leadership().ledger().ForeseeNext();
  const WorkerId worker = workers_.Global(RegionOf(endpoint), next);
  endpoint.session->leadership().ledger().Foresee(next);
  for (const RouterId router : routers_of_[RegionOf(endpoint)]) routers_.ForeseeKnown(router, next);
  for (const Observer* observer : stage_.observers) observer->Foresee(worker, 0);
}

void Leaders::ForeseeGrantFurther(std::uint32_t number) const {
  const Endpoint& endpoint = endpoints_[number];
  if (!endpoint.session) return;
  const WorkerId next = endpoint.session->leadership().ledger().NextIdle();
  if (!next.valid()) return;
  endpoint.session->leadership().ledger().ForeseeFurther(next);
  workers_.Foresee(workers_.Global(RegionOf(endpoint), next));
  for (const RouterId router : routers_of_[RegionOf(endpoint)]) routers_.ForeseeKnownFurther(router, next);
}

template <class F>
void Leaders::ForLeaders(RouterId router, F f) const {
  for (const std::uint32_t number : endpoint_of_[router]) {
    if (number == kNoEndpoint || !endpoints_[number].session) continue;
    const RouterId leader = endpoints_[number].session->leader();
    if (leader.valid()) f(EndpointOf(leader, endpoints_[number].tier));
  }
}

void Leaders::ForeseeAsk(RouterId router) const {
  ForLeaders(router, [this](std::uint32_t leader) { ForeseeGrant(leader); });
}

void Leaders::ForeseeAskFurther(RouterId router) const {
  ForLeaders(router, [this](std::uint32_t leader) { ForeseeGrantFurther(leader); });
}

void Leaders::ForeseeHeard(std::uint32_t endpoint, std::uint32_t detail) const {
  if (IsAsk(to_leader_[detail])) ForeseeGrant(endpoint);
}

void Leaders::ForeseeHeardFurther(std::uint32_t endpoint, std::uint32_t detail) const {
  if (IsAsk(to_leader_[detail])) ForeseeGrantFurther(endpoint);
}

template <class F>
void Leaders::ForLeaders(WorkerId worker, F f) const {
  for (const Watcher& watcher : workers_.watchers(worker)) {
    const std::uint32_t number = EndpointOf(watcher.router, workers_.places()[worker].tier);
    if (number != kNoEndpoint && endpoints_[number].leads) f(endpoints_[number]);
  }
}

// Whoever is first in line will get the slot.
void Leaders::Foresee(WorkerId worker) const {
  ForLeaders(worker, [&](const Endpoint& endpoint) {
    const ledger::SlotLedger& ledger = endpoint.session->leadership().ledger();
    ledger.Foresee(workers_.InRegion(worker));
    endpoint.session->Foresee(workers_.InRegion(worker));
    if (const auto next = ledger.NextWaiting()) {
      ledger.Foresee(*next);
      routers_.Foresee(routers_of_[RegionOf(endpoint)][next->router.index()], JobId(next->slot));
    }
  });
}

void Leaders::ForeseeFurther(WorkerId worker) const {
  ForLeaders(worker, [&](const Endpoint& endpoint) {
    const ledger::SlotLedger& ledger = endpoint.session->leadership().ledger();
    ledger.ForeseeFurther(workers_.InRegion(worker));
    if (const auto next = ledger.NextWaiting()) {
      routers_.ForeseeFurther(routers_of_[RegionOf(endpoint)][next->router.index()], JobId(next->slot));
    }
  });
}

void Leaders::Foresee(RouterId router, JobId job) const {
  const ledger::RequestKey key{.router = LocalOf(router), .slot = job.value()};
  ForLeaders(router, [&](std::uint32_t leader) {
    if (endpoints_[leader].session) endpoints_[leader].session->leadership().ledger().Foresee(key);
  });
}

}  // namespace ringway::sim
