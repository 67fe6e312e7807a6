#include "tests/planner/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "controller/planner/estimate.h"
#include "controller/planner/planner.h"
#include "core/rng.h"

namespace ringway::planner {
namespace {

constexpr std::size_t kRegions = 30;
constexpr double kHotAbove = 0.8;
constexpr double kServiceS = 5;
constexpr int kStepAt = 300;
constexpr int kEnd = 900;
constexpr int kSteadyEnd = 300;  // the last seconds, for churn and swing
constexpr int kRoundsToSettle = 10;
constexpr double kBaseLoad = 0.72;  // of what is served at the threshold

using Rates = std::vector<double>;

// What was true over one second; the controller sees it later.
struct Seen {
  Rates load, started_rps, entered, ended, busy_s;
};

double PoissonCount(Rng& rng, double mean) {
  double count = 0;
  for (double at = rng.Exponential(); at < mean; at += rng.Exponential()) ++count;
  return count;
}

class Fleet {
 public:
  explicit Fleet(const LoopConditions& conditions) : noise_(conditions.seed, 2), conditions_(conditions) {
    Rng rng(conditions.seed, 1);
    auto world = std::make_shared<World>();
    tier_ = std::make_shared<Tier>();
    tier_->metrics.emplace_back().name = "busy";
    tier_->metrics.back().max_age = Minutes(5);
    tier_->route.overload_threshold = kHotAbove;
    tier_->service_mean = Seconds(kServiceS);
    // An operator whose reports are rare or old says so.
    tier_->guard.stale_after = Seconds(conditions.age_s + 2 * conditions.report_s + 15);
    tier_->guard.missing_after = Seconds(conditions.age_s + 2 * conditions.report_s + 60);
    std::vector<std::pair<double, double>> at;
    for (std::size_t r = 0; r < kRegions; ++r) {
      world->regions.push_back({.name = "r" + std::to_string(r), .title = ""});
      const double x = 150 * rng.Uniform();
      const double y = 80 * rng.Uniform();
      at.emplace_back(x, y);
      const int workers = std::max(20, static_cast<int>(200 * std::exp(0.6 * rng.Normal())));
      tier_->regions.push_back({.workers = workers});
      const double error = conditions.cost_error_max * (2 * rng.Uniform() - 1);
      cost_.push_back(kServiceS / workers * (1 + error));
      demand_rps_.push_back(std::exp(0.25 * rng.Normal()) / cost_.back());
      if (workers > tier_->regions[RegionId(biggest_)].workers) biggest_ = r;
    }
    next_.assign(kRegions, 0);
    world->rtt = RttMatrix(kRegions);
    for (std::size_t a = 0; a < kRegions; ++a) {
      for (std::size_t b = 0; b < kRegions; ++b) {
        const double distance = std::hypot(at[a].first - at[b].first, at[a].second - at[b].second);
        world->rtt.Set(RegionId(a), RegionId(b), 1 + 1.4 * distance);
      }
    }
    world_ = std::move(world);
    ScaleDemand();
  }

  // One second under `table`: requests go out, loads follow.
  void Advance(int second, const TierTable& table) {
    if (second == kStepAt) {
      demand_rps_[biggest_] *= conditions_.demand_factor;
      cost_[biggest_] *= conditions_.slowness;
    }
    now_ = {Rates(kRegions), Rates(kRegions), Rates(kRegions), Rates(kRegions), Rates(kRegions)};
    for (std::size_t s = 0; s < kRegions; ++s) {
      for (const Route& route : table.at(0, RegionId(s)).routes) {
        now_.started_rps[route.target.index()] += demand_rps_[s] * route.fraction;
      }
      for (; next_[s] < second + 1; ++now_.entered[s]) {
        next_[s] = std::max<double>(next_[s], second) +
                   std::max(1e-9, noise_.Gamma(1, conditions_.cv)) / demand_rps_[s];
      }
    }
    if (load_.empty()) {
      for (std::size_t r = 0; r < kRegions; ++r) load_.push_back(now_.started_rps[r] * cost_[r]);
    }
    for (std::size_t r = 0; r < kRegions; ++r) {
      const double workers = tier_->regions[RegionId(r)].workers;
      const double service_s = cost_[r] * workers;
      load_[r] += (now_.started_rps[r] * cost_[r] - load_[r]) * -std::expm1(-1 / service_s);
      const double busy = std::min(1.0, load_[r]) * workers;
      now_.ended[r] = PoissonCount(noise_, busy / service_s);
      now_.busy_s[r] = busy * (1 - 1e-6 * noise_.Uniform());
    }
    now_.load = load_;
    history_.push_back(now_);
    if (history_.size() > static_cast<std::size_t>(conditions_.age_s + conditions_.report_s))
      history_.pop_front();
  }

  // The report of a region that is read this second, if one is: its sums over report_s.
  bool Report(int second, std::size_t region, RegionCounts& counts) const {
    const auto need = static_cast<std::size_t>(conditions_.age_s + conditions_.report_s);
    if (history_.size() < need || (second + static_cast<int>(region)) % conditions_.report_s != 0)
      return false;
    counts.seconds = conditions_.report_s;
    counts.alive = tier_->regions[RegionId(region)].workers;
    for (int k = 0; k < conditions_.report_s; ++k) {
      counts.entered[0] += history_[static_cast<std::size_t>(k)].entered[region];
      counts.ended += history_[static_cast<std::size_t>(k)].ended[region];
      counts.busy_s += history_[static_cast<std::size_t>(k)].busy_s[region];
    }
    return true;
  }
  // The oldest second kept; a busy share cannot be measured above 1.
  Seen OldLoads() const {
    Seen seen = history_.front();
    for (double& load : seen.load) load = std::min(1.0, load);
    return seen;
  }

  const Seen& now() const { return now_; }
  const Rates& demand_rps() const { return demand_rps_; }
  std::size_t biggest() const { return biggest_; }
  std::shared_ptr<const World> world() const { return world_; }
  std::shared_ptr<const Tier> tier() const { return tier_; }
  double prior(std::size_t r) const { return kServiceS / tier_->regions[RegionId(r)].workers; }

 private:
  void ScaleDemand() {
    double total = 0;
    for (std::size_t r = 0; r < kRegions; ++r) total += demand_rps_[r];
    double capacity = 0;
    for (const double cost : cost_) capacity += kHotAbove / cost;
    for (double& rps : demand_rps_) rps *= kBaseLoad * capacity / total;
    // The step starts from the mean, so that 1.8 x 0.72 makes the biggest region 30 % too hot. From much more
    // its load could not fall below the threshold in ten seconds however well it were controlled: jobs last.
    demand_rps_[biggest_] = kBaseLoad * kHotAbove / cost_[biggest_];
  }

  Rng noise_;
  const LoopConditions conditions_;
  std::shared_ptr<const World> world_;
  std::shared_ptr<Tier> tier_;
  std::size_t biggest_ = 0;
  Rates cost_, demand_rps_, load_;
  Rates next_;  // when the next request enters
  Seen now_;
  std::deque<Seen> history_;  // age_s + report_s entries at most
};

// Watches one run and draws the sums.
class Observer {
 public:
  explicit Observer(const LoopConditions& conditions)
      : deadline_(conditions.age_s + 2 * conditions.report_s + kRoundsToSettle) {}

  void Watch(int second, const Fleet& fleet, const TierTable& before, const TierTable& table) {
    const Rates& load = fleet.now().load;
    const double hottest = *std::max_element(load.begin(), load.end());
    const double stepped = load[fleet.biggest()];
    if (second >= kStepAt && hottest > 1.02 * kHotAbove) outcome_.settled_s = second - kStepAt;
    for (std::size_t r = 0; r < load.size(); ++r) {
      if (second > kStepAt + deadline_)
        outcome_.overshoot = std::max(outcome_.overshoot, load[r] - kHotAbove);
    }
    if (second < kEnd - kSteadyEnd) return;
    low_ = std::min(low_, stepped);
    high_ = std::max(high_, stepped);
    outcome_.swing = high_ - low_;
    outcome_.churn += Moved(fleet, before, table) / kSteadyEnd;
    outcome_.tables += before == table ? 0 : 60.0 / kSteadyEnd;
    outcome_.hot_seconds += (hottest > 1.02 * kHotAbove ? 1.0 : 0.0) / kSteadyEnd;
  }

  const LoopOutcome& outcome() const { return outcome_; }

 private:
  static double Moved(const Fleet& fleet, const TierTable& before, const TierTable& table) {
    double moved = 0;
    double total = 0;
    for (std::size_t s = 0; s < kRegions; ++s) {
      Rates change(kRegions);
      for (const Route& route : before.at(0, RegionId(s)).routes)
        change[route.target.index()] -= route.fraction;
      for (const Route& route : table.at(0, RegionId(s)).routes)
        change[route.target.index()] += route.fraction;
      for (const double c : change) moved += std::abs(c) / 2 * fleet.demand_rps()[s];
      total += fleet.demand_rps()[s];
    }
    return moved / total;
  }

  int deadline_;
  LoopOutcome outcome_;
  double low_ = 9;
  double high_ = 0;
};

// next(second, table in force) -> table for the next second
using Control = std::function<TierTable(int, const TierTable&)>;

LoopOutcome Run(Fleet& fleet, const LoopConditions& conditions, const Control& control) {
  TierTable table = HomeTable(TierId(0), kRegions, 1);
  Observer observer(conditions);
  for (int second = 0; second < kEnd; ++second) {
    fleet.Advance(second, table);
    if (second < conditions.age_s + conditions.report_s) continue;
    const TierTable next = control(second, table);
    observer.Watch(second, fleet, table, next);
    table = next;
  }
  return observer.outcome();
}

Time At(int second) { return UnixEpoch() + Seconds(second); }

}  // namespace

LoopOutcome RunPlanner(const LoopConditions& conditions) {
  Fleet fleet(conditions);
  TierEstimate estimate(TierId(0), fleet.tier(), kRegions);
  const Planner planner(fleet.world(), fleet.tier());
  std::vector<Finding> findings;
  return Run(fleet, conditions, [&](int second, const TierTable& table) {
    for (std::size_t r = 0; r < kRegions; ++r) {
      RegionCounts counts{.at = At(second - conditions.age_s)};
      if (!fleet.Report(second, r, counts)) continue;
      estimate.region(RegionId(r)).Count(counts, findings);
      const double load = counts.busy_s / counts.seconds / counts.alive;
      estimate.region(RegionId(r)).Read(0, {.at = counts.at, .load = load, .busy_share = true}, findings);
    }
    findings.clear();
    TierSnapshot snapshot = estimate.Snapshot(At(second));
    snapshot.previous = std::make_shared<const TierTable>(table);
    return planner.Solve(snapshot).table;
  });
}

// Reads the measured load as if it were now and moves the excess to the nearest region with measured room;
// takes traffic back when its own region is measured below the threshold.
LoopOutcome RunNaive(const LoopConditions& conditions) {
  Fleet fleet(conditions);
  const IdVector<RegionId, std::vector<RegionId>> nearest = NearestFirst(fleet.world()->rtt);
  return Run(fleet, conditions, [&](int, const TierTable& table) {
    const Seen seen = fleet.OldLoads();
    TierTable next(TierId(0), kRegions, 1);
    Rates load = seen.load;
    for (std::size_t s = 0; s < kRegions; ++s) {
      Rates share(kRegions);
      for (const Route& route : table.at(0, RegionId(s)).routes) share[route.target.index()] = route.fraction;
      const double unit = std::max(1e-9, fleet.demand_rps()[s] * fleet.prior(s));  // load of all its requests
      const double excess = load[s] - kHotAbove;
      double move = excess > 0 ? std::min(share[s], excess / unit) : 0;
      for (const RegionId target : nearest[RegionId(s)]) {
        const double room = kHotAbove - load[target.index()];
        if (move <= 0 || room <= 0) continue;
        const double part = std::min(move, room / unit);
        share[s] -= part;
        share[target.index()] += part;
        load[target.index()] += part * unit;
        move -= part;
      }
      const double back = excess < 0 ? std::min(1 - share[s], -excess / unit) : 0;
      if (back > 1e-9) {
        const double keep = 1 - back / (1 - share[s]);
        for (std::size_t t = 0; t < kRegions; ++t) share[t] *= t == s ? 1 : keep;
        share[s] += back;
      }
      for (std::size_t t = 0; t < kRegions; ++t) {
        if (share[t] > 0)
          next.at(0, RegionId(s)).routes.push_back({.target = RegionId(t), .fraction = share[t]});
      }
    }
    return next;
  });
}

}  // namespace ringway::planner
