#include "router/routes/imports.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/time.h"

namespace ringway::router {
namespace {

bool Forbidden(const Tier& tier, RegionId from, RegionId to) {
  if (!tier.residency_forbidden.contains(from)) return false;
  const std::vector<RegionId>& forbidden = tier.residency_forbidden[from];
  return std::find(forbidden.begin(), forbidden.end(), to) != forbidden.end();
}

// The ring of the tier that holds a region at this distance, from 0; nothing: it is beyond the last. A router
// that has not been told of any rings takes every region for near enough, and lets the round trip decide.
std::optional<std::int8_t> RingOf(const Tier& tier, double rtt_ms) {
  const std::vector<RingSpec>& rings = tier.route.rings;
  for (std::size_t ring = 0; ring < rings.size(); ++ring) {
    if (rtt_ms <= rings[ring].rtt_ms_max) return static_cast<std::int8_t>(ring);
  }
  return rings.empty() ? std::optional<std::int8_t>(0) : std::nullopt;
}

}  // namespace

int RegionRouters::PartOf(int cap) const {
  const auto before = std::count_if(others_.begin(), others_.end(),
                                    [this](const auto& other) { return other.second < own_; });
  return cap / count() + (before < cap % count() ? 1 : 0);
}

bool Imports::TakeIn(bool spilled) {
  if (spilled && inside >= part) {
    ++refused;
    return false;
  }
  ++inside;
  return true;
}

int ImportCap(const TierRegion& region) {
  const double usable = region.workers * (1 - region.reserve_share);
  return static_cast<int>(std::floor(region.import_cap_share * usable + 1e-9));
}

std::vector<dispatch::SpillTarget> SpillTargets(const Fleet& fleet, TierId id, RegionId home,
                                                const PeerView& peers, const RouteChooser& routes,
                                                int senders) {
  const Tier& tier = fleet.tiers[id];
  std::vector<dispatch::SpillTarget> targets;
  for (RegionId r(0); r != tier.regions.end_id(); r = RegionId(r.index() + 1)) {
    if (r == home || tier.regions[r].workers <= 0 || peers.count(r) == 0) continue;
    const double rtt_ms = fleet.world.rtt.ms(home, r);
    const std::optional<std::int8_t> ring = RingOf(tier, rtt_ms);
    const int cap = ImportCap(tier.regions[r]);
    if (Forbidden(tier, home, r) || !ring || cap <= 0 || routes.Drained(id, r)) continue;
    targets.push_back({.region = r,
                       .rtt = Milliseconds(rtt_ms),
                       .ring = *ring,
                       .in_flight_max = std::max(1, cap / senders)});
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const auto& a, const auto& b) { return a.rtt < b.rtt; });
  return targets;
}

}  // namespace ringway::router
