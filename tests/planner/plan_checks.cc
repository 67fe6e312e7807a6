#include "tests/planner/plan_checks.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

bool Permitted(const Case& c, RegionId source, RegionId target) {
  const Tier& tier = *c.tier;
  if (tier.regions[target].workers == 0) return false;
  if (c.world->rtt.ms(source, target) > tier.route.rings.back().rtt_ms_max) return false;
  if (!tier.residency_forbidden.contains(source)) return true;
  for (const RegionId forbidden : tier.residency_forbidden[source]) {
    if (forbidden == target) return false;
  }
  return true;
}

double ImportMaxRps(const Case& c, RegionId region) {
  const RegionLoad& load = c.snapshot.regions[region];
  if (load.draining || load.load_cost <= 0 || load.usable_share <= 0) return 0;
  const double share = c.tier->regions[region].import_cap_share;
  return (share < 1 ? share : ShedLevel(c, region)) * load.usable_share / load.load_cost;
}

double DemandRps(const Case& c, RegionId region) {
  double total = 0;
  for (std::size_t p = 0; p < c.tier->priorities.size(); ++p) {
    total += c.snapshot.regions[region].demand_rps[p];
  }
  return total;
}

// The threshold, or the load at which the workers left make a job wait too long, by the sum of Erlang's
// formula.
double HotLevel(const Case& c, RegionId region) {
  const double threshold = c.tier->route.overload_threshold;
  const double wait_max = c.tier->route.ceiling_wait;
  const int workers = static_cast<int>(
      std::lround(c.snapshot.regions[region].usable_share * c.tier->regions[region].workers));
  if (wait_max <= 0) return threshold;
  const int n = std::max(1, workers);
  const auto waits_too_long = [&](double level) {
    double term = 1, sum = 0;  // of a^k / k!, over a^n / n!, walking down from n
    for (int k = n; k > 0 && term > 1e-12; --k) {
      term *= k / (n * level);
      sum += term;
    }
    const double waits = 1 / (1 + (1 - level) * sum);
    return 0.625 * waits / (n * (1 - level)) > wait_max;
  };
  if (!waits_too_long(threshold)) return threshold;
  double low = 0, high = threshold;
  for (int k = 0; k < 30; ++k) (waits_too_long((low + high) / 2) ? high : low) = (low + high) / 2;
  return low;
}

template <class Visit>
void EachRegion(const Case& c, Visit visit) {
  for (std::size_t r = 0; r < c.world->regions.size(); ++r) visit(RegionId(r));
}

// Edmonds-Karp on a dense residual matrix; node 0 is the source, the last the sink.
double MaxFlow(std::vector<std::vector<double>> room) {
  const std::size_t n = room.size();
  double total = 0;
  while (true) {
    std::vector<int> from(n, -1);
    std::queue<std::size_t> queue({0});
    from[0] = 0;
    while (!queue.empty() && from[n - 1] < 0) {
      const std::size_t v = queue.front();
      queue.pop();
      for (std::size_t w = 0; w < n; ++w) {
        if (from[w] >= 0 || room[v][w] <= 1e-9) continue;
        from[w] = static_cast<int>(v);
        queue.push(w);
      }
    }
    if (from[n - 1] < 0) return total;
    double least = 1e300;
    for (std::size_t v = n - 1; v != 0; v = from[v]) least = std::min(least, room[from[v]][v]);
    for (std::size_t v = n - 1; v != 0; v = from[v]) {
      room[from[v]][v] -= least;
      room[v][from[v]] += least;
    }
    total += least;
  }
}

}  // namespace

void ExpectSoundRows(const Case& c, const TierTable& table) {
  ASSERT_EQ(table.regions(), c.world->regions.size());
  ASSERT_EQ(table.priorities(), c.tier->priorities.size());
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    EachRegion(c, [&](RegionId source) {
      const Row& row = table.at(static_cast<Priority>(p), source);
      double sum = row.shed_fraction;
      EXPECT_GE(row.shed_fraction, 0);
      std::set<std::size_t> seen;
      for (const Route& route : row.routes) {
        EXPECT_TRUE(std::isfinite(route.fraction) && route.fraction > 0);
        EXPECT_TRUE(seen.insert(route.target.index()).second) << "target twice";
        sum += route.fraction;
        if (route.target == source) {
          EXPECT_EQ(route.ring, kHomeRing);
          EXPECT_EQ(route.reason, RouteReason::kHome);
          continue;
        }
        EXPECT_TRUE(Permitted(c, source, route.target)) << source.index() << " to " << route.target.index();
        if (c.snapshot.regions.contains(route.target)) {
          EXPECT_NE(c.snapshot.regions[route.target].health, InputHealth::kMissing);
          EXPECT_NE(c.snapshot.regions[route.target].usable_share, 0);
        }
        EXPECT_NE(route.reason, RouteReason::kHome);
        ASSERT_GE(route.ring, 0);
        ASSERT_LT(static_cast<std::size_t>(route.ring), c.tier->route.rings.size());
        EXPECT_LE(c.world->rtt.ms(source, route.target), c.tier->route.rings[route.ring].rtt_ms_max);
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      // Where nobody asks yet, nobody is turned away; but a table in force is left in steps.
      const bool nobody_asks = c.snapshot.regions.contains(source) && DemandRps(c, source) == 0;
      if (nobody_asks && (c.snapshot.previous == nullptr || CapacityRps(c, source) > 0)) {
        EXPECT_EQ(row.shed_fraction, 0);
      }
    });
  }
}

Served ServedUnder(const Case& c, const TierTable& table) {
  Served served;
  served.total_rps.resize(c.world->regions.size());
  served.imported_rps.resize(c.world->regions.size());
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    EachRegion(c, [&](RegionId source) {
      const double demand = c.snapshot.regions[source].demand_rps[p];
      const Row& row = table.at(static_cast<Priority>(p), source);
      served.shed_rps += demand * row.shed_fraction;
      for (const Route& route : row.routes) {
        served.total_rps[route.target] += demand * route.fraction;
        if (route.target == source) continue;
        served.imported_rps[route.target] += demand * route.fraction;
        served.away_rps += demand * route.fraction;
      }
    });
  }
  return served;
}

double CapacityRps(const Case& c, RegionId region) {
  const RegionLoad& load = c.snapshot.regions[region];
  if (load.load_cost <= 0 || load.usable_share <= 0) return 0;
  const double limit = HotLevel(c, region) * load.usable_share * (1 - c.tier->guard.plan_margin);
  return std::max(0.0, (limit - load.background_load) / load.load_cost);
}

double ShedLevel(const Case& c, RegionId region) {
  const Tier& tier = *c.tier;
  if (tier.regions[region].reserve_share > 0) return 1;
  return tier.dispatch.mode == DispatchMode::kLedger || tier.priorities.size() < 2 ? tier.guard.shed_above
                                                                                   : 1;
}

void ExpectNobodyLifted(const Case& c, const Plan& plan) {
  const Served served = ServedUnder(c, plan.table);
  const bool overloaded = HasFinding(plan, Finding::Kind::kOverloaded);
  // The requests of those who have no home to stay in are levelled, whatever the policy.
  bool homeless = false;
  EachRegion(c, [&](RegionId region) {
    double demand = 0;
    for (const double rps : c.snapshot.regions[region].demand_rps) demand += rps;
    const RegionLoad& load = c.snapshot.regions[region];
    const double most = ShedLevel(c, region) * load.usable_share * (1 - c.tier->guard.plan_margin);
    homeless = homeless || (demand > 0 && load.background_load >= most);
  });
  const auto raised_max = [&](RegionId region) {
    if (homeless || c.tier->isolation() == Isolation::kLevel) return ShedLevel(c, region);
    return c.tier->isolation() == Isolation::kFill ? std::max(1.0, HotLevel(c, region)) : HotLevel(c, region);
  };
  EachRegion(c, [&](RegionId region) {
    const RegionLoad& load = c.snapshot.regions[region];
    const double imported = served.imported_rps[region];
    if (imported <= 1e-4) return;
    const double level =
        (load.background_load + load.load_cost * served.total_rps[region]) / load.usable_share;
    const double allowed =
        overloaded ? raised_max(region) * (1.0 + c.tier->guard.hysteresis) : HotLevel(c, region);
    EXPECT_LE(level, allowed + 1e-5) << "region " << region.index() << " imports " << imported;
    EXPECT_LE(imported, ImportMaxRps(c, region) * (1 + c.tier->guard.hysteresis) + 1e-4);
  });
}

bool HasFinding(const Plan& plan, Finding::Kind kind) {
  return std::any_of(plan.findings.begin(), plan.findings.end(),
                     [kind](const Finding& finding) { return finding.kind == kind; });
}

bool HasFindingFor(const Plan& plan, RegionId region) {
  return std::any_of(plan.findings.begin(), plan.findings.end(), [region](const Finding& finding) {
    return finding.region == region &&
           (finding.kind == Finding::Kind::kBadInput || finding.kind == Finding::Kind::kStaleInput);
  });
}

bool Feasible(const Case& c) {
  // A source node and a target node for each region: nothing passes through a third one.
  const std::size_t n = c.world->regions.size();
  const std::size_t sink = 2 * n + 1;
  std::vector<std::vector<double>> room(sink + 1, std::vector<double>(sink + 1));
  EachRegion(c, [&](RegionId a) {
    const double surplus = DemandRps(c, a) - CapacityRps(c, a);
    if (surplus <= 0) {
      room[n + a.index() + 1][sink] = std::min(-surplus, ImportMaxRps(c, a));
      return;
    }
    room[0][a.index() + 1] = surplus;
    EachRegion(c, [&](RegionId b) {
      if (a != b && Permitted(c, a, b)) room[a.index() + 1][n + b.index() + 1] = 1e18;
    });
  });
  return MaxFlow(room) >= SurplusRps(c) * (1 - 1e-7) - 1e-9;
}

double SurplusRps(const Case& c) {
  double surplus = 0;
  EachRegion(
      c, [&](RegionId region) { surplus += std::max(0.0, DemandRps(c, region) - CapacityRps(c, region)); });
  return surplus;
}

}  // namespace ringway::planner
