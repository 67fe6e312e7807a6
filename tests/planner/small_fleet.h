// Hand-made fleets for table tests: regions on a line, one request per second and worker-second.
//
// Every region has 100 workers and a service time of 1 s, so its load cost is 0.01 and a demand of 80
// requests/s is exactly the threshold of 0.8. The RTT between two regions is 10 ms for each step between
// them. Plan margin 0, shed above 1, one ring, refine off: a test turns on what it is about.
#ifndef RINGWAY_TESTS_PLANNER_SMALL_FLEET_H_
#define RINGWAY_TESTS_PLANNER_SMALL_FLEET_H_

#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>

#include "controller/planner/planner.h"

namespace ringway::planner {

struct SmallFleet {
  std::shared_ptr<World> world = std::make_shared<World>();
  std::shared_ptr<Tier> tier = std::make_shared<Tier>();
  TierSnapshot snapshot;

  explicit SmallFleet(const std::vector<double>& demand_rps) {
    tier->metrics.emplace_back().name = "busy";
    tier->service_mean = Seconds(1);
    tier->route.overload_threshold = 0.8;
    tier->route.refine = RefineMode::kOff;
    tier->route.rings = {{"all", 1000, 0}};
    tier->guard.plan_margin = 0;
    tier->guard.shed_above = 1;
    tier->route.isolation = Isolation::kLevel;  // the one that does most
    snapshot.tier = TierId(0);
    for (const double rps : demand_rps) {
      world->regions.push_back({.name = "r" + std::to_string(world->regions.size()), .title = ""});
      tier->regions.push_back({.workers = 100});
      snapshot.regions.push_back({.load_cost = 0.01, .demand_rps = {rps}});
    }
    world->rtt = RttMatrix(world->regions.size());
    for (std::size_t a = 0; a < world->regions.size(); ++a) {
      for (std::size_t b = 0; b < world->regions.size(); ++b)
        SetRtt(a, b, 10 * std::abs(double(a) - double(b)));
    }
  }

  void SetRtt(std::size_t a, std::size_t b, double ms) {
    world->rtt.Set(RegionId(a), RegionId(b), ms);
    world->rtt.Set(RegionId(b), RegionId(a), ms);
  }
  RegionLoad& region(std::size_t r) { return snapshot.regions[RegionId(r)]; }
  TierRegion& provisioned(std::size_t r) { return tier->regions[RegionId(r)]; }
  void Forbid(std::size_t source, std::size_t target) {
    tier->residency_forbidden.resize(world->regions.size());
    tier->residency_forbidden[RegionId(source)].push_back(RegionId(target));
  }
  void PutInForce(const TierTable& table) { snapshot.previous = std::make_shared<TierTable>(table); }

  Plan Solve() const { return Planner(world, tier).Solve(snapshot); }

  // Requests/s of priority 0 that a table sends from one region to another.
  double Sent(const TierTable& table, std::size_t from, std::size_t to) const {
    const Route* route = Find(table, from, to);
    return route ? route->fraction * snapshot.regions[RegionId(from)].demand_rps[0] : 0;
  }
  static const Route* Find(const TierTable& table, std::size_t from, std::size_t to, Priority priority = 0) {
    for (const Route& route : table.at(priority, RegionId(from)).routes) {
      if (route.target == RegionId(to)) return &route;
    }
    return nullptr;
  }
};

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_SMALL_FLEET_H_
