#include "controller/wire/state_codec.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/wire/canary_codec.h"
#include "core/leader_epoch.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

constexpr int kEntriesMax = 1'000'000;

using WorkersByRegion = IdVector<RegionId, std::vector<WorkerEntry>>;
using WorkerMessages = google::protobuf::RepeatedPtrField<v1::WorkerEntry>;

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

v1::Term EncodeTerm(const Term& term) {
  v1::Term message;
  message.set_until_unix_ns(ToUnixNanos(term.until));
  message.set_length_ns(ToInt64Nanoseconds(term.length));
  message.set_who(term.who);
  return message;
}

Term DecodeTerm(const v1::Term& message) {
  return {.until = FromUnixNanos(message.until_unix_ns()),
          .length = Nanoseconds(message.length_ns()),
          .who = message.who()};
}

bool IsThreshold(double threshold) { return threshold > 0 && threshold <= 1; }
bool IsShare(double share) { return share >= 0 && share <= 1; }

absl::Status DecodeThresholds(const v1::TierSettings& message, const std::string& place, DurableTier& tier) {
  const auto read = [](bool given, double value, std::optional<double>& out) {
    if (given) out = value;
    return !given || IsThreshold(value);
  };
  bool sane =
      read(message.has_overload_threshold(), message.overload_threshold(), tier.overload_threshold.lasting);
  if (message.has_threshold_term()) {
    tier.overload_threshold.over.emplace(std::nullopt, DecodeTerm(message.threshold_term()));
    sane =
        read(message.has_timed_threshold(), message.timed_threshold(), tier.overload_threshold.over->first) &&
        sane;
  }
  for (const v1::RegionThreshold& one : message.region_thresholds()) {
    DurableThreshold& threshold = tier.thresholds.emplace_back(DurableThreshold{one.region(), {}});
    sane = read(one.has_lasting(), one.lasting(), threshold.order.lasting) && sane;
    if (!one.has_term()) continue;
    threshold.order.over.emplace(std::nullopt, DecodeTerm(one.term()));
    sane = read(one.has_timed(), one.timed(), threshold.order.over->first) && sane;
  }
  return sane ? absl::OkStatus() : BadState(place, "overload_threshold is not in (0, 1]");
}

absl::Status DecodeDrains(const v1::TierSettings& message, const std::string& place, DurableTier& tier) {
  for (const v1::DrainSetting& drain : message.drains()) {
    // Earlier releases knew all and nothing, and no terms.
    const double goal = drain.has_goal() ? drain.goal() : drain.drain() ? 1 : 0;
    const double lasting = drain.has_goal() ? drain.lasting() : goal;
    if (!IsShare(drain.from()) || !IsShare(goal) || !IsShare(lasting)) {
      return BadState(place, "a drain's share is not in [0, 1]");
    }
    DurableDrain& kept = tier.drains.emplace_back(
        DurableDrain{drain.region(), {goal, drain.from(), FromUnixNanos(drain.since_unix_ns())}});
    kept.order.lasting = lasting;
    if (drain.has_term()) kept.order.over.emplace(goal, DecodeTerm(drain.term()));
  }
  return absl::OkStatus();
}

void DecodePins(const v1::TierSettings& message, DurableTier& tier) {
  for (const v1::PinSetting& pin : message.pins()) {
    std::optional<PinnedShares> shares;
    if (!pin.unpinned()) {
      shares.emplace(PinnedShares{.routes = {}, .shed_fraction = pin.shed_fraction()});
      for (const v1::PinTarget& target : pin.targets())
        shares->routes.push_back({target.region(), target.fraction()});
    }
    // A timed one follows the one that lasts and that it lies over.
    const bool same = !tier.pins.empty() && tier.pins.back().region == pin.region() &&
                      tier.pins.back().priority == pin.priority();
    if (!same) tier.pins.push_back({.region = pin.region(), .priority = pin.priority(), .order = {}});
    if (pin.has_term()) {
      tier.pins.back().order.over.emplace(std::move(shares), DecodeTerm(pin.term()));
    } else {
      tier.pins.back().order.lasting = std::move(shares);
    }
  }
}

absl::StatusOr<DurableTier> DecodeTier(const v1::TierSettings& message) {
  const std::string place = absl::StrCat("tiers['", message.tier(), "']");
  const auto bad_mode = [&](const std::string& mode) {
    return BadState(place, absl::StrCat("mode '", mode, "' is not active, observe or frozen"));
  };
  const auto mode = ParseTierMode(message.mode());
  if (!mode) return bad_mode(message.mode());
  DurableTier tier{.tier = message.tier(), .mode = {.lasting = *mode}};
  if (message.has_mode_term()) {
    const auto timed = ParseTierMode(message.timed_mode());
    if (!timed) return bad_mode(message.timed_mode());
    tier.mode.over.emplace(*timed, DecodeTerm(message.mode_term()));
  }
  if (absl::Status s = DecodeThresholds(message, place, tier); !s.ok()) return s;
  if (absl::Status s = DecodeDrains(message, place, tier); !s.ok()) return s;
  DecodePins(message, tier);
  for (const v1::DemandHistory& history : message.histories()) {
    tier.histories.push_back(
        {history.region(), {history.newest(), {history.rates().begin(), history.rates().end()}}});
  }
  return tier;
}

void EncodeThresholds(const DurableTier& tier, v1::TierSettings& out) {
  if (tier.overload_threshold.lasting) out.set_overload_threshold(*tier.overload_threshold.lasting);
  if (const auto& over = tier.overload_threshold.over) {
    if (over->first) out.set_timed_threshold(*over->first);
    *out.mutable_threshold_term() = EncodeTerm(over->second);
  }
  for (const DurableThreshold& threshold : tier.thresholds) {
    v1::RegionThreshold* setting = out.add_region_thresholds();
    setting->set_region(threshold.region);
    if (threshold.order.lasting) setting->set_lasting(*threshold.order.lasting);
    if (const auto& over = threshold.order.over) {
      if (over->first) setting->set_timed(*over->first);
      *setting->mutable_term() = EncodeTerm(over->second);
    }
  }
}

void EncodeDrains(const DurableTier& tier, v1::TierSettings& out) {
  for (const DurableDrain& drain : tier.drains) {
    v1::DrainSetting* setting = out.add_drains();
    setting->set_region(drain.region);
    setting->set_drain(drain.ramp.goal > 0);
    setting->set_goal(drain.ramp.goal);
    setting->set_lasting(drain.order.lasting);
    setting->set_from(drain.ramp.from);
    setting->set_since_unix_ns(ToUnixNanos(drain.ramp.since));
    if (drain.order.over) *setting->mutable_term() = EncodeTerm(drain.order.over->second);
  }
}

void EncodePins(const DurableTier& tier, v1::TierSettings& out) {
  const auto add = [&](const DurablePin& pin, const std::optional<PinnedShares>& shares) {
    v1::PinSetting* setting = out.add_pins();
    setting->set_region(pin.region);
    setting->set_priority(pin.priority);
    setting->set_unpinned(!shares);
    if (!shares) return setting;
    setting->set_shed_fraction(shares->shed_fraction);
    for (const PinnedRoute& route : shares->routes) {
      v1::PinTarget* target = setting->add_targets();
      target->set_region(route.target);
      target->set_fraction(route.fraction);
    }
    return setting;
  };
  for (const DurablePin& pin : tier.pins) {
    if (pin.order.lasting) add(pin, pin.order.lasting);
    if (const auto& over = pin.order.over) *add(pin, over->first)->mutable_term() = EncodeTerm(over->second);
  }
}

WorkersByRegion DecodeWorkers(const WorkerMessages& messages, Fleet& names) {
  std::vector<RegionId> regions;
  for (const v1::WorkerEntry& entry : messages) regions.push_back(RegionOf(names, entry.region()));
  WorkersByRegion workers(names.world.regions.size());
  for (int w = 0; w < messages.size(); ++w) {
    const v1::WorkerEntry& entry = messages.Get(w);
    workers[regions[static_cast<std::size_t>(w)]].push_back({.name = entry.name(),
                                                             .address = entry.address(),
                                                             .tier = TierOf(names, entry.tier()),
                                                             .router = entry.router(),
                                                             .draining = entry.draining()});
  }
  return workers;
}

void EncodeWorkers(const WorkersByRegion& workers, RegionId region, const Fleet& fleet,
                   WorkerMessages& messages) {
  for (const WorkerEntry& worker : workers[region]) {
    v1::WorkerEntry* out = messages.Add();
    out->set_name(worker.name);
    out->set_region(fleet.world.regions[region].name);
    out->set_address(worker.address);
    out->set_tier(fleet.tiers[worker.tier].name);
    out->set_router(worker.router);
    out->set_draining(worker.draining);
  }
}

Directory DecodeDirectory(const v1::Directory& message, Fleet& names) {
  Directory directory;
  directory.version = {message.epoch(), message.version()};
  directory.partial = message.partial();
  directory.view = {message.view_epoch(), message.view_version()};
  for (const v1::PastView& past : message.before()) {
    directory.before.push_back({.number = {past.epoch(), past.version()},
                                .routers = {past.routers().begin(), past.routers().end()},
                                .left = FromUnixNanos(past.left_unix_ns())});
  }
  for (const v1::RouterEntry& entry : message.routers()) {
    directory.routers.push_back({entry.name(), RegionOf(names, entry.region()), entry.address()});
  }
  directory.workers = DecodeWorkers(message.workers(), names);
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
    out->set_mode(Text(TierModeName(tier.mode.lasting)));
    if (const auto& over = tier.mode.over) {
      out->set_timed_mode(Text(TierModeName(over->first)));
      *out->mutable_mode_term() = EncodeTerm(over->second);
    }
    EncodeThresholds(tier, *out);
    EncodeDrains(tier, *out);
    EncodePins(tier, *out);
    for (const DurableHistory& history : tier.histories) {
      v1::DemandHistory* saved = out->add_histories();
      saved->set_region(history.region);
      saved->set_newest(history.saved.newest);
      saved->mutable_rates()->Add(history.saved.rates.begin(), history.saved.rates.end());
    }
  }
  if (!state.canary.in_force.empty()) *message.mutable_canary() = EncodeCanary(state.canary);
  if (state.table != nullptr) *message.mutable_table() = EncodeWholeTable(*state.table, *state.fleet);
  if (state.directory != nullptr) {
    *message.mutable_directory() = EncodeDirectory(*state.directory, *state.fleet, std::nullopt);
    const WorkersByRegion& kept = state.directory->kept;
    for (RegionId id(0); id != kept.end_id(); id = RegionId(id.index() + 1)) {
      EncodeWorkers(kept, id, *state.fleet, *message.mutable_kept());
    }
  }
  return message;
}

absl::StatusOr<DurableState> DecodeState(const v1::ControllerState& message) {
  if (message.state_version() < kStateVersionOldest || message.state_version() > kStateVersion) {
    return BadState("state_version", absl::StrCat(message.state_version(), "; this release reads ",
                                                  kStateVersionOldest, " to ", kStateVersion));
  }
  if (message.directory().workers_size() > kEntriesMax || message.directory().routers_size() > kEntriesMax ||
      message.directory().leaders_size() > kEntriesMax || message.kept_size() > kEntriesMax) {
    return BadState("directory", "too many entries");
  }
  DurableState state;
  state.epoch = message.epoch();
  for (const v1::TierSettings& tier : message.tiers()) {
    auto decoded = DecodeTier(tier);
    if (!decoded.ok()) return decoded.status();
    state.tiers.push_back(*std::move(decoded));
  }
  if (message.has_canary()) {
    auto canary = DecodeCanary(message.canary());
    if (!canary.ok()) return canary.status();
    state.canary = *std::move(canary);
  }
  auto names = std::make_shared<Fleet>();
  for (const std::string& region : message.table().regions()) RegionOf(*names, region);
  for (const v1::TierTable& tier : message.table().tiers()) {
    const TierId id = TierOf(*names, tier.tier());
    names->tiers[id].priorities.assign(tier.priorities().begin(), tier.priorities().end());
  }
  if (message.has_directory()) {
    Directory directory = DecodeDirectory(message.directory(), *names);
    directory.kept = DecodeWorkers(message.kept(), *names);
    state.directory = std::make_shared<const Directory>(std::move(directory));
  }
  if (message.has_table()) {
    auto table = wire::DecodeTable(message.table(), *names);
    if (!table.ok()) return table.status();
    state.table = std::make_shared<const RoutingTable>(*std::move(table));
  }
  state.fleet = std::move(names);
  return state;
}

void EditTerms(v1::ControllerState& message, const std::function<void(v1::Term&)>& edit) {
  const auto edit_all = [&edit](auto& settings) {
    for (auto& one : settings) {
      if (one.has_term()) edit(*one.mutable_term());
    }
  };
  for (v1::TierSettings& tier : *message.mutable_tiers()) {
    if (tier.has_mode_term()) edit(*tier.mutable_mode_term());
    if (tier.has_threshold_term()) edit(*tier.mutable_threshold_term());
    edit_all(*tier.mutable_region_thresholds());
    edit_all(*tier.mutable_drains());
    edit_all(*tier.mutable_pins());
  }
}

bool DropAbsurdEpochs(v1::ControllerState& message) {
  bool dropped = !EpochPossible(message.epoch());
  if (dropped) message.set_epoch(0);
  if (!message.has_directory()) return dropped;
  if (!EpochPossible(message.directory().view_epoch())) {
    message.mutable_directory()->clear_view_version();
    dropped = true;
  }
  for (v1::LeaderEntry& leader : *message.mutable_directory()->mutable_leaders()) {
    if (EpochPossible(leader.leader_epoch())) continue;
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
    out->set_left_unix_ns(ToUnixNanos(past.left));
  }
  for (const RouterEntry& router : directory.routers) {
    v1::RouterEntry* out = message.add_routers();
    out->set_name(router.name);
    out->set_region(fleet.world.regions[router.region].name);
    out->set_address(router.address);
  }
  for (RegionId id(0); id != directory.workers.end_id(); id = RegionId(id.index() + 1)) {
    if (region && *region != id) continue;
    EncodeWorkers(directory.workers, id, fleet, *message.mutable_workers());
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
