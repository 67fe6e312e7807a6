// How a controller machine comes by its state: from disk at its start, from itself at a new topology.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/machine.h"
#include "controller/tiers/table_remap.h"
#include "core/leader_epoch.h"

namespace ringway::controller {
namespace {

// In report periods: how long a leader may take to find a controller that was restarted.
constexpr double kLeaderTrustPeriods = 2;

// Puts the worker in the ids of another fleet; false if its tier is gone there.
bool RemapWorker(const Fleet& from, const Fleet& to, WorkerSeen& worker) {
  const std::optional<TierId> tier = to.FindTier(from.tiers[worker.tier].name);
  if (!tier) return false;
  worker.tier = *tier;
  worker.metrics.clear();  // the next report brings them, by the new tier's list
  return true;
}

std::vector<WorkerSeen> RemapWorkers(const std::vector<WorkerSeen>& workers, const Fleet& from,
                                     const Fleet& to) {
  std::vector<WorkerSeen> result;
  for (const WorkerSeen& worker : workers) {
    result.push_back(worker);
    if (!RemapWorker(from, to, result.back())) result.pop_back();
  }
  return result;
}

// The workers of a stored directory by the region, in its ids, and the router that spoke for them; of those
// that were kept it is not the one that was asked to look for them.
std::map<std::pair<RegionId, std::string>, std::vector<WorkerSeen>> WorkersByRouter(
    const Directory& directory, const Fleet& from, const Fleet& to) {
  std::map<std::pair<RegionId, std::string>, std::vector<WorkerSeen>> result;
  const auto add = [&](RegionId region, const WorkerEntry& worker) {
    WorkerSeen seen{.name = worker.name, .tier = worker.tier, .address = worker.address, .metrics = {}};
    seen.draining = worker.draining;
    if (RemapWorker(from, to, seen)) result[{region, worker.router}].push_back(std::move(seen));
  };
  for (RegionId region(0); region != directory.workers.end_id(); region = RegionId(region.index() + 1)) {
    std::set<std::string_view> kept;
    if (directory.kept.contains(region)) {
      for (const WorkerEntry& worker : directory.kept[region]) {
        kept.insert(worker.name);
        add(region, worker);
      }
    }
    for (const WorkerEntry& worker : directory.workers[region]) {
      if (!kept.contains(worker.name)) add(region, worker);
    }
  }
  for (auto& [router, workers] : result) {
    std::sort(workers.begin(), workers.end(),
              [](const WorkerSeen& a, const WorkerSeen& b) { return a.name < b.name; });
  }
  return result;
}

// Who held a ledger of a region or tier that is gone is not needed any more.
LeaderRegistry::Leaders RemapLeaders(const LeaderRegistry::Leaders& leaders, const Fleet& from,
                                     const Fleet& to) {
  LeaderRegistry::Leaders result(to.world.regions.size());
  for (RegionId id(0); id != leaders.end_id(); id = RegionId(id.index() + 1)) {
    const std::optional<RegionId> region = SameRegion(id, from, to);
    if (!region) continue;
    for (LeaderEntry leader : leaders[id]) {
      const std::optional<TierId> tier = to.FindTier(from.tiers[leader.tier].name);
      if (!tier) continue;
      leader.tier = *tier;
      result[*region].push_back(std::move(leader));
    }
  }
  for (auto& leaders : result) {
    std::sort(leaders.begin(), leaders.end(),
              [](const LeaderEntry& a, const LeaderEntry& b) { return a.tier < b.tier; });
  }
  return result;
}

// The value that lasts and the one that lies over it, each as `change` makes it.
template <class To, class From, class Change>
Timed<To> Changed(const Timed<From>& timed, Change change) {
  Timed<To> result{.lasting = change(timed.lasting)};
  if (timed.over) result.over.emplace(change(timed.over->first), timed.over->second);
  return result;
}

void TakeOverPins(const DurableTier& durable, const Fleet& fleet, TierLoop& loop) {
  const std::vector<std::string>& priorities = loop.tier().priorities;
  for (const DurablePin& pin : durable.pins) {
    const auto region = fleet.world.FindRegion(pin.region);
    const auto priority = std::find(priorities.begin(), priorities.end(), pin.priority);
    if (!region || priority == priorities.end()) continue;
    const PinKey key{*region, static_cast<Priority>(priority - priorities.begin())};
    auto order = Changed<std::optional<Row>>(
        pin.order, [&](const std::optional<PinnedShares>& shares) -> std::optional<Row> {
          if (!shares) return std::nullopt;
          auto row = PinnedRow(fleet, loop.tier(), *region, shares->routes, shares->shed_fraction);
          if (!row.ok()) return std::nullopt;  // it leads to what is gone
          return *std::move(row);
        });
    // A timed pin whose row is gone is not a timed order for the plan's row.
    if (order.over && !order.over->first && pin.order.over->first) order.over.reset();
    if (order.lasting || order.over) loop.orders().pins[key] = std::move(order);
  }
}

void TakeOverSettings(const DurableTier& durable, const Fleet& fleet, Time now, TierLoop& loop) {
  TierOrders& orders = loop.orders();
  orders.mode = durable.mode;
  orders.threshold = durable.overload_threshold;
  for (const DurableThreshold& threshold : durable.thresholds) {
    if (const auto region = fleet.world.FindRegion(threshold.region))
      orders.thresholds[*region] = threshold.order;
  }
  for (const DurableDrain& drain : durable.drains) {
    const auto region = fleet.world.FindRegion(drain.region);
    if (!region) continue;
    orders.drains[*region] = drain.order;
    loop.region(*region).drain = drain.ramp;
  }
  TakeOverPins(durable, fleet, loop);
  loop.Obey(now);
  for (const DurableHistory& history : durable.histories) {
    const auto region = fleet.world.FindRegion(history.region);
    if (region && loop.scaler()) loop.scaler()->history(*region).Restore(history.saved);
  }
}

PinnedShares SharesOf(const Row& row, const Fleet& fleet) {
  PinnedShares shares{.routes = {}, .shed_fraction = row.shed_fraction};
  for (const Route& route : row.routes) {
    shares.routes.push_back({fleet.world.regions[route.target].name, route.fraction});
  }
  return shares;
}

DurableTier SettingsOf(const TierLoop& loop, const Fleet& fleet, Time now) {
  const TierOrders& orders = loop.orders();
  DurableTier durable{.tier = loop.tier().name, .mode = orders.mode, .overload_threshold = orders.threshold};
  for (RegionId id(0); id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    const std::string& region = fleet.world.regions[id].name;
    const DrainRamp& ramp = loop.region(id).drain;
    if (ramp != DrainRamp{} || orders.drains[id] != Timed<double>{}) {
      durable.drains.push_back({region, ramp, orders.drains[id]});
    }
    if (orders.thresholds[id] != Timed<std::optional<double>>{}) {
      durable.thresholds.push_back({region, orders.thresholds[id]});
    }
  }
  for (const auto& [key, pin] : orders.pins) {
    durable.pins.push_back({.region = fleet.world.regions[key.first].name,
                            .priority = loop.tier().priorities[key.second],
                            .order = Changed<std::optional<PinnedShares>>(
                                pin, [&](const std::optional<Row>& row) -> std::optional<PinnedShares> {
                                  if (!row) return std::nullopt;
                                  return SharesOf(*row, fleet);
                                })});
  }
  for (RegionId id(0); loop.scaler() && id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    auto saved = loop.scaler()->history(id).Save(scale::DemandHistory::BinOf(now));
    if (!saved.rates.empty()) durable.histories.push_back({fleet.world.regions[id].name, std::move(saved)});
  }
  return durable;
}

}  // namespace

ControllerMachine::ControllerMachine(ControllerSettings settings, std::shared_ptr<const Fleet> fleet,
                                     const DurableState& durable, Time now)
    : settings_(std::move(settings)),
      loaded_fleet_(trial_.trial().Start(absl::StrCat(NextEpoch(durable.epoch, now), ".0"), durable.canary,
                                         std::move(fleet))),
      fleet_(loaded_fleet_),
      view_(*fleet_),
      history_(settings_.history_max),
      horizon_(fleet_->world.regions.size()),
      epoch_(NextEpoch(durable.epoch, now)),
      last_epoch_at_(now),
      next_epoch_at_(now + settings_.epoch_period) {
  BuildTiers(now, durable.tiers);
  TakeOverTable(durable, now);
  TakeOverDirectory(durable, now);
  Settle(now);
}

void ControllerMachine::Settle(Time now) {
  settling_ = true;
  // However rarely routers report, they get the time to do it.
  settle_until_ = now + std::max(settings_.settle_max, settings_.epoch_period + 2 * settings_.report_period);
}

void ControllerMachine::BuildTiers(Time now, const std::vector<DurableTier>& durable) {
  tiers_.clear();
  for (TierId id(0); id != fleet_->tiers.end_id(); id = TierId(id.index() + 1)) {
    TierLoop& loop = tiers_.emplace_back(
        fleet_, id, TierLoop::Periods{.epoch = settings_.epoch_period, .report = settings_.report_period});
    for (const DurableTier& kept : durable) {
      if (kept.tier == loop.tier().name) TakeOverSettings(kept, *fleet_, now, loop);
    }
  }
}

void ControllerMachine::TakeOverTable(const DurableState& durable, Time now) {
  if (durable.table == nullptr || durable.fleet == nullptr) return;
  const RoutingTable table = RemapTable(*durable.table, *durable.fleet, *fleet_);
  for (TierLoop& loop : tiers_) loop.PutInForce(std::make_shared<const TierTable>(table.tiers[loop.id()]));
  const bool same_epoch = durable.table->version.epoch == epoch_;
  Actions nobody_is_connected_yet;
  PublishAs(now, {epoch_, same_epoch ? durable.table->version.version + 1 : 1}, nobody_is_connected_yet);
}

void ControllerMachine::TakeOverDirectory(const DurableState& durable, Time now) {
  const bool knows_all = durable.directory != nullptr && !durable.directory->partial;
  began_blank_ = !knows_all;
  if (durable.directory == nullptr || durable.fleet == nullptr) return;
  auto workers = WorkersByRouter(*durable.directory, *durable.fleet, *fleet_);
  for (const RouterEntry& entry : durable.directory->routers) {
    const std::optional<RegionId> region = SameRegion(entry.region, *durable.fleet, *fleet_);
    if (!region) continue;
    RouterState router;
    router.hello = {
        .router = entry.name, .region = *region, .address = entry.address, .table = {}, .build = ""};
    router.left_at = now;  // listed for the grace period, or until it connects
    if (auto own = workers.extract({entry.region, entry.name})) router.workers = std::move(own.mapped());
    view_.Restore(std::move(router));
  }
  for (auto& [at, left] : workers) {
    const std::optional<RegionId> region = SameRegion(at.first, *durable.fleet, *fleet_);
    if (!region) continue;
    RouterState router;
    router.hello = {.router = at.second, .region = *region, .address = "", .table = {}, .build = ""};
    router.left_at = now;
    router.workers = std::move(left);
    view_.RestoreGone(std::move(router));
  }
  leaders_.TakeOver(RemapLeaders(durable.directory->leaders, *durable.fleet, *fleet_),
                    now + kLeaderTrustPeriods * settings_.report_period);
  directory_.TakeOverView(*durable.directory);
  directory_.Refresh(now, *fleet_, view_, leaders_.leaders(), epoch_, !knows_all);
}

DurableState ControllerMachine::Durable() const {
  DurableState durable{
      .epoch = epoch_, .tiers = {}, .fleet = fleet_, .table = table_, .directory = directory_.directory()};
  durable.canary = trial_.trial().state();
  for (const TierLoop& loop : tiers_) durable.tiers.push_back(SettingsOf(loop, *fleet_, last_epoch_at_));
  return durable;
}

void ControllerMachine::On(Time now, const TopologyLoaded& event, Actions& actions) {
  const DurableState kept = Durable();
  const Fleet& old_fleet = *kept.fleet;
  const FleetView old_view = std::exchange(view_, FleetView(*event.fleet));
  const TierLoops old_tiers = std::exchange(tiers_, {});
  loaded_fleet_ = TakeFile(event.fleet, actions);
  fleet_ = loaded_fleet_;
  measured_rtt_.Renumber([&](RegionId id) { return SameRegion(id, old_fleet, *loaded_fleet_); });
  horizon_ = Horizon(fleet_->world.regions.size());
  cut_off_ = false;
  history_.Remap([&](const RoutingTable& table) { return RemapTable(table, old_fleet, *fleet_); });
  directory_.Reset();
  leaders_.TakeOver(RemapLeaders(leaders_.leaders(), old_fleet, *fleet_),
                    now + kLeaderTrustPeriods * settings_.report_period);
  BuildTiers(now, kept.tiers);
  for (const TierLoop& old : old_tiers) {
    const std::optional<TierId> id = fleet_->FindTier(old.tier().name);
    if (id) tiers_[id->index()].TakeOverEstimates(old);
  }
  for (const auto& [name, router] : old_view.routers()) {
    const std::optional<RegionId> region = SameRegion(router.hello.region, old_fleet, *fleet_);
    if (!region) {
      if (router.stream != 0) {
        actions.push_back(CloseStream{
            router.stream, absl::StrCat("region ", old_fleet.world.regions[router.hello.region].name,
                                        " is not in the new topology")});
      }
      continue;
    }
    RouterState same = router;
    same.hello.region = *region;
    same.workers = RemapWorkers(router.workers, old_fleet, *fleet_);
    same.window.assign(fleet_->tiers.size(), {});
    same.rates.assign(fleet_->tiers.size(), {});
    same.window_s = 0;
    same.reported_at = InfinitePast();         // what it reported spoke of the old topology
    if (same.stream != 0) same.left_at = now;  // but it lives
    view_.Restore(std::move(same));
  }
  for (const auto& [name, router] : old_view.gone()) {
    const std::optional<RegionId> region = SameRegion(router.hello.region, old_fleet, *fleet_);
    if (!region) continue;
    RouterState same = router;
    same.hello.region = *region;
    same.workers = RemapWorkers(router.workers, old_fleet, *fleet_);
    view_.RestoreGone(std::move(same));
  }
  actions.push_back(SendMap{std::nullopt});
  RefreshDirectory(now, AppointLeaders(now, actions), actions);
  if (kept.table != nullptr) {
    const RoutingTable table = RemapTable(*kept.table, old_fleet, *fleet_);
    for (TierLoop& loop : tiers_) loop.PutInForce(std::make_shared<const TierTable>(table.tiers[loop.id()]));
    PublishAs(now, {epoch_, table_->version.version + 1}, actions);
  }
  Settle(now);
  actions.push_back(Note{Note::Level::kInfo,
                         absl::StrCat("topology ", fleet_->world.name, ": ", fleet_->world.regions.size(),
                                      " regions, ", fleet_->tiers.size(), " tiers")});
}

}  // namespace ringway::controller
