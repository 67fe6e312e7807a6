// A recorded day as it was: jobs that bring their own service times wait in the simulator as they would in a
// queue of a dozen lines (FcfsWaits), and the fewest workers are those that brute force over that queue
// finds.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/histogram.h"
#include "gtest/gtest.h"
#include "sim/report/figures.h"
#include "sim/report/reference.h"
#include "sim/simulation.h"
#include "sim/study/days.h"
#include "sim/study/sizing.h"
#include "tests/sim/recorded_day.h"

namespace ringway::sim::recorded_test {
namespace {

// When each submission came and when a worker began with it, in the order of submissions.
class Starts : public Observer {
 public:
  void OnSubmitted(Time now, const Submission& submission) override {
    if (waits_s.size() < submission.serial) waits_s.resize(submission.serial, -1);
    submitted_.resize(waits_s.size());
    submitted_[submission.serial - 1] = now;
  }
  void OnStarted(Time now, WorkerId, const OfferNote& note) override {
    const std::size_t at = note.payload.serial - 1;
    waits_s[at] = ToDoubleSeconds(now - submitted_[at]);
  }
  std::vector<double> waits_s;  // -1: never

 private:
  std::vector<Time> submitted_;
};

double P99(const std::vector<double>& waits) {
  Histogram histogram;
  for (const double wait : waits) histogram.Add(wait);
  return histogram.Quantile(0.99);
}

TEST(Recorded, WaitsAreThoseOfAFirstComeFirstServedQueueToTheMicrosecond) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const DayKind kind;
    const RecordedDay day = MakeDay(kind, seed);
    for (const std::size_t servers : {5, 6, 8}) {
      const std::vector<double> expected = FcfsWaits(day, servers);
      Simulation run(
          std::make_shared<const Scenario>(DayScenario(day, kind.length_s, static_cast<int>(servers), 3000)));
      Starts starts;
      run.Watch(&starts);
      run.Run();
      ASSERT_EQ(starts.waits_s.size(), expected.size());
      double worst_s = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        worst_s = std::max(worst_s, std::abs(starts.waits_s[i] - expected[i]));
      }
      EXPECT_LT(worst_s, 1e-6) << servers << " servers, seed " << seed << ", of " << expected.size();
      EXPECT_TRUE(run.checkers().violations().empty());
    }
  }
}

TEST(Recorded, TheFewestWorkersAreThoseOfBruteForce) {
  const DayKind kind{.length_s = 3600};
  std::vector<RecordedDay> days;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) days.push_back(MakeDay(kind, 100 + seed));
  for (const double allowed_s : {0.5, 5.0, 60.0}) {
    std::vector<int> fewest;
    for (const RecordedDay& day : days) {
      int servers = 1;
      while (P99(FcfsWaits(day, static_cast<std::size_t>(servers))) > allowed_s) ++servers;
      fewest.push_back(servers);
    }
    const auto meets = [&](const FleetSize& fleet, std::size_t day) {
      Simulation run(
          std::make_shared<const Scenario>(DayScenario(days[day], kind.length_s, fleet[RegionId(0)], 3000)));
      run.Run();
      return FiguresOf(run)[Figure::kWaitP99S] <= allowed_s;
    };
    FleetSize now;
    now.push_back(12);
    const SizingResult all = FewestWorkers(now, 4, [&](const FleetSize& fleet) -> std::optional<bool> {
      for (std::size_t day = 0; day < days.size(); ++day) {
        if (fleet[RegionId(0)] < 1 || !meets(fleet, day)) return false;
      }
      return true;
    });
    EXPECT_EQ(all.workers[RegionId(0)], *std::max_element(fewest.begin(), fewest.end())) << allowed_s << " s";
    const auto needs = Needs(all.workers, days.size(), [&](const std::vector<Trial>& trials) {
      std::vector<bool> met;
      for (const Trial& trial : trials) met.push_back(meets(trial.fleet, trial.sample));
      return std::optional(met);
    });
    EXPECT_EQ(*needs, fewest) << allowed_s << " s";
  }
}

TEST(Recorded, ADayIsCutOutOfItsTraceWithItsJobs) {
  RecordedDay three;
  for (int i = 0; i < 30; ++i) {
    three.at_s.push_back(10.0 * i + 1);
    three.service_s.push_back(1 + i);
  }
  const Scenario whole = DayScenario(three, 300, 50, 0);
  EXPECT_EQ(RecordedDays(whole, 100), 3u);
  EXPECT_EQ(RecordedDays(whole, 110), 2u);  // four fifths of a third day are not one
  EXPECT_EQ(RecordedDays(whole, 301), 1u);
  EXPECT_EQ(RecordedDays(whole, 1e-9), kDaysMax);
  const Scenario second = OnDay(whole, 1, 100);
  EXPECT_EQ(second.duration_s, 100);
  const auto& law = std::get<TraceArrivals>(second.demand[0].law);
  ASSERT_EQ(law.offsets_s->size(), 10u);
  EXPECT_EQ(law.offsets_s->front(), 1);
  ASSERT_EQ(law.jobs->size(), 10u);
  EXPECT_EQ(law.jobs->front().service_s, 11);
  Scenario drawn = whole;
  drawn.demand.push_back({.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{1}});
  EXPECT_EQ(RecordedDays(drawn, 100), 0u);
}

TEST(Recorded, JobsThatStillWaitAtTheEndWereNotServedInTime) {
  RecordedDay day;
  for (int i = 0; i < 100; ++i) {
    day.at_s.push_back(i);
    day.service_s.push_back(10);
  }
  // One worker serves ten of a hundred within the time; of the ninety others one runs.
  Simulation run(std::make_shared<const Scenario>(DayScenario(day, 100, 1, 0)));
  run.Run();
  EXPECT_LT(FiguresOf(run)[Figure::kServedShare], 0.12);
  EXPECT_GT(FiguresOf(run)[Figure::kWaitP99S], 80);
}

TEST(Recorded, EachJobHasItsOwnDeadlineSizeAndTries) {
  RecordedDay day{.at_s = {0, 1}, .service_s = {5, 5}};
  Scenario scenario = DayScenario(day, 10, 1, 20);
  scenario.users.tell_deadline = true;
  auto& law = std::get<TraceArrivals>(scenario.demand[0].law);
  auto jobs = *law.jobs;
  jobs[1].deadline_s = 6;  // the worker is free after four of them, and the job takes five
  law.jobs = std::make_shared<const std::vector<RecordedJob>>(jobs);
  Simulation late(std::make_shared<const Scenario>(scenario));
  Reference reference(scenario);
  late.Watch(&reference);
  late.Run();
  EXPECT_EQ(FiguresOf(late)[Figure::kServedShare], 0.5);
  EXPECT_EQ(reference.Figures(late.now_s())[TierId(0)].central_served, 0.5);

  jobs[0] = {.size = 3};
  jobs[1] = {.size = 0.5};
  law.jobs = std::make_shared<const std::vector<RecordedJob>>(jobs);
  class Services : public Observer {
   public:
    void OnSubmitted(Time, const Submission& submission) override { all_s.push_back(submission.service_s); }
    std::vector<double> all_s;
  } services;
  Simulation sized(std::make_shared<const Scenario>(scenario));
  sized.Watch(&services);
  sized.Run();
  EXPECT_EQ(services.all_s, (std::vector<double>{3, 0.5}));  // of a fixed second
}

}  // namespace
}  // namespace ringway::sim::recorded_test
