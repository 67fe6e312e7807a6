#include "controller/wire/state_codec.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

constexpr int kEntriesMax = 1'000'000;

absl::Status BadState(const std::string& place, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat("ControllerState.", place, ": ", problem));
}

std::string Text(std::string_view text) { return std::string(text); }

RegionId RegionOf(Fleet& names, const std::string& name) {
  if (const auto known = names.world.FindRegion(name)) return *known;
  Region region;
  region.name = name;
  return names.world.regions.push_back(std::move(region));
}

TierId TierOf(Fleet& names, const std::string& name) {
  if (const auto known = names.FindTier(name)) return *known;
  Tier tier;
  tier.name = name;
  return names.tiers.push_back(std::move(tier));
}

absl::StatusOr<DurableTier> DecodeTier(const v1::TierSettings& message) {
  const std::string place = absl::StrCat("tiers['", message.tier(), "']");
  const auto mode = ParseTierMode(message.mode());
  if (!mode)
    return BadState(place, absl::StrCat("mode '", message.mode(), "' is not active, observe or frozen"));
  DurableTier tier{.tier = message.tier(), .mode = *mode, .overload_threshold = {}, .drains = {}, .pins = {}};
  if (message.has_overload_threshold()) {
    const double threshold = message.overload_threshold();
    if (!(threshold > 0 && threshold <= 1)) return BadState(place, "overload_threshold is not in (0, 1]");
    tier.overload_threshold = threshold;
  }
  for (const v1::DrainSetting& drain : message.drains()) {
    if (!(drain.from() >= 0 && drain.from() <= 1)) return BadState(place, "a drain's share is not in [0, 1]");
    tier.drains.push_back(
        {drain.region(), {drain.drain(), drain.from(), absl::FromUnixNanos(drain.since_unix_ns())}});
  }
  for (const v1::PinSetting& pin : message.pins()) {
    DurablePin kept{.region = pin.region(),
                    .priority = pin.priority(),
                    .routes = {},
                    .shed_fraction = pin.shed_fraction()};
    for (const v1::PinTarget& target : pin.targets())
      kept.routes.push_back({target.region(), target.fraction()});
    tier.pins.push_back(std::move(kept));
  }
  for (const v1::DemandHistory& history : message.histories()) {
    tier.histories.push_back(
        {history.region(), {history.newest(), {history.rates().begin(), history.rates().end()}}});
  }
  return tier;
}

Directory DecodeDirectory(const v1::Directory& message, Fleet& names) {
  Directory directory;
  directory.version = {message.epoch(), message.version()};
  directory.partial = message.partial();
  directory.view = {message.view_epoch(), message.view_version()};
  for (const v1::PastView& past : message.before()) {
    directory.before.push_back({.number = {past.epoch(), past.version()},
                                .routers = {past.routers().begin(), past.routers().end()},
                                .left = absl::FromUnixNanos(past.left_unix_ns())});
  }
  for (const v1::RouterEntry& entry : message.routers()) {
    directory.routers.push_back({entry.name(), RegionOf(names, entry.region()), entry.address()});
  }
  std::vector<RegionId> regions;
  for (const v1::WorkerEntry& entry : message.workers()) regions.push_back(RegionOf(names, entry.region()));
  directory.workers.resize(names.world.regions.size());
  for (int w = 0; w < message.workers_size(); ++w) {
    const v1::WorkerEntry& entry = message.workers(w);
    directory.workers[regions[static_cast<std::size_t>(w)]].push_back({.name = entry.name(),
                                                                       .address = entry.address(),
                                                                       .tier = TierOf(names, entry.tier()),
                                                                       .router = entry.router(),
                                                                       .draining = entry.draining()});
  }
  for (const v1::LeaderEntry& entry : message.leaders()) {
    const RegionId region = RegionOf(names, entry.region());
    directory.workers.resize(names.world.regions.size());
    directory.leaders.resize(names.world.regions.size());
    directory.leaders[region].push_back({.tier = TierOf(names, entry.tier()),
                                         .router = entry.router(),
                                         .incarnation = entry.incarnation(),
                                         .fence = {entry.leader_epoch(), entry.appointment()},
                                         .fresh = entry.fresh()});
  }
  directory.leaders.resize(names.world.regions.size());
  return directory;
}

}  // namespace

v1::ControllerState EncodeState(const DurableState& state) {
  v1::ControllerState message;
  message.set_state_version(kStateVersion);
  message.set_epoch(state.epoch);
  for (const DurableTier& tier : state.tiers) {
    v1::TierSettings* out = message.add_tiers();
    out->set_tier(tier.tier);
    out->set_mode(Text(TierModeName(tier.mode)));
    if (tier.overload_threshold) out->set_overload_threshold(*tier.overload_threshold);
    for (const DurableDrain& drain : tier.drains) {
      v1::DrainSetting* setting = out->add_drains();
      setting->set_region(drain.region);
      setting->set_drain(drain.ramp.drain);
      setting->set_from(drain.ramp.from);
      setting->set_since_unix_ns(absl::ToUnixNanos(drain.ramp.since));
    }
    for (const DurablePin& pin : tier.pins) {
      v1::PinSetting* setting = out->add_pins();
      setting->set_region(pin.region);
      setting->set_priority(pin.priority);
      setting->set_shed_fraction(pin.shed_fraction);
      for (const PinnedRoute& route : pin.routes) {
        v1::PinTarget* target = setting->add_targets();
        target->set_region(route.target);
        target->set_fraction(route.fraction);
      }
    }
    for (const DurableHistory& history : tier.histories) {
      v1::DemandHistory* saved = out->add_histories();
      saved->set_region(history.region);
      saved->set_newest(history.saved.newest);
      saved->mutable_rates()->Add(history.saved.rates.begin(), history.saved.rates.end());
    }
  }
  if (state.table != nullptr) *message.mutable_table() = EncodeWholeTable(*state.table, *state.fleet);
  if (state.directory != nullptr) {
    *message.mutable_directory() = EncodeDirectory(*state.directory, *state.fleet, std::nullopt);
  }
  return message;
}

absl::StatusOr<DurableState> DecodeState(const v1::ControllerState& message) {
  if (message.state_version() < kStateVersionOldest || message.state_version() > kStateVersion) {
    return BadState("state_version", absl::StrCat(message.state_version(), "; this release reads ",
                                                  kStateVersionOldest, " to ", kStateVersion));
  }
  if (message.directory().workers_size() > kEntriesMax || message.directory().routers_size() > kEntriesMax ||
      message.directory().leaders_size() > kEntriesMax) {
    return BadState("directory", "too many entries");
  }
  DurableState state;
  state.epoch = message.epoch();
  for (const v1::TierSettings& tier : message.tiers()) {
    auto decoded = DecodeTier(tier);
    if (!decoded.ok()) return decoded.status();
    state.tiers.push_back(*std::move(decoded));
  }
  auto names = std::make_shared<Fleet>();
  for (const std::string& region : message.table().regions()) RegionOf(*names, region);
  for (const v1::TierTable& tier : message.table().tiers()) {
    const TierId id = TierOf(*names, tier.tier());
    names->tiers[id].priorities.assign(tier.priorities().begin(), tier.priorities().end());
  }
  if (message.has_directory()) {
    state.directory = std::make_shared<const Directory>(DecodeDirectory(message.directory(), *names));
  }
  if (message.has_table()) {
    auto table = wire::DecodeTable(message.table(), *names);
    if (!table.ok()) return table.status();
    state.table = std::make_shared<const RoutingTable>(*std::move(table));
  }
  state.fleet = std::move(names);
  return state;
}

bool DropAbsurdEpochs(v1::ControllerState& message) {
  bool dropped = message.epoch() >= kEpochMax;
  if (dropped) message.set_epoch(0);
  if (!message.has_directory()) return dropped;
  if (message.directory().view_epoch() >= kEpochMax) {
    message.mutable_directory()->clear_view_version();
    dropped = true;
  }
  for (v1::LeaderEntry& leader : *message.mutable_directory()->mutable_leaders()) {
    if (leader.leader_epoch() < kEpochMax) continue;
    // That somebody held the ledger stays known: the next one is not the first.
    leader.clear_router();
    leader.clear_leader_epoch();
    dropped = true;
  }
  return dropped;
}

v1::Directory EncodeDirectory(const Directory& directory, const Fleet& fleet,
                              std::optional<RegionId> region) {
  v1::Directory message;
  message.set_epoch(directory.version.epoch);
  message.set_version(directory.version.version);
  message.set_partial(directory.partial);
  message.set_view_epoch(directory.view.epoch);
  message.set_view_version(directory.view.version);
  for (const PastView& past : directory.before) {
    v1::PastView* out = message.add_before();
    out->set_epoch(past.number.epoch);
    out->set_version(past.number.version);
    for (const std::string& router : past.routers) out->add_routers(router);
    out->set_left_unix_ns(absl::ToUnixNanos(past.left));
  }
  for (const RouterEntry& router : directory.routers) {
    v1::RouterEntry* out = message.add_routers();
    out->set_name(router.name);
    out->set_region(fleet.world.regions[router.region].name);
    out->set_address(router.address);
  }
  for (RegionId id(0); id != directory.workers.end_id(); id = RegionId(id.index() + 1)) {
    if (region && *region != id) continue;
    for (const WorkerEntry& worker : directory.workers[id]) {
      v1::WorkerEntry* out = message.add_workers();
      out->set_name(worker.name);
      out->set_region(fleet.world.regions[id].name);
      out->set_address(worker.address);
      out->set_tier(fleet.tiers[worker.tier].name);
      out->set_router(worker.router);
      out->set_draining(worker.draining);
    }
  }
  for (RegionId id(0); id != directory.leaders.end_id(); id = RegionId(id.index() + 1)) {
    const bool own = !region || *region == id;
    for (const LeaderEntry& leader : directory.leaders[id]) {
      v1::LeaderEntry* out = own ? message.add_leaders() : message.add_leaders_elsewhere();
      out->set_tier(fleet.tiers[leader.tier].name);
      out->set_region(fleet.world.regions[id].name);
      out->set_router(leader.router);
      out->set_incarnation(leader.incarnation);
      out->set_leader_epoch(leader.fence.leader_epoch);
      out->set_appointment(leader.fence.appointment);
      out->set_fresh(leader.fresh);
    }
  }
  return message;
}

v1::RoutingTable EncodeWholeTable(const RoutingTable& table, const Fleet& fleet) {
  v1::RoutingTable message = wire::EncodeTable(table, fleet);
  for (const TierTable& rows : table.tiers) {
    v1::TierTable* out = message.mutable_tiers(static_cast<int>(rows.tier().index()));
    out->clear_rows();
    for (std::size_t p = 0; p < rows.priorities(); ++p) {
      for (std::size_t r = 0; r < rows.regions(); ++r) {
        const auto priority = static_cast<Priority>(p);
        wire::EncodeRow(rows.at(priority, RegionId(r)), priority, RegionId(r), out->add_rows());
      }
    }
  }
  return message;
}

}  // namespace ringway::controller
