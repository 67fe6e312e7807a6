#include "sim/study/sizing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::sim {
namespace {

FleetSize Scaled(const FleetSize& fleet, double factor) {
  FleetSize scaled = fleet;
  for (int& workers : scaled) workers = static_cast<int>(std::ceil(workers * factor - 1e-9));
  return scaled;
}

std::vector<RegionId> LargestFirst(const FleetSize& fleet) {
  std::vector<RegionId> order;
  for (std::size_t i = 0; i < fleet.size(); ++i) order.push_back(RegionId(i));
  std::stable_sort(order.begin(), order.end(), [&](RegionId a, RegionId b) { return fleet[a] > fleet[b]; });
  return order;
}

std::vector<RegionId> DearestFirst(const FleetSize& fleet, const WorkerPrices& prices) {
  std::vector<RegionId> order = LargestFirst(fleet);
  if (prices.empty()) return order;
  std::stable_sort(order.begin(), order.end(), [&](RegionId a, RegionId b) { return prices[a] > prices[b]; });
  return order;
}

// Counts judgements and remembers that somebody wants to stop.
class Court {
 public:
  explicit Court(const Judge& judge) : judge_(judge) {}
  bool Meets(const FleetSize& fleet) {
    if (stopped_ || judgements_ >= kJudgementsMax) {
      stopped_ = true;
      return false;
    }
    ++judgements_;
    const std::optional<bool> verdict = judge_(fleet);
    stopped_ = !verdict.has_value();
    return verdict.value_or(false);
  }
  bool stopped() const { return stopped_; }
  int judgements() const { return judgements_; }

 private:
  const Judge& judge_;
  bool stopped_ = false;
  int judgements_ = 0;
};

constexpr int kFactorSteps = 7;  // halvings of the factor's range: to within 1 %

}  // namespace

absl::StatusOr<Objective> ParseObjective(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("found \"", std::string(text), "\"", std::string(why),
                                                   "; allowed: FIGURE>=NUMBER or FIGURE<=NUMBER, for example "
                                                   "served_share>=0.99 or wait_p99_s<=0.5"));
  };
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos || at + 1 >= text.size() || text[at + 1] != '=') return bad("");
  const std::optional<Figure> figure = FigureNamed(text.substr(0, at));
  if (!figure) return bad(": no figure has this name");
  Objective objective{.figure = *figure, .at_least = text[at] == '>', .bound = 0};
  if (!absl::SimpleAtod(std::string(text.substr(at + 2)), &objective.bound)) return bad("");
  return objective;
}

bool MeetsAll(const std::vector<Objective>& objectives, const Figures& run) {
  return std::all_of(objectives.begin(), objectives.end(),
                     [&](const Objective& objective) { return objective.Met(run); });
}

double Worst(const Objective& objective, const std::vector<Figures>& runs) {
  double worst = runs.front()[objective.figure];
  for (const Figures& run : runs) {
    const double value = run[objective.figure];
    worst = objective.at_least ? std::min(worst, value) : std::max(worst, value);
  }
  return worst;
}

double BreakingShareMax(std::size_t seeds) { return 1 - std::pow(0.05, 1.0 / static_cast<double>(seeds)); }

SizingResult FewestWorkers(const FleetSize& now, double factor_max, const Judge& judge,
                           const WorkerPrices& prices) {
  Court court(judge);
  SizingResult result{.workers = Scaled(now, factor_max)};
  if (court.Meets(now)) {
    result.workers = now;
    factor_max = 1;
  } else if (!court.Meets(result.workers)) {
    result.judgements = court.judgements();
    return result;
  }
  result.met = true;
  double low = factor_max > 1 ? 1 : 0;
  double high = factor_max;
  for (int i = 0; i < kFactorSteps; ++i) {
    const double middle = (low + high) / 2;
    const FleetSize fleet = Scaled(now, middle);
    const bool meets = court.Meets(fleet);
    (meets ? high : low) = middle;
    if (meets) result.workers = fleet;
  }
  for (const RegionId region : DearestFirst(result.workers, prices)) {
    int enough = result.workers[region];
    int few = -1;  // does not do, or nobody has asked
    while (enough - few > 1 && !court.stopped()) {
      // Near the edge first: most regions can give up little.
      const int middle = few < 0 ? enough - std::max(1, enough / 8) : (few + enough) / 2;
      FleetSize fleet = result.workers;
      fleet[region] = middle;
      if (middle >= 0 && court.Meets(fleet)) {
        enough = middle;
      } else {
        few = middle;
      }
    }
    result.workers[region] = enough;
  }
  result.complete = !court.stopped();
  result.judgements = court.judgements();
  return result;
}

void Confirm(SizingResult& result, const Judge& fresh) {
  if (!result.met || !result.complete) return;
  const std::vector<RegionId> order = LargestFirst(result.workers);
  std::size_t next = 0;
  for (int growth = 0; growth <= kGrowthsMax; ++growth) {
    ++result.judgements;
    const std::optional<bool> verdict = fresh(result.workers);
    result.complete = verdict.has_value();
    result.confirmed = verdict.value_or(false);
    if (!result.complete || result.confirmed || growth == kGrowthsMax) return;
    const int all = std::accumulate(result.workers.begin(), result.workers.end(), 0);
    const int more = std::max(1, all / 50);
    for (int i = 0; i < more; ++i) ++result.workers[order[next++ % order.size()]];
    result.added += more;
  }
}

FleetSize SharedOutAs(const FleetSize& fleet, int workers) {
  const int all = std::accumulate(fleet.begin(), fleet.end(), 0);
  FleetSize shared(fleet.size());
  if (all == 0) return shared;
  // The first so many of the fleet's workers, counted region by region, up to each region's end: so the parts
  // add up to the whole.
  std::int64_t seen = 0, given = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    seen += fleet[RegionId(i)];
    const std::int64_t due = (2 * seen * workers + all) / (2 * std::int64_t{all});
    shared[RegionId(i)] = static_cast<int>(due - given);
    given = due;
  }
  return shared;
}

std::optional<std::vector<int>> Needs(const FleetSize& fleet, std::size_t samples, const TrialJudge& judge) {
  const int all = std::accumulate(fleet.begin(), fleet.end(), 0);
  std::vector<int> enough(samples, all), few(samples, 0);
  const int fine = std::max(1, all / 100);
  for (;;) {
    std::vector<Trial> trials;
    std::vector<int> asked;
    for (std::size_t i = 0; i < samples; ++i) {
      if (enough[i] - few[i] <= fine) continue;
      // Near the edge first: a day seldom needs less than three quarters of what the worst day does.
      const int middle = few[i] == 0 ? enough[i] - std::max(1, enough[i] / 4) : (few[i] + enough[i]) / 2;
      asked.push_back(middle);
      trials.push_back({SharedOutAs(fleet, middle), i});
    }
    if (trials.empty()) return enough;
    const auto met = judge(trials);
    if (!met) return std::nullopt;
    for (std::size_t t = 0; t < trials.size(); ++t) {
      (((*met)[t]) ? enough : few)[trials[t].sample] = asked[t];
    }
  }
}

namespace {

// The number of standard deviations below which this share of a normal distribution lies.
double NormalQuantile(double share) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return high;
}

// Of Student's t, from the normal law (Fisher and Cornish's expansion; Abramowitz and Stegun, 26.7.5).
double StudentQuantile(double share, double freedom) {
  const double z = NormalQuantile(share), z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

}  // namespace

double ToleranceFactor(std::size_t samples, double share) {
  RINGWAY_CHECK(samples >= kBoundSamplesMin);
  const auto n = static_cast<double>(samples);
  const double confident = NormalQuantile(0.95), wanted = NormalQuantile(share);
  const double a = 1 - confident * confident / (2 * (n - 1));
  const double b = wanted * wanted - confident * confident / n;
  return (wanted + std::sqrt(std::max(0.0, wanted * wanted - a * b))) / a;
}

KeptBound BoundOf(const std::vector<int>& needs, double share) {
  KeptBound bound{.samples = needs.size(), .factor = ToleranceFactor(needs.size(), share)};
  const auto n = static_cast<double>(needs.size());
  bound.mean = std::accumulate(needs.begin(), needs.end(), 0.0) / n;
  double squares = 0;
  for (const int need : needs) squares += (need - bound.mean) * (need - bound.mean);
  bound.deviation = std::sqrt(squares / (n - 1));
  bound.workers = bound.mean + bound.factor * bound.deviation;
  return bound;
}

double GrowthOf(const std::vector<std::size_t>& days, const std::vector<int>& needs) {
  RINGWAY_CHECK(days.size() == needs.size());
  const auto n = static_cast<double>(needs.size());
  if (n < 4) return 0;
  const double day_mean = std::accumulate(days.begin(), days.end(), 0.0) / n;
  const double need_mean = std::accumulate(needs.begin(), needs.end(), 0.0) / n;
  double day_squares = 0, need_squares = 0, products = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const double day = static_cast<double>(days[i]) - day_mean, need = needs[i] - need_mean;
    day_squares += day * day;
    need_squares += need * need;
    products += day * need;
  }
  const double slope = products / day_squares;
  const double scatter = std::sqrt(std::max(0.0, need_squares - slope * products) / ((n - 2) * day_squares));
  return slope > 0 && slope > StudentQuantile(0.95, n - 2) * scatter ? slope : 0;
}

bool EnlargeForOtherDays(SizingAnswer& answer, const OtherDays& days, const TrialJudge& judge) {
  answer.workers = answer.found.workers;
  if (!answer.found.confirmed || days.keep <= 0 || days.all < kBoundSamplesMin ||
      BreakingShareMax(days.fresh) <= 1 - days.keep) {
    return true;
  }
  const auto needs = Needs(answer.found.workers, days.all, judge);
  if (!needs) return false;
  answer.needs = *needs;
  answer.bound = BoundOf(answer.needs, days.keep);
  const int bound = static_cast<int>(std::ceil(answer.bound->workers - 1e-9));
  const int found = std::accumulate(answer.found.workers.begin(), answer.found.workers.end(), 0);
  if (bound > found) answer.workers = SharedOutAs(answer.found.workers, bound);
  return true;
}

}  // namespace ringway::sim
