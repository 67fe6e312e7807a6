#include "cli/snapshot_file.h"

#include <algorithm>
#include <limits>

#include "controller/planner/load_cost.h"
#include "topology/envelope.h"
#include "topology/read_world.h"

namespace ringway::cli {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

RegionLoad DefaultLoad(const Tier& tier, RegionId region) {
  RegionLoad load;
  load.load_cost = planner::LoadCostPrior(tier, region);
  load.load_cost_low = load.load_cost_high = load.load_cost;
  load.usable_share = tier.regions[region].workers > 0 ? 1 - tier.regions[region].reserve_share : 0;
  return load;
}

void ReadDemand(Mapping& fields, const Tier& tier, RegionLoad& load) {
  const YamlNode* node = fields.Raw("demandRps");
  if (node == nullptr || node->kind != YamlNode::Kind::kMapping) {
    load.demand_rps[0] = fields.Number("demandRps", 0, {0, kNoLimit});
    return;
  }
  Mapping by_priority = fields.Child("demandRps");
  for (std::size_t p = 0; p < tier.priorities.size(); ++p) {
    load.demand_rps[p] = by_priority.Number(tier.priorities[p], 0, {0, kNoLimit});
  }
  by_priority.Finish();
}

RegionLoad ReadLoad(Mapping& fields, const Tier& tier, RegionId region) {
  RegionLoad load = DefaultLoad(tier, region);
  ReadDemand(fields, tier, load);
  load.load_cost = fields.Number("loadCost", load.load_cost, {0, kNoLimit});
  load.load_cost_low = fields.Number("loadCostLow", load.load_cost, {0, kNoLimit});
  load.load_cost_high = fields.Number("loadCostHigh", load.load_cost, {0, kNoLimit});
  load.background_load = fields.Number("backgroundLoad", 0, {0, kNoLimit});
  load.measured_load = fields.Number("measuredLoad", 0, {0, kNoLimit});
  load.usable_share = fields.Number("usableShare", load.usable_share, {0, 1});
  load.health = static_cast<InputHealth>(fields.Choice("health", 0, {"fresh", "stale", "missing"}));
  load.draining = fields.Flag("draining", false);
  return load;
}

std::optional<TierId> ReadTierName(Mapping& spec, const Topology& topology) {
  const std::optional<TierId> tier = topology.FindTier(spec.Text("tier", ""));
  if (!tier) spec.Report("tier", "the name of a tier of the topology; may be left out if there is only one");
  return tier;
}

void ReadRegions(Mapping& spec, const Fleet& fleet, TierSnapshot& snapshot, Problems& problems) {
  const Tier& tier = fleet.tiers[snapshot.tier];
  const RegionNames names(fleet.world);
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    snapshot.regions.push_back(DefaultLoad(tier, RegionId(i)));
  }
  IdVector<RegionId, char> seen(fleet.world.regions.size(), 0);
  spec.Require("regions", "a list of regions");
  for (const Place& place : spec.List("regions", kRegionsMax)) {
    Mapping fields(place, problems);
    RegionId region;
    if (fields.Require("region", "the name of a region of the world")) {
      region = names.Read({fields.Raw("region"), fields.PathOf("region")}, problems);
    }
    const RegionLoad load = ReadLoad(fields, tier, region.valid() ? region : RegionId(0));
    fields.Finish();
    if (!region.valid()) continue;
    if (seen[region]) fields.Report("region", "each region once");
    seen[region] = 1;
    snapshot.regions[region] = load;
  }
}

}  // namespace

absl::StatusOr<TierSnapshot> ParseSnapshot(std::string_view text, std::string_view file_name,
                                           const Topology& topology) {
  Problems problems(file_name);
  const YamlFile file = YamlFile::Parse(text, problems);
  std::vector<Envelope> envelopes = ReadEnvelopes(file, {"Snapshot"}, problems);
  if (envelopes.size() != 1 && problems.empty()) {
    problems.Add(
        {{}, "kind", std::to_string(envelopes.size()) + " documents", "one document of kind Snapshot", ""});
  }
  if (envelopes.empty()) return problems.ToStatus();
  Mapping& spec = envelopes.front().spec;
  TierSnapshot snapshot;
  if (const std::optional<TierId> tier = ReadTierName(spec, topology)) {
    snapshot.tier = *tier;
    ReadRegions(spec, *topology.fleet, snapshot, problems);
    spec.Finish();
  }
  if (!problems.empty()) return problems.ToStatus();
  return snapshot;
}

}  // namespace ringway::cli
