#include "controller/directory_book.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace ringway::controller {
namespace {

// The worker entries of all routers, each worker once: as the router says that spoke last.
IdVector<RegionId, std::vector<WorkerEntry>> Workers(const Fleet& fleet, const FleetView& view) {
  struct Candidate {
    const WorkerSeen* worker;
    const RouterState* router;
  };
  IdVector<RegionId, std::vector<Candidate>> candidates(fleet.world.regions.size());
  for (const auto& [name, router] : view.routers()) {
    for (const WorkerSeen& worker : router.workers) {
      candidates[router.hello.region].push_back({&worker, &router});
    }
  }
  IdVector<RegionId, std::vector<WorkerEntry>> result(fleet.world.regions.size());
  for (RegionId region(0); region != result.end_id(); region = RegionId(region.index() + 1)) {
    auto& list = candidates[region];
    std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.worker->name, b.router->reported_at, a.router->hello.router) <
             std::tie(b.worker->name, a.router->reported_at, b.router->hello.router);
    });
    const auto same = [](const Candidate& a, const Candidate& b) { return a.worker->name == b.worker->name; };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    for (const auto& [worker, router] : list) {
      if (!worker->healthy) continue;
      result[region].push_back({.name = worker->name,
                                .address = worker->address,
                                .tier = worker->tier,
                                .router = router->hello.router,
                                .draining = worker->draining});
    }
  }
  return result;
}

}  // namespace

DirectoryBook::Change DirectoryBook::Refresh(const Fleet& fleet, const FleetView& view,
                                             const IdVector<RegionId, std::vector<HolderEntry>>& holders,
                                             std::uint64_t epoch) {
  Directory next;
  for (const auto& [name, router] : view.routers()) {
    next.routers.push_back({name, router.hello.region, router.hello.address});
  }
  next.workers = Workers(fleet, view);
  next.holders = holders;
  next.holders.resize(fleet.world.regions.size());

  Change change;
  change.regions.resize(fleet.world.regions.size(), false);
  const bool renumbered = directory_ == nullptr || version_.epoch != epoch;
  change.routers = renumbered || directory_->routers != next.routers;
  for (RegionId region(0); region != next.workers.end_id(); region = RegionId(region.index() + 1)) {
    change.regions[region] = renumbered || directory_->workers[region] != next.workers[region] ||
                             directory_->holders[region] != next.holders[region];
    change.any = change.any || change.regions[region];
  }
  change.any = change.any || change.routers;
  if (!change.any) return change;
  version_ = {epoch, version_.epoch == epoch ? version_.version + 1 : 1};
  next.version = version_;
  directory_ = std::make_shared<const Directory>(std::move(next));
  return change;
}

}  // namespace ringway::controller
