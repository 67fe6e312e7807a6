#include "bench/planner/suite.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/planner/measure.h"
#include "topology/topology.h"

namespace ringway::planner {
namespace {

constexpr double kLoads[] = {0.70, 0.90, 0.98};
constexpr std::uint64_t kSeedsFull = 10;  // seeds 1 to 10
constexpr std::uint64_t kSeedsQuick = 3;

struct Size {
  std::size_t regions;
  double solve_ms_max;
};
constexpr Size kSizes[] = {{30, 1}, {200, 1}, {1000, 10}, {5000, 100}};

void PrintRow(const Options& options, const std::string& world, double load, const Figures& f) {
  if (options.brief) return;
  std::printf("%-8s %.2f | %7.3f %7.3f | %8.3f %8.3f | %9.2f | %.3f %.3f | %.5f %.5f | %5.2f %% %+.4f\n",
              world.c_str(), load, f.loop_ms.Median(), f.loop_ms.Worst(), f.solve_ms.Median(),
              f.solve_ms.Worst(), f.optimum_ms.Median(), f.loop_cost.Median(), f.loop_cost.Worst(),
              f.refined_cost.Median(), f.refined_cost.Worst(), 100 * f.away_share.Median(),
              100 * f.away_excess_share.Worst());
}

void AddCostClaims(const std::string& world, double load, const Figures& f, std::vector<Claim>& claims) {
  const std::string at = world + "_load" + std::to_string(static_cast<int>(100 * load + 0.5));
  if (load == 0.90)
    claims.push_back(bench::AtMost("loop_cost_over_optimum_median_" + at, f.loop_cost.Median(), 1.15));
  claims.push_back(bench::AtMost("refined_cost_over_optimum_worst_" + at, f.refined_cost.Worst(), 1.01));
  claims.push_back(
      bench::AtMost("away_above_least_points_worst_" + at, 100 * f.away_excess_share.Worst(), 0.1));
}

}  // namespace

void MeasureSizes(const Options& options, std::vector<Claim>& claims) {
  for (const Size& size : kSizes) {
    std::uint64_t seeds = options.quick ? kSeedsQuick : kSeedsFull;
    if (options.quick && size.regions == 5000) seeds = 1;  // the yardstick takes seconds there
    std::vector<Figures> figures(std::size(kLoads));
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const SyntheticFleet fleet = MakeFleet(size.regions, seed);
      for (std::size_t k = 0; k < std::size(kLoads); ++k) {
        Measure(fleet, MakeSnapshot(*fleet.tier, kLoads[k], seed), figures[k]);
      }
    }
    const std::string world = "n" + std::to_string(size.regions);
    double loop_ms = 0;
    double solve_ms = 0;
    for (std::size_t k = 0; k < std::size(kLoads); ++k) {
      PrintRow(options, world, kLoads[k], figures[k]);
      AddCostClaims(world, kLoads[k], figures[k], claims);
      loop_ms = std::max(loop_ms, figures[k].loop_ms.Median());
      solve_ms = std::max(solve_ms, figures[k].solve_ms.Median());
    }
    if (size.regions == 1000) claims.push_back(bench::AtMost("loop_ms_median_n1000", loop_ms, 2));
    claims.push_back(bench::AtMost("solve_ms_median_" + world, solve_ms, size.solve_ms_max));
  }
}

bool MeasureRealWorld(const Options& options, const std::string& name, std::vector<Claim>& claims) {
  const absl::StatusOr<Topology> topology =
      LoadTopology(std::string(RINGWAY_SOURCE_DIR) + "/topology/" + name + ".yaml");
  if (!topology.ok()) {
    std::fprintf(stderr, "%s\n", topology.status().ToString().c_str());
    return false;
  }
  const auto world = std::make_shared<const World>(topology->fleet->world);
  for (const double load : kLoads) {
    Figures figures;
    for (std::uint64_t seed = 1; seed <= kSeedsFull; ++seed) {
      const SyntheticFleet fleet{world, MakeTier(world->regions.size(), seed)};
      fleet.tier->route.rings.back().rtt_ms_max = 1000;  // real detours are longer than the generator's
      Measure(fleet, MakeSnapshot(*fleet.tier, load, seed), figures);
    }
    PrintRow(options, name, load, figures);
    AddCostClaims(name, load, figures, claims);
  }
  return true;
}

void MeasureOverload(const Options& options, std::vector<Claim>& claims) {
  Sample ratio;
  const std::pair<const char*, Isolation> policies[] = {
      {"local_first", Isolation::kLocalFirst}, {"fill", Isolation::kFill}, {"level", Isolation::kLevel}};
  Sample solve_ms[std::size(policies)];
  for (const std::size_t regions : {30, 200, 1000}) {
    for (std::uint64_t seed = 1; seed <= (options.quick ? kSeedsQuick : kSeedsFull); ++seed) {
      const SyntheticFleet fleet = MakeFleet(regions, seed);
      for (const double load : {1.05, 1.15, 1.24}) {
        const TierSnapshot snapshot = MakeSnapshot(*fleet.tier, load, seed);
        ratio.Add(HottestOverWater(fleet, snapshot));
        for (std::size_t k = 0; regions == 1000 && k < std::size(policies); ++k) {
          solve_ms[k].Add(SolveMs(fleet, snapshot, policies[k].second));
        }
      }
    }
  }
  claims.push_back(bench::AtMost("overload_hottest_over_water_level_worst", ratio.Worst(), 1.01));
  for (std::size_t k = 0; k < std::size(policies); ++k) {
    claims.push_back(bench::AtMost(std::string("overload_solve_ms_worst_n1000_") + policies[k].first,
                                   solve_ms[k].Worst(), 25));
  }
}

}  // namespace ringway::planner
