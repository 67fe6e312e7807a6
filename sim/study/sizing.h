// The fewest workers in each region that still meet an objective.
//
// First all regions together: the smallest factor on the fleet that meets it, by bisection. Then region by
// region, the dearest and then the largest first: as few of its workers as the objective allows while the
// others stand, again by bisection, once round. More workers never serve fewer, so bisection finds the edge
// up to the noise of a run. A fleet meets an objective if every seed does (MeetsAll): of a mean, half the
// days are worse. n seeds that all meet it say with 95 % confidence that at most a share 1 - 0.05^(1/n) of
// days breaks it (0.45 for 5, 0.14 for 20). A search looks at many fleets with the same seeds and so finds
// one that these seeds happen to like: Confirm judges its answer again with seeds that it has not seen, and
// adds workers until these meet it too. What the search itself ends with is a fleet from which no region
// alone can give up more; another split of the same total may exist.
//
// That a few days were kept says little of the next ones: of ten days that just met it, the eleventh breaks
// it with probability 1/11. So each day is asked how many workers it needs alone (Needs), and the answer is
// the one-sided tolerance bound of these numbers (BoundOf): the mean plus k standard deviations, where k is
// such that with 95 % confidence a given share of all days needs no more, if needs are near to normal (M. G.
// Natrella, Experimental Statistics, 1963, 2-2.3.1; k is 2.9 for 95 % of days from 10, 1.9 from 100). Needs
// are numbers of workers, which are much nearer to normal than quantiles of waits are. Days that need more
// and more (GrowthOf) are no such sample: the bound is then of days as these were.
//
// A sample is a run: a seed, or a recorded day. The judges are functions, so that runs may go wherever there
// are cores. Bound: kJudgementsMax.
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

// From the fleet `now`; tries up to `factor_max` times as many. With prices of a worker by region the dearest
// region gives first, so that the answer keeps its workers where they are cheap.
using WorkerPrices = IdVector<RegionId, double>;
SizingResult FewestWorkers(const FleetSize& now, double factor_max, const Judge& judge,
                           const WorkerPrices& prices = {});

// Adds a fiftieth of the fleet at a time, to the regions in turn, the largest first, until `fresh` says that
// it is enough; at most kGrowthsMax times.
inline constexpr int kGrowthsMax = 50;  // 2.7 times the fleet
void Confirm(SizingResult& result, const Judge& fresh);

// As many workers in all as `workers`, shared out as in `fleet`, to the nearest worker.
FleetSize SharedOutAs(const FleetSize& fleet, int workers);

// A question to one sample alone.
struct Trial {
  FleetSize fleet;
  std::size_t sample = 0;
};
// Whether each trial's fleet meets the objective with its sample, in the order of trials; no value: stop.
using TrialJudge = std::function<std::optional<std::vector<bool>>(const std::vector<Trial>&)>;

// How many workers each of the samples alone needs, shared out as in `fleet`, which is enough for all of
// them: by bisection, to a hundredth of the fleet or a worker. No value: somebody wants to stop.
std::optional<std::vector<int>> Needs(const FleetSize& fleet, std::size_t samples, const TrialJudge& judge);

// How many workers keep the objective on a share of all days, by what some of them need.
struct KeptBound {
  std::size_t samples = 0;
  double mean = 0;  // of the needs
  double deviation = 0;
  double factor = 0;  // k
  double workers = 0;
};
inline constexpr std::size_t kBoundSamplesMin = 3;
// k of the tolerance bound with 95 % confidence; needs kBoundSamplesMin samples. share: in [0.5, 1).
double ToleranceFactor(std::size_t samples, double share);
// Needs kBoundSamplesMin of them.
KeptBound BoundOf(const std::vector<int>& needs, double share);

// How many workers more each later day needs (least squares), if chance alone would hardly ever show as steep
// a rise, in less than one of twenty recordings (Student's t); else 0. `days` are distinct numbers, one for
// each need.
double GrowthOf(const std::vector<std::size_t>& days, const std::vector<int>& needs);

// A size with what is known of days that nobody has seen.
struct SizingAnswer {
  SizingResult found;
  FleetSize workers;               // that are recommended
  std::vector<int> needs;          // of each sample alone, if they were asked
  std::optional<KeptBound> bound;  // if `workers` comes of it
};
struct OtherDays {
  std::size_t all = 0;    // samples that `found` meets
  std::size_t fresh = 0;  // of those, that the search had not seen
  double keep = 0.95;     // share of all days that are to keep the objective; 0: nobody asks
};
// Takes the tolerance bound where it is above what was found; not where so many fresh samples were met that
// this says enough by itself, where the answer was not confirmed, and where fewer than kBoundSamplesMin were
// seen. False: stopped before it was known.
bool EnlargeForOtherDays(SizingAnswer& answer, const OtherDays& days, const TrialJudge& judge);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SIZING_H_
