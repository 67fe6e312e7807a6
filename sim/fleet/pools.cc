// Pools of plain HTTP servers: who is in them, as every router was told, and which of them answer.
//
// As the daemon does (router/daemon/pools/http_pool.cc, router/http/health_checks.h), a router asks each
// worker that does not serve it every second, over a connection of its own; two that go unanswered in a row
// take the worker out, one answer brings it back.
#include <utility>
#include <vector>

#include "sim/fleet/registries.h"

namespace ringway::sim {
namespace {

constexpr std::int64_t kCheckNs = 1'000'000'000;
constexpr int kFall = 2;

}  // namespace

void Registries::GivePools(RouterId router) {
  Site& site = sites_[router];
  site.unanswered.assign(site.streams.size(), 0);
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    if (!scenario_.service[tier].plain) continue;
    std::vector<WorkerId> pool;
    const auto [begin, end] = workers_.Range(routers_.places()[router], tier);
    for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
      pool.push_back(workers_.InRegion(worker));
    }
    routers_.Step(router, router::PoolGiven{tier, std::move(pool)});
  }
}

void Registries::OnPoolsChecked() {
  bool any = false;
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    if (!scenario_.service[tier].plain) continue;
    any = true;
    for (std::size_t i = 0; i < sites_.size(); ++i) CheckPool(RouterId(i), tier);
  }
  if (any) stage_.After(kCheckNs, Happening::kPoolsChecked);
}

void Registries::CheckPool(RouterId router, TierId tier) {
  Site& site = sites_[router];
  if (!routers_.alive(router) || routers_.paused_until_ns(router) > stage_.queue.now_ns()) return;
  const auto [begin, end] = workers_.Range(routers_.places()[router], tier);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    // The slot of a dead worker stays as it was.
    const bool busy = workers_.alive(worker) && workers_.slot(worker).busy();
    const bool serves_it = busy && workers_.NoteOf(worker).caller.router == router;
    if (serves_it) continue;
    const WorkerId known = workers_.InRegion(worker);
    int& unanswered = site.unanswered[known];
    const bool answers = workers_.alive(worker) && workers_.stalled_until_ns(worker) <= stage_.queue.now_ns();
    unanswered = answers ? 0 : unanswered + 1;
    const bool well = unanswered == 0 || (Well(router, known) && unanswered < kFall);
    if (well != Well(router, known)) routers_.Step(router, router::PoolWorkerChecked{known, well});
  }
  routers_.Rest(router);
}

}  // namespace ringway::sim
