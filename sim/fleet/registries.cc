#include "sim/fleet/registries.h"

#include <algorithm>
#include <utility>

#include "sim/fleet/wire.h"

namespace ringway::sim {
namespace {

// Between two tries of a watch stream, as router/daemon/control/worker_watch.cc does it.
constexpr std::int64_t kReopenFirstNs = 100'000'000;
constexpr std::int64_t kReopenMaxNs = 2'000'000'000;
constexpr std::uint64_t kBreakStream = 0x77617463;

}  // namespace

Registries::Registries(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      retries_(scenario.seed, kBreakStream),
      sites_(routers.places().size()),
      first_(scenario.fleet->world.regions.size()) {
  routers_.on_watched = [this](RouterId router, const RouterMessage& message) { OnNews(router, message); };
  routers_.on_registry = [this](RouterId router, const router::RegistryAction& action) {
    std::visit([&](const auto& a) { Do(router, a); }, action);
  };
  routers_.on_node = [this](RouterId router, const router::NodeAction& action) {
    const auto* decided = std::get_if<router::DirectoryDecided>(&action);
    Site& site = sites_[router];
    if (decided == nullptr || !decided->store) return;
    site.stored = *directed_;
    if (site.writes_lost) return;
    site.disk = *directed_;
    site.disk_by = stage_.releases.routers[router];
  };
  routers_.on_fleet = [this](RouterId router, const std::shared_ptr<const Fleet>& fleet) {
    UseFleet(router, fleet);
  };
  workers_.on_watch_broke = [this](WorkerId worker, const Watcher& watcher) {
    Ended({.router = watcher.router,
           .life = routers_.life(watcher.router),
           .worker = workers_.InRegion(worker),
           .watch = watcher.watch},
          HopNs(watcher.router, worker));
  };
}

void Registries::Begin() {
  for (RegionId region(0); region != first_.end_id(); region = RegionId(region.index() + 1)) {
    auto all = std::make_shared<router::DirectoryGiven>();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < routers_.places().size(); ++i) {
      names.push_back(Routers::NameOf(RouterId(i)));
      all->routers.push_back({RouterId(i), routers_.places()[RouterId(i)], Routers::NameOf(RouterId(i))});
    }
    for (std::size_t i = 0; i < workers_.count(); ++i) {
      const WorkerPlace& place = workers_.places()[WorkerId(i)];
      if (place.region == region && !workers_.plain(WorkerId(i)))
        all->workers.push_back({workers_.InRegion(WorkerId(i)), place.tier});
    }
    all->view = router::once::MakeView(kFirstView, std::move(names));
    first_[region] = std::move(all);
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    sites_[RouterId(i)].disk = {.epoch = kFirstView.epoch, .given = first_[routers_.places()[RouterId(i)]]};
    Open(RouterId(i));
  }
  OnPoolsChecked();
}

// A router that has just started: what it was started with, and what is on its disk.
void Registries::Open(RouterId router) {
  Site& site = sites_[router];
  const auto [begin, end] = workers_.Range(routers_.places()[router]);
  site.streams.assign(end.index() - begin.index(), {});
  GivePools(router);
  for (const router::DirectoryWorker& entry : first_[routers_.places()[router]]->workers) {
    const bool local = scenario_.all_local || workers_.places()[Global(router, entry.worker)].local == router;
    if (local) routers_.Step(router, router::LocalWorkerNamed{entry.worker});
  }
  site.stored = ReadDisk(router);
  if (const auto stored = Stored(router)) routers_.Step(router, *stored);
  routers_.Rest(router);
}

// ---- directories ----

router::DirectoryHeard Registries::Heard(RouterId router, const Listing& listing, bool from_disk) {
  router::DirectoryHeard heard{
      .epoch = listing.epoch, .from_disk = from_disk, .given = *listing.given, .leaders = listing.leaders};
  std::erase_if(heard.given.routers,
                [router](const router::DirectoryRouter& r) { return r.router == router; });
  return heard;
}

std::optional<router::DirectoryHeard> Registries::Stored(RouterId router) const {
  const Listing& stored = sites_[router].stored;
  return stored.given == nullptr ? std::nullopt : std::optional(Heard(router, stored, true));
}

// What a router that has just started finds; nothing that it cannot read.
Listing Registries::ReadDisk(RouterId router) const {
  const Site& site = sites_[router];
  Listing disk = site.disk;
  if (disk.given == nullptr || stage_.wire == nullptr || disk.message == nullptr) return disk;
  const Way way = WayOf(stage_, 0, site.disk_by, stage_.releases.routers[router]);
  if (!stage_.wire->Reread(way, router, disk)) return {};
  return disk;
}

void Registries::LoseWrites(RouterId router, bool lost, bool wiped) {
  sites_[router].writes_lost = lost;
  if (lost && wiped) sites_[router].disk = {};
}

void Registries::Direct(RouterId router, const Listing& listing) {
  directed_ = &listing;
  routers_.Step(router, Heard(router, listing, false));
  directed_ = nullptr;
  routers_.Rest(router);
}

// As the daemon does (RouterAgent::OnFleetMap). All fleets of a run have the same tiers, so one that was
// unknown is so still.
void Registries::UseFleet(RouterId router, const std::shared_ptr<const Fleet>& fleet) {
  router::FleetHeard heard{.fleet = fleet, .tiers = {}, .directory = Stored(router)};
  const router::WorkerRegistry& registry = RegistryOf(router);
  const WorkerId workers_end = sites_[router].streams.end_id();
  for (WorkerId worker(0); worker != workers_end; worker = WorkerId(worker.index() + 1)) {
    const TierId tier = registry.tier(worker);
    if (tier.valid()) heard.tiers.push_back({worker, tier});
  }
  routers_.Step(router, heard);
  routers_.Rest(router);
}

// ---- watch streams ----

std::int64_t Registries::HopNs(RouterId router, WorkerId global) {
  const WorkerPlace& place = workers_.places()[global];
  return place.local == router ? stage_.network.LocalNs() : stage_.network.HereNs(place.region);
}

void Registries::Dial(RouterId router, WorkerId worker, std::uint32_t tries) {
  const WatchNumber watch = ++last_watch_;
  sites_[router].streams[worker] = {.watch = watch};
  const WorkerId global = Global(router, worker);
  stage_.After(HopNs(router, global), Happening::kWatchOpens, global.value(),
               notes_.Put({router, routers_.life(router), worker, watch, tries}));
}

void Registries::Do(RouterId router, const router::UnwatchWorker& action) {
  workers_.RemoveWatcher(Global(router, action.worker), sites_[router].streams[action.worker].watch);
  sites_[router].streams[action.worker].watch = 0;
}

bool Registries::Stands(const WatchNote& note) const {
  const Site& site = sites_[note.router];
  return routers_.alive(note.router) && routers_.life(note.router) == note.life &&
         site.streams[note.worker].watch == note.watch;
}

void Registries::OnWatchOpens(WorkerId worker, std::uint32_t detail) {
  WatchNote note = notes_.Take(detail);
  if (!Stands(note)) return;
  if (workers_.alive(worker)) return workers_.AddWatcher(worker, {note.router, note.watch});
  ++note.tries;
  Ended(note, HopNs(note.router, worker));
}

void Registries::Ended(const WatchNote& note, std::int64_t after_ns) {
  stage_.After(after_ns, Happening::kWatchEnds, note.router.value(), notes_.Put(note));
}

// The connection broke or was refused, which the daemon takes for a worker that is dead until it answers.
void Registries::OnWatchEnds(RouterId router, std::uint32_t detail) {
  const WatchNote note = notes_.Take(detail);
  if (!Stands(note)) return;
  routers_.Step(router, router::WatchEnded{note.worker, /*dead=*/true});
  routers_.Rest(router);
  const std::uint32_t doublings = std::min(note.tries, 5u);
  stage_.After(std::min(kReopenMaxNs, kReopenFirstNs << doublings), Happening::kWatchReopens, router.value(),
               notes_.Put(note));
}

void Registries::OnWatchReopens(RouterId router, std::uint32_t detail) {
  const WatchNote note = notes_.Take(detail);
  if (Stands(note)) Dial(router, note.worker, note.tries);
}

void Registries::OnNews(RouterId router, const RouterMessage& message) {
  Site& site = sites_[router];
  Stream& stream = site.streams[message.worker];
  if (stream.watch != message.watch) return;  // of an earlier stream
  // A stream keeps its order, and what has not left yet gives way to what is newer (worker/watch_stream.h).
  if (stream.told != 0 && static_cast<std::int32_t>(message.told - stream.told) < 0) return;
  stream.told = message.told;
  router::WatchHeard heard{Said(message.worker, message.tier, message.news, message.busy_ns)};
  if (message.has_announcement) heard.announce = message.announcement;
  routers_.Step(router, heard);
}

// ---- reports ----

void Registries::Report(RouterId router, std::vector<router::WorkerReported>& report) {
  const Site& site = sites_[router];
  router::RouterNode& node = routers_.reporter(router);
  const router::WorkerRegistry& registry = node.registry();
  const RegionId region = routers_.places()[router];
  const Time now = stage_.Now();
  const std::int64_t now_ns = stage_.queue.now_ns();
  for (const WorkerId worker : registry.own()) {
    const WorkerId global = workers_.Global(region, worker);
    const Workers::Shown& shown = workers_.shown(global);
    if (!shown.WatchedBy(site.streams[worker].watch) || shown.stalled_until_ns > now_ns) continue;
    // Started with another tier, which its news, on its way, will say.
    const TierId tier = workers_.TierSaid(global);
    if (registry.tier(worker) != tier) continue;
    node.HearRepeat(now, Said(worker, tier, shown.News(), shown.BusyNs(now_ns)));
  }
  node.ReportWorkers(now, report);
}

// ---- lives ----

void Registries::RouterDied(RouterId router) {
  const Site& site = sites_[router];
  for (WorkerId worker(0); worker != site.streams.end_id(); worker = WorkerId(worker.index() + 1)) {
    if (site.streams[worker].watch != 0)
      workers_.RemoveWatcher(Global(router, worker), site.streams[worker].watch);
  }
}

void Registries::RouterRevived(RouterId router) { Open(router); }

void Registries::BreakStreams(RegionId region, double share, std::int64_t late_ns) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const RouterId router(i);
    const Site& site = sites_[router];
    if (!routers_.alive(router) || routers_.places()[router] != region) continue;
    for (WorkerId worker(0); worker != site.streams.end_id(); worker = WorkerId(worker.index() + 1)) {
      const WorkerId global = Global(router, worker);
      if (!workers_.shown(global).WatchedBy(site.streams[worker].watch) || !retries_.Chance(share)) continue;
      if (late_ns > 0) {
        stage_.After(late_ns, Happening::kWatchFalls, global.value(), site.streams[worker].watch);
      } else {
        workers_.RemoveWatcher(global, site.streams[worker].watch);
      }
      Ended({router, routers_.life(router), worker, site.streams[worker].watch}, 0);
    }
  }
}

}  // namespace ringway::sim
