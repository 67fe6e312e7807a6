// The closed loop of scaling in virtual time: controller, autoscaler, workers that take their time to start.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sim/files/scenario_file.h"
#include "sim/simulation.h"

namespace ringway::sim::scaling_test {
namespace {

std::shared_ptr<Scenario> Loaded() {
  auto loaded = LoadScenario(std::string(RINGWAY_SOURCE_DIR) + "/sim/scaling/evening.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  auto scenario = std::make_shared<Scenario>(*std::move(loaded));
  // Reports and epochs of every other second: half the events, and the loop is no other.
  scenario->report_period_s = scenario->epoch_period_s = 2;
  return scenario;
}

// Sees workers end that have a job, and how many are paid for.
class Watch : public Observer {
 public:
  explicit Watch(const Simulation& run) : run_(run) {}
  void OnWorkerDied(Time, WorkerId worker) override {
    ended_ += 1;
    ended_busy_ += run_.busy(worker);
  }
  void OnSecond(Time now) override {
    const double now_s = ToDoubleSeconds(now - UnixEpoch());
    if (now_s < run_.scenario().warmup_s) return;
    int paid = 0;
    for (std::size_t r = 0; r < run_.scenario().fleet->world.regions.size(); ++r) {
      const int here = run_.autoscaler().paid(RegionId(r));
      least_here_ = std::min(least_here_, here);
      paid += here;
    }
    least_ = std::min(least_, paid);
    most_ = std::max(most_, paid);
  }
  int ended_ = 0, ended_busy_ = 0, least_ = 1 << 20, most_ = 0, least_here_ = 1 << 20;

 private:
  const Simulation& run_;
};

TEST(ScalingTest, ADayIsFollowedAndNoJobIsLost) {
  Simulation run(Loaded());
  Watch watch(run);
  run.Watch(&watch);
  run.Run();
  EXPECT_TRUE(run.checkers().violations().empty()) << run.checkers().violations().front();
  const Totals& totals = run.tally().totals();
  EXPECT_EQ(totals.served(), totals.ended_all()) << "every job was served, those of drained workers too";
  EXPECT_GT(watch.ended_, 30);
  EXPECT_EQ(watch.ended_busy_, 0) << "scale-down takes no worker with a job";
  const ScalingTotals& scaled = run.autoscaler().totals();
  EXPECT_GT(scaled.starts, 20u);
  EXPECT_GT(scaled.stops, 20u);
  EXPECT_LE(scaled.thrash, scaled.starts / 20) << "of " << scaled.starts << " starts";
  // The fleet breathes: the curve swings by .6 around 40 busy workers, not in all regions at once.
  EXPECT_LT(watch.least_, 0.75 * watch.most_);
  EXPECT_GE(watch.least_here_, 1);
  EXPECT_LT(totals.wait.Quantile(0.99), 5) << "a service time";
  // Paid hours beside the work: the rest is for scatter, starts and what is not known yet.
  const double work_s = totals.busy_s;
  EXPECT_GT(scaled.worker_s, work_s);
  EXPECT_LT(scaled.worker_s, 1.6 * work_s);
}

TEST(ScalingTest, ConstantDemandStartsNobodyOnceItIsKnown) {
  auto scenario = Loaded();
  for (DemandSpec& demand : scenario->demand) demand.law = PoissonArrivals{MeanRateRps(demand.law)};
  scenario->duration_s = 3 * 3600;
  Simulation run(scenario);
  run.Run();
  const ScalingTotals& scaled = run.autoscaler().totals();
  EXPECT_LE(scaled.starts, 3u * 2 * 3) << "three an hour and region";
  EXPECT_EQ(scaled.thrash, 0u);
}

TEST(ScalingTest, WithoutAControllerNobodyIsTouched) {
  auto scenario = Loaded();
  scenario->controller = false;
  scenario->duration_s = 3600;
  scenario->warmup_s = 60;
  Simulation run(scenario);
  run.Run();
  EXPECT_EQ(run.autoscaler().totals().starts, 0u);
  EXPECT_EQ(run.autoscaler().totals().stops, 0u);
}

TEST(ScalingTest, TheSameSeedIsTheSameRun) {
  auto scenario = Loaded();
  scenario->duration_s = 2 * 3600;
  Simulation first(scenario), second(scenario);
  first.Run();
  second.Run();
  EXPECT_EQ(first.events(), second.events());
  EXPECT_EQ(first.autoscaler().totals().worker_s, second.autoscaler().totals().worker_s);
  EXPECT_EQ(first.autoscaler().totals().starts, second.autoscaler().totals().starts);
}

}  // namespace
}  // namespace ringway::sim::scaling_test
