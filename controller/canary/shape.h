// The settings of a topology that shape tables and do nothing else: what a canary may try.
//
// Of each tier: thresholds, the ceiling by size, rings, escalation, isolation, refinement, the plan's margin,
// what is shed, hysteresis, step, and of each region reserve, import cap and threshold. All of it is read by
// the planner alone, from one snapshot, so two shapes can be planned side by side. The rest says who exists
// (regions, round trips, tiers, workers, residency), what is measured (metrics, priors, how estimates are
// held), or what routers do by themselves (dispatch): of that there is one fleet, and it cannot be tried on a
// part.
//
// Shapes speak in names, because they outlive a fleet and its ids. Values; pure; linear in tiers and regions.
#ifndef RINGWAY_CONTROLLER_CANARY_SHAPE_H_
#define RINGWAY_CONTROLLER_CANARY_SHAPE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/fleet.h"

namespace ringway::canary {

struct RegionShape {
  std::string region;
  double reserve_share = 0;
  double import_cap_share = 1;
  double overload_threshold = 0;  // 0: the tier's
  friend bool operator==(const RegionShape&, const RegionShape&) = default;
};

struct TierShape {
  std::string tier;
  RouteSpec route;
  double plan_margin = 0;
  double shed_above = 0;
  double hysteresis = 0;
  double step_max = 0;
  std::vector<RegionShape> regions;  // that have workers
  friend bool operator==(const TierShape&, const TierShape&) = default;
};

using Shape = std::vector<TierShape>;

Shape ShapeOf(const Fleet& fleet);

// The fleet with the settings of `shape` for every tier, and every region of it, that has them; what `shape`
// does not name keeps its own.
std::shared_ptr<const Fleet> Shaped(const Fleet& fleet, const Shape& shape);

// What differs in shape between two fleets of the same tiers and regions, a line a setting: "tier animate:
// overloadThreshold 0.8 -> 0.3".
std::vector<std::string> ShapeChanges(const Fleet& before, const Fleet& after);
// Names of the tiers that differ in shape.
std::vector<std::string> TiersReshaped(const Fleet& before, const Fleet& after);

// What else differs between two fleets of the same shape: "region oslo is new", "tier animate: workers of 3
// regions".
std::vector<std::string> OtherChanges(const Fleet& before, const Fleet& after);

}  // namespace ringway::canary

#endif  // RINGWAY_CONTROLLER_CANARY_SHAPE_H_
