// A run in slices of its time: how it is cut, that users are those of the whole run, that merging loses
// nothing, and how near the figures come.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/report/run_report.h"
#include "sim/step_times.h"
#include "sim/study/slice_merge.h"
#include "sim/study/slice_plan.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::slice_test {
namespace {

// Three regions of `workers` each, load 0.85 on average, each with its own evening; no step.
Scenario Day(double duration_s, int workers = 40) {
  Fleet fleet = LineFleet(3, workers);
  fleet.tiers[TierId(0)].dispatch.mode = DispatchMode::kLedger;
  fleet.tiers[TierId(0)].deadline = Seconds(30);
  Scenario scenario;
  scenario.name = "day";
  scenario.service.push_back({.law = LogNormalService{1, 0.5}});
  scenario.duration_s = duration_s;
  scenario.warmup_s = 20;
  for (int region = 0; region < 3; ++region) {
    const DayCurveArrivals law{.mean_rps = 0.85 * workers,
                               .swing = 0.15,
                               .peak_local_hour = 20,
                               .utc_offset_minutes = 240 * region,
                               .start_utc_hour = 0,
                               .day_s = duration_s};
    scenario.demand.push_back(
        {.tier = TierId(0), .region = RegionId(static_cast<std::size_t>(region)), .law = law});
  }
  scenario.fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

std::shared_ptr<const Scenario> Shared(Scenario scenario) {
  return std::make_shared<const Scenario>(std::move(scenario));
}

RunReport Whole(const std::shared_ptr<const Scenario>& scenario) {
  Simulation run(scenario);
  Reference reference(*scenario);
  run.Watch(&reference);
  run.Run();
  return MakeReport(run, &reference);
}

std::string Remarks(const SlicedRun& run) {
  std::string all;
  for (const std::string& remark : run.report.remarks) all += remark + "\n";
  return all;
}

SlicedRun Sliced(const std::shared_ptr<const Scenario>& scenario, std::size_t count, double warmup_s) {
  const absl::StatusOr<SlicePlan> plan = PlanSlices(*scenario, count, warmup_s);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<SlicePlayed> played;
  for (const Slice& slice : plan->slices) played.push_back(*PlaySlice(scenario, slice));
  return MergeSlices(*plan, std::move(played));
}

// ---- how it is cut ----

TEST(SlicePlan, WindowsCoverTheScenarioAndEachHasItsWarmUp) {
  struct Case {
    double duration_s;
    std::size_t count;
    double warmup_s;
    std::vector<double> begins, from;
  };
  for (const Case& c : std::vector<Case>{{600, 1, 60, {0}, {0}},
                                         {600, 2, 60, {0, 240}, {0, 300}},
                                         {600, 3, 200, {0, 0, 200}, {0, 200, 400}},
                                         {1001, 2, 50.5, {0, 449}, {0, 500}},
                                         {600, 2, 0, {0, 300}, {0, 300}}}) {
    const absl::StatusOr<SlicePlan> plan = PlanSlices(Day(c.duration_s), c.count, c.warmup_s);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->slices.size(), c.count);
    for (std::size_t i = 0; i < c.count; ++i) {
      EXPECT_EQ(plan->slices[i].begins_s, c.begins[i]);
      EXPECT_EQ(plan->slices[i].from_s, c.from[i]);
      if (i == 0) continue;
      EXPECT_EQ(plan->slices[i - 1].to_s, plan->slices[i].from_s);
    }
    EXPECT_TRUE(plan->slices.back().last());
  }
}

TEST(SlicePlan, TheWarmUpFollowsTheScenario) {
  Scenario day = Day(10'000);
  EXPECT_EQ(DefaultSliceWarmupS(day), 75);  // the controller's memory
  day.service[TierId(0)].law = FixedService{8};
  EXPECT_EQ(DefaultSliceWarmupS(day), 160);
  day.warmup_s = 300;
  EXPECT_EQ(DefaultSliceWarmupS(day), 300);
  day.warmup_s = 0;
  day.controller = false;
  day.service[TierId(0)].law = FixedService{0.5};
  EXPECT_EQ(DefaultSliceWarmupS(day), 10);
}

std::string Refusal(const Scenario& scenario, std::size_t count, double warmup_s) {
  const absl::StatusOr<SlicePlan> plan = PlanSlices(scenario, count, warmup_s);
  return plan.ok() ? "" : std::string(plan.status().message());
}

TEST(SlicePlan, WhatCannotBeSlicedIsRefusedWithTheReason) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  Scenario scaled = Day(600);
  scaled.autoscale = AutoscaleSpec{};
  EXPECT_TRUE(has(Refusal(scaled, 2, 60), "spec.autoscale")) << Refusal(scaled, 2, 60);
  EXPECT_EQ(Refusal(scaled, 1, 60), "");
  Scenario again = Day(600);
  again.users.resubmit_share = 0.5;
  EXPECT_TRUE(has(Refusal(again, 2, 60), "resubmitShare")) << Refusal(again, 2, 60);
  EXPECT_TRUE(has(Refusal(Day(600), 20, 60), "at most 10 slices")) << Refusal(Day(600), 20, 60);
  Scenario leaderless = Day(1000);
  leaderless.steps.push_back({.at_s = 100, .fault = KillController{}});
  EXPECT_TRUE(has(Refusal(leaderless, 5, 60), "fewer slices")) << Refusal(leaderless, 5, 60);
}

TEST(SlicePlan, ASliceStartsBeforeAFaultOfWhichTheFleetKeepsSomething) {
  Scenario day = Day(1000);
  day.steps.push_back({.at_s = 400, .lasts_s = 80, .fault = KillController{}});
  day.steps.push_back({.at_s = 300, .lasts_s = 500, .fault = KillRegion{{RegionId(1)}}});
  const absl::StatusOr<SlicePlan> plan = PlanSlices(day, 2, 60);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->slices[1].begins_s, 340);  // not 440: the controller has been gone since 400
  ASSERT_EQ(plan->remarks.size(), 1u);
}

// ---- faults before the start ----

TEST(StepTimes, InForceAreTheBeginsWhoseEndsAreToCome) {
  Scenario day = Day(1000);
  day.steps.push_back({.at_s = 10, .lasts_s = 20, .fault = KillRegion{{RegionId(0)}}});
  day.steps.push_back({.at_s = 50, .fault = SlowWorkers{{}, 1, 2}});
  day.steps.push_back({.at_s = 5, .lasts_s = 30, .every_s = 100, .fault = KillWorkers{{}, 0.5}});
  day.steps.push_back({.at_s = 7, .every_s = 10, .fault = BreakStreams{}});
  const auto text = [&](const std::vector<StepMoment>& moments) {
    std::string all;
    for (const StepMoment& m : moments) {
      all += std::to_string(m.step) + (m.begins ? "+" : "-") + std::to_string(m.at_ns / 1'000'000'000) + " ";
    }
    return all;
  };
  const StepsAt zero = StepsAround(day, 0);
  EXPECT_EQ(text(zero.replay), "");
  EXPECT_EQ(text(zero.to_come), "2+5 3+7 0+10 1+50 ");
  const StepsAt later = StepsAround(day, 220'000'000'000);
  // Workers that died again since the slow-down, once; the region is back since before.
  EXPECT_EQ(text(later.replay), "1+50 2+105 2-135 2+205 ");
  EXPECT_EQ(text(later.to_come), "3+227 2-235 2+305 ");
}

// ---- users ----

struct Arrival {
  std::uint64_t serial;
  std::int64_t at_ns;
  double service_s;
  std::size_t region;
  std::uint64_t key;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

class Arrivals : public Observer {
 public:
  explicit Arrivals(const Slice& slice) : slice_(slice) {}
  void OnSubmitted(Time now, const Submission& submission) override {
    const std::int64_t now_ns = ToUnixNanos(now);
    if (now_ns < slice_.from_ns() || now_ns >= slice_.to_ns()) return;
    all.push_back(
        {submission.serial, now_ns, submission.service_s, submission.region.index(), submission.key});
  }
  std::vector<Arrival> all;

 private:
  Slice slice_;
};

std::vector<Arrival> ArrivalsOf(const std::shared_ptr<const Scenario>& scenario, const Slice& slice) {
  Simulation run(scenario, slice);
  Arrivals arrivals(slice);
  run.Watch(&arrivals);
  run.Run();
  return arrivals.all;
}

// Every law, with keys, twins and demand that is scaled while a slice starts.
Scenario EveryLaw(std::uint64_t seed) {
  Scenario scenario = Day(240, 8);
  scenario.seed = seed;
  auto offsets = std::make_shared<std::vector<double>>();
  for (int i = 0; i < 150; ++i) offsets->push_back(i / 3);  // whole seconds: many at once
  scenario.demand.push_back({.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{2}});
  scenario.demand.push_back({.tier = TierId(0), .region = RegionId(1), .law = GammaArrivals{1, 2}});
  scenario.demand.push_back({.tier = TierId(0), .region = RegionId(2), .law = MmppArrivals{1, 5, 20, 5}});
  for (std::size_t region = 0; region < 2; ++region) {
    scenario.demand.push_back({.tier = TierId(0),
                               .region = RegionId(region),
                               .law = TraceArrivals{.offsets_s = offsets, .length_s = 50}});
  }
  scenario.users.keyed_share = 0.3;
  scenario.users.twice_share = 0.5;
  scenario.steps.push_back(
      {.at_s = 30, .lasts_s = 60, .every_s = 90, .fault = ScaleDemand{{RegionId(0)}, 1.7}});
  scenario.steps.push_back({.at_s = 65, .lasts_s = 100, .fault = BadJobs{{RegionId(1)}, 0.2}});
  return scenario;
}

TEST(Slices, UsersOfTheSlicesAreThoseOfTheWholeRun) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto scenario = Shared(EveryLaw(seed));
    const std::vector<Arrival> whole = ArrivalsOf(scenario, {});
    ASSERT_GT(whole.size(), 4000u);
    for (const std::size_t count : {2u, 3u, 7u}) {
      const absl::StatusOr<SlicePlan> plan = PlanSlices(*scenario, count, 10);
      ASSERT_TRUE(plan.ok()) << plan.status();
      std::vector<Arrival> sliced;
      for (const Slice& slice : plan->slices) {
        const std::vector<Arrival> part = ArrivalsOf(scenario, slice);
        sliced.insert(sliced.end(), part.begin(), part.end());
      }
      ASSERT_EQ(sliced.size(), whole.size()) << "seed " << seed << ", " << count << " slices";
      EXPECT_EQ(sliced, whole) << "seed " << seed << ", " << count << " slices";
    }
  }
}

// ---- merging ----

TEST(Slices, OneSliceIsTheRun) {
  const auto scenario = Shared(Day(120, 10));
  EXPECT_EQ(ReportJson(Sliced(scenario, 1, 30).report), ReportJson(Whole(scenario)));
}

TEST(Slices, MergedResultsHoldWhatTheirPartsHold) {
  const auto scenario = Shared(Day(300, 10));
  const SlicePlan plan = *PlanSlices(*scenario, 3, 30);
  std::vector<RunResult> parts;
  Histogram waits;
  std::uint64_t submitted = 0, served = 0, events = 0;
  for (const Slice& slice : plan.slices) {
    parts.push_back(PlaySlice(scenario, slice)->result);
    const Totals& totals = parts.back().totals;
    EXPECT_GT(totals.wait.count(), 500u);
    waits.Merge(totals.wait);
    submitted += totals.submitted;
    served += totals.served();
    events += parts.back().events;
    // Every job of the window has its end.
    if (!slice.last()) {
      EXPECT_EQ(totals.submitted, totals.ended_all());
    }
  }
  const RunResult all = MergeResults(std::move(parts));
  EXPECT_EQ(all.totals.submitted, submitted);
  EXPECT_EQ(all.totals.served(), served);
  EXPECT_EQ(all.events, events);
  EXPECT_EQ(all.totals.wait.count(), waits.count());
  EXPECT_EQ(all.seconds.size(), 301u);
  EXPECT_EQ(all.now_s, 300);
  for (double q = 0; q <= 1; q += 0.01) EXPECT_EQ(all.totals.wait.Quantile(q), waits.Quantile(q));
  std::uint64_t second_by_second = 0;
  for (const SecondTally& second : all.seconds) {
    for (const RegionSecond& region : second.regions) second_by_second += region.submitted;
  }
  Simulation whole(scenario);
  whole.Run();
  EXPECT_EQ(submitted, whole.tally().totals().submitted);
  EXPECT_GT(second_by_second, submitted);  // the scenario's warm-up is in the series
}

// ---- how near ----

void ExpectNear(const RunReport& sliced, const RunReport& whole) {
  const auto of = [](const RunReport& report, Figure figure) { return report.figures[figure]; };
  EXPECT_EQ(of(sliced, Figure::kSubmitted), of(whole, Figure::kSubmitted));
  EXPECT_NEAR(of(sliced, Figure::kWaitMeanS) / of(whole, Figure::kWaitMeanS), 1, 0.01);
  EXPECT_NEAR(of(sliced, Figure::kWaitP99S) / of(whole, Figure::kWaitP99S), 1, 0.03);
  EXPECT_NEAR(of(sliced, Figure::kServedShare), of(whole, Figure::kServedShare), 0.001);
  EXPECT_NEAR(of(sliced, Figure::kBusyShare) / of(whole, Figure::kBusyShare), 1, 0.002);
  for (std::size_t r = 0; r < whole.regions.size(); ++r) {
    EXPECT_NEAR(sliced.regions[r].busy_share, whole.regions[r].busy_share, 0.005);
  }
  ASSERT_EQ(sliced.series.served.size(), whole.series.served.size());
}

TEST(Slices, WaitsOfADayAreNearlyThoseOfTheWholeRun) {
  const auto scenario = Shared(Day(4800));
  const RunReport whole = Whole(scenario);
  ASSERT_GT(whole.figures[Figure::kWaitMeanS], 0.01);
  const SlicedRun sliced = Sliced(scenario, 4, DefaultSliceWarmupS(*scenario));
  ExpectNear(sliced.report, whole);
  EXPECT_TRUE(sliced.seams.within()) << Remarks(sliced);
  EXPECT_TRUE(sliced.report.violations.empty()) << sliced.report.violations.front();
}

TEST(Slices, AFaultThatBeganBeforeASeamIsInForceAfterIt) {
  Scenario day = Day(1600);
  day.steps.push_back({.at_s = 500, .lasts_s = 500, .fault = KillWorkers{{RegionId(1)}, 0.25}});
  day.steps.push_back({.at_s = 550, .lasts_s = 300, .fault = SlowWorkers{{RegionId(2)}, 0.1, 2}});
  day.steps.push_back({.at_s = 600, .fault = KillRouters{{RegionId(0)}, 1}});
  const auto scenario = Shared(std::move(day));
  const RunReport whole = Whole(scenario);
  const SlicedRun sliced = Sliced(scenario, 2, 100);  // starts at 700
  EXPECT_EQ(sliced.report.figures[Figure::kSubmitted], whole.figures[Figure::kSubmitted]);
  EXPECT_TRUE(sliced.seams.within()) << Remarks(sliced);
  EXPECT_TRUE(sliced.report.violations.empty()) << sliced.report.violations.front();
  EXPECT_NEAR(sliced.report.figures[Figure::kWaitMeanS] / whole.figures[Figure::kWaitMeanS], 1, 0.05);
  // The quarter that is dead works for nobody, until the second slice brings it back.
  for (std::size_t bin = 0; bin < whole.series.busy[1].size(); ++bin) {
    EXPECT_NEAR(sliced.report.series.busy[1][bin], whole.series.busy[1][bin], 0.15) << bin;
  }
}

TEST(Slices, AWarmUpThatIsTooShortIsTold) {
  const auto scenario = Shared(Day(600));
  for (const double warmup_s : {0.0, 2.0}) {
    const SlicedRun sliced = Sliced(scenario, 2, warmup_s);
    EXPECT_FALSE(sliced.seams.within()) << Remarks(sliced);
    const std::vector<std::string>& remarks = sliced.report.remarks;
    EXPECT_NE(remarks.back().find("--slice-warmup"), std::string::npos) << remarks.back();
  }
}

// Three regions of 100 workers and one row, changed in one thing.
TEST(Seams, WhatIsMoreThanChanceIsTold) {
  const Scenario scenario = Day(600, 100);
  SeamState state{.busy = {80, 85, 90}, .waiting = {0, 1, 2}, .rows = {}, .seconds = 10};
  state.rows.push_back({.tier = TierId(0), .source = RegionId(1), .shares = {0.1, 0.9, 0, 0}});
  EXPECT_TRUE(CompareSeam(scenario, 300, state, state).within());
  SeamState other = state;
  other.busy[2] -= 15;  // in one region
  EXPECT_TRUE(CompareSeam(scenario, 300, state, other).within());
  other.busy = {70, 75, 80};  // everywhere
  const SeamReport less = CompareSeam(scenario, 300, state, other);
  EXPECT_FALSE(less.busy.within());
  EXPECT_NE(less.busy.text.find("255.0 after all that came before, 225.0"), std::string::npos)
      << less.busy.text;
  other = state;
  other.waiting[0] = 40;
  EXPECT_FALSE(CompareSeam(scenario, 300, state, other).waiting.within());
  other = state;
  other.rows[0].shares = {0.1, 0.5, 0.4, 0};
  const SeamReport moved = CompareSeam(scenario, 300, state, other);
  EXPECT_FALSE(moved.tables.within());
  EXPECT_NE(moved.tables.text.find("40.0 %"), std::string::npos) << moved.tables.text;
  other.rows.clear();
  EXPECT_FALSE(CompareSeam(scenario, 300, state, other).tables.within());
}

}  // namespace
}  // namespace ringway::sim::slice_test
