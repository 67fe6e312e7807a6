// Any bytes: reading never crashes, and what it lets through keeps the invariants that others rely on.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "topology/topology.h"

namespace ringway {
namespace {

void CheckWorld(const World& world) {
  double population = 0;
  RINGWAY_CHECK(world.regions.size() > 0 && world.rtt.regions() == world.regions.size());
  for (std::size_t a = 0; a < world.regions.size(); ++a) {
    const Region& region = world.regions[RegionId(a)];
    RINGWAY_CHECK(!region.name.empty());
    RINGWAY_CHECK(std::abs(region.latitude_deg) <= 90 && std::abs(region.longitude_deg) <= 180);
    RINGWAY_CHECK(region.population_share >= 0 && region.population_share <= 1);
    population += region.population_share;
    for (std::size_t b = 0; b < world.regions.size(); ++b) {
      const double ms = world.rtt.ms(RegionId(a), RegionId(b));
      RINGWAY_CHECK(std::isfinite(ms) && ms >= 0);
    }
  }
  RINGWAY_CHECK(std::abs(population - 1) < 1e-9);
}

void CheckTier(const World& world, const Tier& tier) {
  RINGWAY_CHECK(!tier.name.empty() && !tier.metrics.empty());
  RINGWAY_CHECK(tier.regions.size() == world.regions.size());
  RINGWAY_CHECK(!tier.priorities.empty() && tier.priorities.size() <= kMaxPriorities);
  RINGWAY_CHECK(tier.route.overload_threshold > 0 && tier.route.overload_threshold <= 1);
  for (std::size_t i = 1; i < tier.route.rings.size(); ++i) {
    RINGWAY_CHECK(tier.route.rings[i].rtt_ms_max > tier.route.rings[i - 1].rtt_ms_max);
    RINGWAY_CHECK(tier.route.rings[i].unlock_load >= tier.route.rings[i - 1].unlock_load);
  }
  for (const std::vector<RegionId>& forbidden : tier.residency_forbidden) {
    for (const RegionId target : forbidden) RINGWAY_CHECK(world.regions.contains(target));
  }
}

}  // namespace
}  // namespace ringway

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const absl::StatusOr<ringway::Topology> topology = ringway::ParseTopology(text, "fuzz");
  if (!topology.ok()) {
    RINGWAY_CHECK(!topology.status().message().empty());
    return 0;
  }
  ringway::CheckWorld(topology->fleet->world);
  for (const ringway::Tier& tier : topology->fleet->tiers) ringway::CheckTier(topology->fleet->world, tier);
  return 0;
}
