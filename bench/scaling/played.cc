#include "bench/scaling/played.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "sim/scenario.h"
#include "sim/simulation.h"

namespace ringway::bench {
namespace {

// How often the rate that arrivals are drawn from is above what was provided for when a worker would have had
// to be ordered for this minute.
class Provided : public sim::Observer {
 public:
  Provided(const sim::Simulation& run, const Days& days, double warmup_s, double ahead_s)
      : run_(run), days_(days), warm_s_(warmup_s), ahead_(static_cast<std::size_t>(ahead_s / 60)) {}

  void OnSecond(Time now) override {
    const double now_s = ToDoubleSeconds(now - UnixEpoch());
    if (std::lround(now_s) % 60 != 0 || !run_.control().alive()) return;
    double at_most = 0;
    for (const controller::TierLoop& loop : run_.control().machine().tiers()) {
      if (!loop.scaler()) continue;
      for (const scale::Wanted& wanted : loop.scaler()->wanted()) at_most += wanted.at_most_rps;
    }
    provided_.push_back(at_most);
    if (now_s < warm_s_ || provided_.size() <= ahead_) return;
    if (days_.rate_rps.empty()) return;
    minutes_ += 1;
    const double rate_rps = days_.rate_rps[static_cast<std::size_t>(now_s / kRateStepS)];
    exceeded_ += rate_rps > provided_[provided_.size() - 1 - ahead_];
  }
  double share() const { return minutes_ > 0 ? exceeded_ / minutes_ : 0; }

 private:
  const sim::Simulation& run_;
  const Days& days_;
  double warm_s_;
  std::size_t ahead_;
  double minutes_ = 0, exceeded_ = 0;
  std::vector<double> provided_;  // by minute, of all regions
};

}  // namespace

Played Play(const Days& days, const HowPlayed& how) {
  const auto start = std::chrono::steady_clock::now();
  auto fleet = std::make_shared<Fleet>(*days.fleet);
  Tier& tier = fleet->tiers[TierId(0)];
  tier.scaling = how.scaling;
  tier.route.overload_threshold = how.overload_threshold;
  if (!how.pooled) tier.dispatch.spill.share = 0;
  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = fleet->world.name;
  scenario->duration_s = days.length_s;
  scenario->warmup_s = how.history_days * kDayS;
  scenario->epoch_period_s = scenario->report_period_s = 5;
  scenario->routers_per_region = 1;
  scenario->autoscale = sim::AutoscaleSpec{.start_up_s = how.start_up_s, .initial_share = 0.5};
  scenario->service.push_back({.law = sim::LogNormalService{days.service_mean_s, kJobCv}});
  for (std::size_t r = 0; r < days.offsets_s.size(); ++r) {
    sim::TraceArrivals law;
    law.offsets_s = days.offsets_s[r];
    law.jobs = days.jobs[r];
    law.recorded_s = days.length_s;
    scenario->demand.push_back({.tier = TierId(0), .region = RegionId(r), .law = std::move(law)});
  }
  scenario->fleet = std::move(fleet);
  sim::Simulation run(scenario);
  Provided provided(run, days, scenario->warmup_s, how.start_up_s);
  run.Watch(&provided);
  run.Run();
  const sim::Totals& totals = run.tally().totals();
  const sim::ScalingTotals& scaled = run.autoscaler().totals();
  Played played;
  played.gpu_hours = scaled.worker_s / 3600;
  played.starts = static_cast<double>(scaled.starts);
  played.stops = static_cast<double>(scaled.stops);
  played.thrash = static_cast<double>(scaled.thrash);
  played.wait_p99_s = totals.wait.Quantile(0.99);
  played.wait_mean_s = totals.wait.mean();
  played.served_share = static_cast<double>(totals.served()) / static_cast<double>(totals.ended_all());
  played.home_share = static_cast<double>(totals.served_at_home) / static_cast<double>(totals.served());
  played.exceeded_share = provided.share();
  played.tables_per_minute = static_cast<double>(totals.tables) / static_cast<double>(run.routers()) /
                             ((scenario->duration_s - scenario->warmup_s) / 60);
  played.sound = run.checkers().violations().empty();
  if (!played.sound) std::fprintf(stderr, "%s\n", run.checkers().violations().front().c_str());
  played.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return played;
}

}  // namespace ringway::bench
