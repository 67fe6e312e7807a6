#include "topology/remarks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "topology/rtt_estimate.h"

namespace ringway {
namespace {

struct WorstPair {
  std::size_t count = 0;
  double ratio = 0;
  RegionId from, to, via;

  void See(double seen_ratio, RegionId a, RegionId b, RegionId through = RegionId()) {
    ++count;
    if (seen_ratio <= ratio) return;
    ratio = seen_ratio;
    from = a;
    to = b;
    via = through;
  }
};

template <class Visit>
void EachPair(const World& world, Visit visit) {
  for (std::size_t a = 0; a < world.regions.size(); ++a) {
    for (std::size_t b = 0; b < world.regions.size(); ++b) {
      if (a != b) visit(RegionId(a), RegionId(b));
    }
  }
}

// How many times shorter the best way through a third region is.
void SeeDetour(const World& world, RegionId a, RegionId b, WorstPair& worst) {
  double best_ms = world.rtt.ms(a, b);
  RegionId best;
  for (std::size_t c = 0; c < world.regions.size(); ++c) {
    const RegionId via(c);
    if (via == a || via == b) continue;
    const double ms = world.rtt.ms(a, via) + world.rtt.ms(via, b);
    if (ms < best_ms) {
      best_ms = ms;
      best = via;
    }
  }
  if (best.valid() && best_ms * 2 < world.rtt.ms(a, b)) {
    worst.See(world.rtt.ms(a, b) / std::max(best_ms, 1e-3), a, b, best);
  }
}

}  // namespace

std::vector<std::string> WorldRemarks(const World& world) {
  std::size_t estimated = 0;
  WorstPair light;
  WorstPair detour;
  const bool look_for_detours = world.regions.size() <= kDetourRegionsMax;
  EachPair(world, [&](RegionId a, RegionId b) {
    const double light_ms = kLightMsPerKm * DistanceKm(world.regions[a], world.regions[b]);
    const double ms = world.rtt.ms(a, b);
    if (world.rtt.estimated(a, b)) ++estimated;
    if (ms < light_ms) light.See(light_ms / std::max(ms, 1e-3), a, b);
    if (look_for_detours) SeeDetour(world, a, b, detour);
  });
  std::vector<std::string> remarks;
  const auto name = [&](RegionId id) { return world.regions[id].name; };
  if (estimated > 0) {
    remarks.push_back(absl::StrCat(estimated, " of ", world.regions.size() * (world.regions.size() - 1),
                                   " RTTs are estimated from distance (", kEstimateBaseMs, " ms + ",
                                   kEstimateMsPerKm, " ms/km, 14 % median error)"));
  }
  if (light.count > 0) {
    remarks.push_back(absl::StrFormat(
        "%d RTTs are below the speed of light, worst %s to %s at %.1f ms: check RTT and coordinates",
        light.count, name(light.from), name(light.to), world.rtt.ms(light.from, light.to)));
  }
  if (detour.count > 0) {
    remarks.push_back(absl::StrFormat(
        "%d RTTs are more than twice the way over a third region, worst %s to %s (%.0f ms, over %s %.0f ms)",
        detour.count, name(detour.from), name(detour.to), world.rtt.ms(detour.from, detour.to),
        name(detour.via), world.rtt.ms(detour.from, detour.via) + world.rtt.ms(detour.via, detour.to)));
  }
  return remarks;
}

std::vector<std::string> TierRemarks(const World& world, const Tier& tier) {
  std::vector<std::string> remarks;
  if (world.regions.size() < 2) return remarks;
  if (tier.route.rings.empty()) {
    remarks.push_back(absl::StrCat("tier ", tier.name, " has no rings: traffic never leaves its region"));
    return remarks;
  }
  const double reach_ms = tier.route.rings.back().rtt_ms_max;
  for (std::size_t a = 0; a < world.regions.size(); ++a) {
    double nearest_ms = -1;
    for (std::size_t b = 0; b < world.regions.size(); ++b) {
      if (a == b || tier.regions[RegionId(b)].workers == 0) continue;
      const double ms = world.rtt.ms(RegionId(a), RegionId(b));
      if (nearest_ms < 0 || ms < nearest_ms) nearest_ms = ms;
    }
    if (nearest_ms >= 0 && nearest_ms <= reach_ms) continue;
    remarks.push_back(
        absl::StrFormat("tier %s: no other region with workers is within the rings of %s (%.0f ms)",
                        tier.name, world.regions[RegionId(a)].name, reach_ms));
  }
  return remarks;
}

}  // namespace ringway
