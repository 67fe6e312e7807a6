// The plan while it is on paper: what each region can serve, keeps, sends away and refuses.
//
// Everything is counted in requests per second, because a request weighs differently in each region but is
// one request everywhere: a region that may be filled to a level serves (level x headroom - background) /
// cost. `headroom` is the region's usable share less the plan margin, so that a level means the same
// everywhere: hot_level is where a region becomes hot, 1 is where it is full, and shed_level is
// where its requests are refused (fair_share.h). `Level` is load / headroom.
//
// Invariants between passes: for each source, kept + away + shed = demand; imports of a region are the sum of
// what others send there; a region whose traffic is above its capacity imports nothing. Plain values, owned
// by one Solve.
#ifndef RINGWAY_CONTROLLER_PLANNER_DRAFT_H_
#define RINGWAY_CONTROLLER_PLANNER_DRAFT_H_

#include <vector>

#include "core/ids.h"
#include "core/tier.h"

namespace ringway::planner {

inline constexpr double kFullLevel = 1.0;
// Stands for "no capacity at all" where a level is compared or printed.
inline constexpr double kLevelMax = 1000;

// A region's checked inputs, and how far it may be filled.
struct Site {
  PerPriority<double> demand_rps{};
  double demand_total_rps = 0;
  double cost = 0;        // load per request per second; > 0 where headroom > 0
  double background = 0;  // load
  double usable = 0;      // share of maximum capacity
  double headroom = 0;    // usable x (1 - plan margin)
  double shed_level = 1;  // requests of its own are refused above it (fair_share.h)
  double raised_max = 1;  // no plan fills it higher for the overload of others (Isolation)
  double import_max_rps = 0;
  bool has_workers = false;
  bool draining = false;
  bool stale = false;
  bool missing = false;
  bool takes_more = true;  // else it imports at most what the table in force sends it
  // Its row stays as it was: decided in home, obeyed by all passes.
  bool frozen = false;
  // Filled up to here: hot_level, or higher once fair share has levelled an overload.
  double limit_level = 0;
  double hot_level = 0;  // above it the region sends away what it can: the threshold, or its size's ceiling
  double capacity_rps = 0;  // at limit_level; SetLimit keeps the two together

  double CapacityRps(double level) const;
  double Level(double rps) const;
  double Load(double rps) const { return background + cost * rps; }
  void SetLimit(double level) {
    limit_level = level;
    capacity_rps = CapacityRps(level);
  }
};

struct Flow {
  RegionId target;
  double rps = 0;
};

struct Draft {
  IdVector<RegionId, Site> sites;
  IdVector<RegionId, double> kept_rps;
  IdVector<RegionId, double> imported_rps;
  IdVector<RegionId, std::vector<Flow>> away;
  IdVector<RegionId, PerPriority<double>> shed_rps;

  std::size_t size() const { return sites.size(); }
  // Below this a rate is rounding: 1e-9 of what the region sees.
  double Epsilon(RegionId region) const;
  // What the region keeps above its capacity, and must give away.
  double ExcessRps(RegionId region) const { return kept_rps[region] - sites[region].capacity_rps; }
  bool Hot(RegionId region) const { return !sites[region].frozen && ExcessRps(region) > Epsilon(region); }
  // What it can still take from others.
  double RoomRps(RegionId region) const;
  double Level(RegionId region) const { return sites[region].Level(kept_rps[region] + imported_rps[region]); }
  double ShedRps(RegionId region) const;

  // Sends `rps` that `source` keeps to `target`.
  void Send(RegionId source, RegionId target, double rps);
  // Undoes what the source sends to `target`.
  void TakeBack(RegionId source, RegionId target);
  // Undoes all of the source's sends.
  void BringBack(RegionId source);
};

// Visits 0..n-1 as ids.
template <class Visit>
void ForEachRegion(std::size_t regions, Visit visit) {
  for (std::size_t r = 0; r < regions; ++r) visit(RegionId(r));
}

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_DRAFT_H_
