#include "router/fleet_merge.h"

#include <utility>
#include <vector>

namespace ringway::router {
namespace {

// Between regions that were never on one map together. Nothing is sent there; far enough to come last.
constexpr double kUnknownRttMs = 60000;

// ids[i]: where region i of `next` is in the merged world.
World MergeWorld(const World& known, const World& next, std::vector<RegionId>& ids) {
  World world;
  world.name = next.name;
  world.regions = known.regions;
  for (const Region& region : next.regions) {
    if (const auto id = known.FindRegion(region.name)) {
      world.regions[*id] = region;
      ids.push_back(*id);
    } else {
      ids.push_back(world.regions.push_back(region));
    }
  }
  const std::size_t n = world.regions.size();
  world.rtt = RttMatrix(n);
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < n; ++to) {
      const RegionId f(from);
      const RegionId t(to);
      const bool both_known = known.regions.contains(f) && known.regions.contains(t);
      world.rtt.Set(f, t, from == to ? 0 : (both_known ? known.rtt.ms(f, t) : kUnknownRttMs));
    }
  }
  for (std::size_t from = 0; from < ids.size(); ++from) {
    for (std::size_t to = 0; to < ids.size(); ++to) {
      world.rtt.Set(ids[from], ids[to], next.rtt.ms(RegionId(from), RegionId(to)));
    }
  }
  return world;
}

Tier Renumber(const Tier& tier, const std::vector<RegionId>& ids, std::size_t regions) {
  Tier out = tier;
  out.regions.assign(regions, TierRegion());
  out.residency_forbidden.assign(regions, {});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (tier.regions.contains(RegionId(i))) out.regions[ids[i]] = tier.regions[RegionId(i)];
    if (!tier.residency_forbidden.contains(RegionId(i))) continue;
    for (const RegionId target : tier.residency_forbidden[RegionId(i)]) {
      out.residency_forbidden[ids[i]].push_back(ids[target.index()]);
    }
  }
  return out;
}

}  // namespace

Fleet LonelyFleet(std::string_view region) {
  Fleet fleet;
  Region home;
  home.name = std::string(region);
  fleet.world.regions.push_back(home);
  fleet.world.rtt = RttMatrix(1);
  return fleet;
}

std::optional<MergedFleet> MergeFleet(const Fleet& known, const Fleet& next) {
  MergedFleet merged;
  std::vector<RegionId> ids;
  merged.fleet.world = MergeWorld(known.world, next.world, ids);
  const std::size_t regions = merged.fleet.world.regions.size();
  merged.fleet.tiers = known.tiers;
  merged.retired.assign(known.tiers.size(), true);
  for (Tier& tier : merged.fleet.tiers) {
    tier.regions.assign(regions, TierRegion());
    tier.residency_forbidden.resize(regions);
  }
  for (const Tier& tier : next.tiers) {
    Tier renumbered = Renumber(tier, ids, regions);
    if (const auto id = known.FindTier(tier.name)) {
      merged.fleet.tiers[*id] = std::move(renumbered);
      merged.retired[*id] = false;
    } else {
      merged.fleet.tiers.push_back(std::move(renumbered));
      merged.retired.push_back(false);
    }
  }
  if (regions > kRegionsMax || merged.fleet.tiers.size() > kTiersMax) return std::nullopt;
  return merged;
}

}  // namespace ringway::router
