// Reports: the same seed gives the same bytes; what goes into a page cannot break out of it.
#include <cmath>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "sim/kernel/serial_table.h"
#include "sim/report/page.h"
#include "sim/report/run_report.h"
#include "sim/report/statistics.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::report_test {
namespace {

std::string JsonOf(std::uint64_t seed) {
  const auto scenario = RandomScenario(seed);
  Simulation run(scenario);
  Reference reference(*scenario);
  run.Watch(&reference);
  run.Run();
  return ReportJson(MakeReport(run, &reference));
}

TEST(Report, TheSameSeedGivesTheSameBytes) {
  const std::string first = JsonOf(4);
  EXPECT_EQ(first, JsonOf(4));
  EXPECT_NE(first, JsonOf(5));
}

// One region, one tier with a demand of `load`, ten workers and fixed jobs of a second; `idle` workers of
// another tier that nobody asks for.
std::shared_ptr<Scenario> OneRegion(double load, int idle) {
  Fleet fleet = LineFleet(1, 10);
  fleet.tiers[TierId(0)].deadline = Hours(1);
  Tier other = fleet.tiers[TierId(0)];
  other.name = "idle";
  other.regions[RegionId(0)].workers = idle;
  if (idle > 0) fleet.tiers.push_back(std::move(other));
  auto scenario = std::make_shared<Scenario>();
  for (std::size_t t = 0; t < fleet.tiers.size(); ++t) scenario->service.push_back({.law = FixedService{1}});
  scenario->duration_s = 300;
  scenario->warmup_s = 20;
  scenario->demand.push_back(
      {.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{.rate_rps = 10 * load}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

RunReport Played(const std::shared_ptr<Scenario>& scenario) {
  Simulation run(scenario);
  run.Run();
  return MakeReport(run, nullptr);
}

TEST(Report, WorkersThatNobodyAsksForAreNotIdleOnes) {
  const RunReport alone = Played(OneRegion(0.6, 0));
  const RunReport local_idle = Played(OneRegion(0.6, 30));
  EXPECT_NEAR(alone.regions[0].busy_share, 0.6, 0.05);
  EXPECT_NEAR(local_idle.regions[0].busy_share, alone.regions[0].busy_share, 0.01);
  EXPECT_NEAR(local_idle.figures[Figure::kBusyShare], alone.figures[Figure::kBusyShare], 0.01);
  EXPECT_NEAR(local_idle.series.busy[0].back(), alone.series.busy[0].back(), 0.4);
  EXPECT_EQ(local_idle.regions[0].workers, 10);
  ASSERT_FALSE(local_idle.remarks.empty());
  EXPECT_EQ(local_idle.remarks.back(), "tier idle has no demand here: its 30 workers are not counted");
}

// Two regions, all workers in the first and all users in the second.
std::shared_ptr<Scenario> ServedAway() {
  auto scenario = OneRegion(0.5, 0);
  Fleet fleet = LineFleet(2, 10);
  fleet.tiers[TierId(0)].regions[RegionId(1)].workers = 0;
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  scenario->demand[0].region = RegionId(1);
  return scenario;
}

TEST(Report, GpuHoursAndWhatLeavesARegionHaveTheirPrices) {
  auto scenario = ServedAway();
  scenario->prices = UniformPrices(2, 3, 0.5, 4e6);
  scenario->prices->egress_gb[RegionId(1)] = 1000;  // nobody is served there
  const RunReport report = Played(scenario);
  ASSERT_TRUE(report.cost.has_value());
  // Ten workers for 280 s after the warm-up.
  EXPECT_NEAR(report.cost->gpu_hours, 10 * 280 / 3600.0, 0.01);
  EXPECT_DOUBLE_EQ(report.cost->gpu, 3 * report.cost->gpu_hours);
  const auto served = report.figures[Figure::kServedJobs];
  EXPECT_GT(served, 1000);
  EXPECT_NEAR(report.cost->egress_gb, served * 4e6 / 1e9, 1e-9);
  EXPECT_NEAR(report.cost->egress, report.cost->egress_gb * 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(report.regions[0].cost.egress, report.cost->egress);
  EXPECT_EQ(report.regions[1].cost.total(), 0);
  EXPECT_NEAR(report.figures[Figure::kCostPer1000], 1000 * report.cost->total() / served, 1e-9);
  const std::string json = ReportJson(report);
  EXPECT_NE(json.find("\"cost_per_1000_served\""), std::string::npos);
  EXPECT_NE(json.find("\"egress_gb\""), std::string::npos);
}

TEST(Report, WithoutPricesNothingIsSaidOfMoney) {
  const RunReport report = Played(ServedAway());
  EXPECT_FALSE(report.cost.has_value());
  EXPECT_FALSE(report.figures.priced());
  EXPECT_EQ(ReportJson(report).find("cost\":"), std::string::npos);
}

TEST(Report, WhatServesNobodyHasNoCheapThousand) {
  Figures figures;
  figures.SetCosts(10, 1);
  EXPECT_TRUE(std::isinf(figures[Figure::kCostPer1000]));
}

TEST(Report, JobsThatStillWaitAtTheEndCount) {
  // Twice what ten workers do: after 300 s half of all jobs wait, some for more than a minute. None is shed,
  // as the deadline is an hour.
  auto scenario = OneRegion(2, 0);
  auto fleet = std::make_shared<Fleet>(*scenario->fleet);
  fleet->tiers[TierId(0)].dispatch.mode = DispatchMode::kLedger;
  fleet->tiers[TierId(0)].dispatch.waiting_max = 100'000;
  scenario->fleet = fleet;
  scenario->controller = false;
  Simulation run(scenario);
  run.Run();
  const Totals& totals = run.tally().totals();
  ASSERT_EQ(totals.submitted, totals.ended_all() + totals.still_waiting + totals.still_running);
  EXPECT_GT(totals.still_waiting, totals.submitted / 3);
  EXPECT_LE(totals.still_running, 12u);
  const Figures figures = FiguresOf(run);
  EXPECT_NEAR(figures[Figure::kServedShare],
              static_cast<double>(totals.served()) / static_cast<double>(totals.submitted), 0.01);
  // Who waits has waited for as long as it is old; on average half of what the last one of them will have.
  EXPECT_EQ(totals.wait.count(), totals.served() + totals.still_waiting + totals.still_running);
  EXPECT_GT(figures[Figure::kWaitP99S], 60);
  // A quiet fleet has nobody waiting at the end, and nothing changes there.
  const RunReport quiet = Played(OneRegion(0.3, 0));
  EXPECT_LE(quiet.still_waiting, 1u);
  EXPECT_GE(quiet.figures[Figure::kServedShare], 0.999);
}

TEST(Report, NamesCannotLeaveTheScript) {
  const std::string page = Page({"{\"scenario\": \"</script><b>x\"}"}, "");
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("<\\/script><b>"), std::string::npos);
  // No address is ever asked for anything; the name of SVG's namespace is not one.
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(Report, AnEarlyStopStillReports) {
  const auto scenario = RandomScenario(2);
  Simulation run(scenario);
  run.Run([](double now_s) { return now_s < 20; });
  const RunReport report = MakeReport(run, nullptr);
  EXPECT_FALSE(report.complete);
  EXPECT_NEAR(report.duration_s, 20, 1.01);
  EXPECT_FALSE(SeriesCsv(report).empty());
}

TEST(Statistics, IntervalsAreStudents) {
  const Estimate e = EstimateMean({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(e.mean, 3);
  EXPECT_NEAR(e.half_width, 2.776 * std::sqrt(2.5 / 5), 1e-9);
  EXPECT_NEAR(EstimateDifference({2, 3, 4}, {1, 2, 3}).half_width, 0, 1e-12);
}

TEST(SerialTable, KeepsWhatStaysBehindAndForgetsTheRest) {
  SerialTable<int> table;
  table.Add(1) = 100;  // stays while a million pass
  for (std::uint64_t serial = 2; serial < 3'000'000; ++serial) {
    table.Add(serial) = static_cast<int>(serial);
    if (serial > 500) table.Erase(serial - 400);
    if (serial - 400 == 1) table.Add(1) = 100;
  }
  ASSERT_NE(table.Find(1), nullptr);
  EXPECT_EQ(*table.Find(1), 100);
  EXPECT_EQ(table.Find(1000), nullptr);
  EXPECT_NE(table.Find(2'999'999), nullptr);
}

}  // namespace
}  // namespace ringway::sim::report_test
