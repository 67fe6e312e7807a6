#include <algorithm>
#include <memory>
#include <string>

#include "bench/dispatch/pieces.h"
#include "core/check.h"
#include "core/rng.h"
#include "router/routes/route_choice.h"

namespace ringway::bench {
namespace {

// A table whose own row spreads over all regions, the worst case for a pick.
std::shared_ptr<const RoutingTable> SpreadTable(std::size_t regions) {
  auto table = std::make_shared<RoutingTable>();
  table->version = {1, 1};
  TierTable tier(TierId(0), regions, 1);
  Row& row = tier.at(0, RegionId(0));
  for (std::size_t r = 0; r < regions; ++r) {
    row.routes.push_back({.target = RegionId(r), .fraction = 0.99 / static_cast<double>(regions)});
  }
  row.shed_fraction = 0.01;
  table->tiers.push_back(tier);
  return table;
}

}  // namespace

Claim RegionPick(int regions, double ns_max, bool quick) {
  router::RouteChooser chooser(RegionId(0));
  RINGWAY_CHECK(
      chooser.UseTable(SpreadTable(static_cast<std::size_t>(regions)), /*from_disk=*/false).empty());
  Rng rng(1);
  std::uint64_t sum = 0;  // keeps the picks from being optimised away
  double best_ns = 1e9;
  const int picks = quick ? 500'000 : 5'000'000;
  for (int run = 0; run < 5; ++run) {
    const double begin_s = CpuSeconds();
    for (int i = 0; i < picks; ++i) sum += chooser.Pick(TierId(0), 0, rng.Next()).target.value();
    best_ns = std::min(best_ns, 1e9 * (CpuSeconds() - begin_s) / picks);
  }
  RINGWAY_CHECK(sum > 0);
  return AtMost("region_pick_" + std::to_string(regions) + "_regions", best_ns, ns_max, "ns");
}

}  // namespace ringway::bench
