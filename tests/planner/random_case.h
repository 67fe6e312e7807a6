// Random worlds, tiers and snapshots for the planner's property tests, small enough for thousands a second.
//
// Everything that restricts a plan occurs: rings that end early, residency, regions without workers,
// reserves, import caps, drains, background load, several priorities. The inputs are sane; Poison spoils
// them.
#ifndef RINGWAY_TESTS_PLANNER_RANDOM_CASE_H_
#define RINGWAY_TESTS_PLANNER_RANDOM_CASE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/rng.h"
#include "core/snapshot.h"
#include "core/tier.h"
#include "core/world.h"

namespace ringway::planner {

struct CaseShape {
  double load_min = 0.4;  // demand over what is served at the threshold
  double load_max = 1.6;
  bool everybody_in_reach = false;  // one ring, no residency, caps, drains or empty regions
};

struct Case {
  std::shared_ptr<const World> world;
  std::shared_ptr<Tier> tier;
  TierSnapshot snapshot;
};

Case RandomCase(std::uint64_t seed, const CaseShape& shape = {});

// Spoils one number of one region; returns what was done. The region is in `region`.
std::string Poison(Rng& rng, TierSnapshot& snapshot, RegionId& region);

// Every region's demand changes by up to `spread` (0.1 = 10 %).
void Drift(Rng& rng, double spread, TierSnapshot& snapshot);

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_RANDOM_CASE_H_
