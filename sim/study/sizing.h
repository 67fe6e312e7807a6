// The fewest workers in each region that still meet an objective.
//
// First all regions together: the smallest factor on the fleet that meets it, by bisection. Then region by
// region, largest first: as few of its workers as the objective allows while the others stand, again by
// bisection, once round. More workers never serve fewer, so bisection finds the edge up to the noise of a
// run. A fleet meets an objective if every seed does (MeetsAll): of a mean, half the days are worse. n seeds
// that all meet it say with 95 % confidence that at most a share 1 - 0.05^(1/n) of days breaks it (0.45 for
// 5, 0.14 for 20). A search looks at many fleets with the same seeds and so finds one that these seeds happen
// to like: Confirm judges its answer again with seeds that it has not seen, and adds workers until these meet
// it too. What the search itself ends with is a fleet from which no region alone can give up more; another
// split of the same total may exist.
//
// The judge is a function, so that runs may go wherever there are cores. Bound: kJudgementsMax.
#ifndef RINGWAY_SIM_STUDY_SIZING_H_
#define RINGWAY_SIM_STUDY_SIZING_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ids.h"
#include "sim/report/figures.h"

namespace ringway::sim {

inline constexpr int kJudgementsMax = 2'000;

// "served_share>=0.99" or "wait_p99_s<=0.5".
struct Objective {
  Figure figure = Figure::kServedShare;
  bool at_least = true;
  double bound = 0;
  bool Met(const Figures& figures) const {
    return at_least ? figures[figure] >= bound : figures[figure] <= bound;
  }
};
absl::StatusOr<Objective> ParseObjective(std::string_view text);

// Whether the run meets every objective.
bool MeetsAll(const std::vector<Objective>& objectives, const Figures& run);
// The figure of the run that is farthest on the wrong side of the objective.
double Worst(const Objective& objective, const std::vector<Figures>& runs);
// The largest share of days that may break what `seeds` runs in a row have met, with 95 % confidence.
double BreakingShareMax(std::size_t seeds);

using FleetSize = IdVector<RegionId, int>;
// Whether a fleet of this size meets the objective; no value: stop asking.
using Judge = std::function<std::optional<bool>(const FleetSize&)>;

struct SizingResult {
  FleetSize workers;
  bool met = false;       // false: not even the largest fleet that was tried, `workers`, meets it
  bool complete = false;  // false: stopped early; `workers` meets it if `met`, fewer may do
  int judgements = 0;
  bool confirmed = false;  // by Confirm
  int added = 0;           // workers, by Confirm
};

// From the fleet `now`; tries up to `factor_max` times as many.
SizingResult FewestWorkers(const FleetSize& now, double factor_max, const Judge& judge);

// Adds a fiftieth of the fleet at a time, to the regions in turn, the largest first, until `fresh` says that
// it is enough; at most kGrowthsMax times.
inline constexpr int kGrowthsMax = 50;  // 2.7 times the fleet
void Confirm(SizingResult& result, const Judge& fresh);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SIZING_H_
