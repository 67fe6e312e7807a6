#include "controller/fleet/directory_builder.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/fleet/merge_run.h"

namespace ringway::controller {
namespace {

// FNV-1a.
std::uint64_t HashOn(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

using Present = IdVector<RegionId, std::vector<std::string_view>>;

// The router of the region that shall speak for the worker of a router that is gone; `gone` if there is none.
std::string Adopter(const std::string& worker, const std::vector<std::string_view>& present,
                    const std::string& gone) {
  std::uint64_t best = 0;
  std::string_view adopter = gone;
  for (const std::string_view router : present) {
    const std::uint64_t rank = HashOn(HashOn(0xcbf29ce484222325ULL, worker), router);
    if (adopter != gone && rank <= best) continue;
    best = rank;
    adopter = router;
  }
  return std::string(adopter);
}

struct WorkersFound {
  IdVector<RegionId, std::vector<WorkerEntry>> listed;
  IdVector<RegionId, std::vector<WorkerEntry>> kept;
  bool twice = false;  // two routers named the same worker
};

// The worker entries of all routers, each worker once: as the router beside it says, else the one that has
// adopted it, else one that is gone; of two alike as the one that spoke last.
WorkersFound Workers(const Fleet& fleet, const FleetView& view) {
  struct Candidate {
    const WorkerSeen* worker;
    const RouterState* router;
    int rank() const { return !router->present() ? 2 : worker->adopted ? 1 : 0; }
  };
  const auto by_name_best_first = [](const Candidate& a, const Candidate& b) {
    const int order = a.worker->name.compare(b.worker->name);
    if (order != 0) return order < 0;
    const int rank_a = a.rank(), rank_b = b.rank();
    return std::tie(rank_a, b.router->reported_at, a.router->hello.router) <
           std::tie(rank_b, a.router->reported_at, b.router->hello.router);
  };
  IdVector<RegionId, std::vector<Candidate>> candidates(fleet.world.regions.size());
  Present present(fleet.world.regions.size());
  for (const auto* routers : {&view.routers(), &view.gone()}) {
    for (const auto& [name, router] : *routers) {
      if (router.present()) present[router.hello.region].push_back(name);
      std::vector<Candidate>& list = candidates[router.hello.region];
      const std::size_t run = list.size();
      for (const WorkerSeen& worker : router.workers) list.push_back({&worker, &router});
      MergeRun(list, run, by_name_best_first);
    }
  }
  WorkersFound found;
  found.listed.resize(fleet.world.regions.size());
  found.kept.resize(fleet.world.regions.size());
  for (RegionId region(0); region != candidates.end_id(); region = RegionId(region.index() + 1)) {
    const WorkerSeen* last = nullptr;
    for (const auto& [worker, router] : candidates[region]) {
      const bool again = last != nullptr && last->name == worker->name;
      last = worker;
      found.twice = found.twice || again;
      // One that was unwell when its router went is named to an adopter too, and to nobody else: or none
      // would see it come back.
      if (again || worker->plain) continue;
      const std::string& told_by = router->hello.router;
      WorkerEntry entry{.name = worker->name,
                        .address = worker->address,
                        .tier = worker->tier,
                        .router = told_by,
                        .draining = worker->draining || !worker->healthy};
      if (!worker->healthy || !router->present()) found.kept[region].push_back(entry);
      if (!worker->healthy && router->present()) continue;
      if (!router->present()) entry.router = Adopter(worker->name, present[region], told_by);
      found.listed[region].push_back(std::move(entry));
    }
  }
  return found;
}

// `given` may leave out regions at the end that have none.
bool SameLeaders(const IdVector<RegionId, std::vector<LeaderEntry>>& listed,
                 const IdVector<RegionId, std::vector<LeaderEntry>>& given) {
  for (RegionId region(0); region != listed.end_id(); region = RegionId(region.index() + 1)) {
    const bool same = given.contains(region) ? listed[region] == given[region] : listed[region].empty();
    if (!same) return false;
  }
  return true;
}

}  // namespace

void DirectoryBuilder::TakeOverView(const Directory& directory) {
  if (directory.view.version == 0) return;
  view_ = directory.view;
  before_ = directory.before;
  view_routers_.clear();
  for (const RouterEntry& entry : directory.routers) view_routers_.push_back(entry.name);
}

// A partial directory leaves out routers that have records, so it makes no view.
void DirectoryBuilder::NumberView(Time now, Directory& next) {
  if (next.partial) return;
  std::vector<std::string> names;
  for (const RouterEntry& entry : next.routers) names.push_back(entry.name);
  if (view_.version == 0 || names != view_routers_ || std::exchange(view_overtaken_, false)) {
    if (view_.version != 0) before_.insert(before_.begin(), {view_, std::move(view_routers_), now});
    if (before_.size() > kViewsBeforeMax) before_.pop_back();
    view_ = next.version;
    view_routers_ = std::move(names);
  }
  next.view = view_;
  next.before = before_;
}

DirectoryBuilder::Change DirectoryBuilder::Refresh(
    Time now, const Fleet& fleet, const FleetView& view,
    const IdVector<RegionId, std::vector<LeaderEntry>>& leaders, std::uint64_t epoch, bool partial) {
  const bool renumbered = directory_ == nullptr || version_.epoch != epoch ||
                          directory_->partial != partial || (view_overtaken_ && !partial);
  // A worker that two routers name belongs to the one that spoke last, whatever else stands still.
  const bool same_workers = !renumbered && !named_twice_ && view.listing() == listing_;
  if (same_workers && SameLeaders(directory_->leaders, leaders)) {
    Change none;
    none.regions.resize(fleet.world.regions.size(), false);
    return none;
  }
  listing_ = view.listing();
  Directory next;
  for (const auto& [name, router] : view.routers()) {
    next.routers.push_back({name, router.hello.region, router.hello.address});
  }
  WorkersFound found = Workers(fleet, view);
  named_twice_ = found.twice;
  next.workers = std::move(found.listed);
  next.kept = std::move(found.kept);
  next.leaders = leaders;
  next.leaders.resize(fleet.world.regions.size());
  next.partial = partial;

  Change change;
  change.regions.resize(fleet.world.regions.size(), false);
  change.routers =
      renumbered || directory_->routers != next.routers || !SameLeaders(directory_->leaders, next.leaders);
  for (RegionId region(0); region != next.workers.end_id(); region = RegionId(region.index() + 1)) {
    change.regions[region] = renumbered || directory_->workers[region] != next.workers[region];
    change.any = change.any || change.regions[region];
  }
  change.any = change.any || change.routers || directory_->kept != next.kept;
  if (!change.any) return change;
  version_ = {epoch, version_.epoch == epoch ? version_.version + 1 : 1};
  next.version = version_;
  NumberView(now, next);
  directory_ = std::make_shared<const Directory>(std::move(next));
  return change;
}

}  // namespace ringway::controller
