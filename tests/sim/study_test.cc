// Studies: axes and shards, resuming from a torn file, comparisons that see through noise, and the search for
// the smallest fleet.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "gtest/gtest.h"
#include "sim/study/comparison.h"
#include "sim/study/days.h"
#include "sim/study/grid.h"
#include "sim/study/parameters.h"
#include "sim/study/sizing.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::study_test {
namespace {

Figures Made(double served) {
  Figures figures;
  figures[Figure::kServedShare] = served;
  return figures;
}

TEST(Grid, ReadsAxes) {
  EXPECT_EQ(ParseAxis("load=1,2.5")->values, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(ParseAxis("load=0.5:0.9:0.2")->values.size(), 3u);
  for (const char* bad : {"load", "load=", "load=a", "load=1:2", "load=2:1:1", "load=1:2:0", "=1"}) {
    EXPECT_FALSE(ParseAxis(bad).ok()) << bad;
  }
}

TEST(Grid, ShardsMakeTheWholeAndATornLineDoesNotCount) {
  Grid grid{.axes = {{"demand", {1, 2, 3}}, {"threshold", {0.5, 0.8}}}, .seeds = 4};
  ASSERT_EQ(grid.size(), 24u);
  std::string shards[2] = {CsvHeader(grid), CsvHeader(grid)};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    shards[i % 2] += CsvLine(grid, grid.At(i), Made(static_cast<double>(i)));
  }
  Grid read;
  GridResults results;
  ASSERT_TRUE(ReadCsv(shards[0], "a.csv", read, results).ok());
  ASSERT_TRUE(ReadCsv(shards[1] + "1,0.5,9", "b.csv", read, results).ok());
  EXPECT_EQ(results.size(), grid.size());
  const std::vector<GridRow> rows = Summarize(results);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].seeds, 4u);
  EXPECT_DOUBLE_EQ(rows[0].figures[static_cast<std::size_t>(Figure::kServedShare)].mean, 1.5);
}

TEST(Grid, NamesTheLineAndTheColumnOfAMistake) {
  Grid grid{.axes = {{"demand", {1}}}, .seeds = 1};
  GridResults results;
  std::string text = CsvHeader(grid) + CsvLine(grid, grid.At(0), Made(1));
  std::string broken = "1,x";
  for (std::size_t i = 0; i < FiguresTold(false); ++i) broken += ",0";
  const absl::Status bad = ReadCsv(text + broken + "\n", "f.csv", grid, results);
  EXPECT_NE(bad.message().find("f.csv:3: column 2"), absl::string_view::npos) << bad;
  EXPECT_FALSE(ReadCsv("other,header\n", "f.csv", grid, results).ok());
}

Figures Priced(double served_jobs, double home_share, double gpu_hours) {
  Figures figures;
  figures[Figure::kServedJobs] = served_jobs;
  figures[Figure::kHomeShare] = home_share;
  figures[Figure::kGpuHours] = gpu_hours;
  return figures;
}

TEST(Grid, CostsAreAmongTheFiguresOfResultsThatHavePrices) {
  Grid grid{.axes = {{"demand", {1}}}, .seeds = 1, .prices = PricesText(UniformPrices(1, 2, 0, 0))};
  Figures figures = Priced(1000, 1, 5);
  figures.SetCosts(10, 0);
  const std::string text = CsvHeader(grid) + CsvLine(grid, grid.At(0), figures);
  Grid read;
  GridResults results;
  ASSERT_TRUE(ReadCsv(text, "a.csv", read, results).ok());
  EXPECT_EQ(read.prices, grid.prices);
  const auto rows = Summarize(results);
  ASSERT_EQ(rows[0].figures.size(), kFigures);
  EXPECT_EQ(rows[0].figures[static_cast<std::size_t>(Figure::kCostPer1000)].mean, 10);
  EXPECT_NE(SummaryCsv(read, rows).find("cost_per_1000_served"), std::string::npos);
  // Other prices make other results.
  for (const std::string& other : {std::string(), PricesText(UniformPrices(1, 3, 0, 0))}) {
    Grid asked{.axes = grid.axes, .seeds = 1, .prices = other};
    const absl::Status bad = ReadCsv(text, "a.csv", asked, results);
    EXPECT_NE(bad.message().find("a.csv:1: these results are of other parameters or prices"),
              absl::string_view::npos)
        << bad;
  }
}

TEST(Grid, ResultsWithoutPricesArePricedLater) {
  Grid grid{.axes = {{"demand", {1}}}, .seeds = 1};
  GridResults results;
  const GridPoint point = grid.At(0);
  results[grid.KeyOf(point)] = {point, Priced(2000, 0.75, 6)};
  EXPECT_EQ(Summarize(results)[0].figures.size(), FiguresTold(false));
  PriceResults(UniformPrices(1, 2, 4, 1e9), grid, results);
  const GridRow row = Summarize(results)[0];
  const auto of = [&](Figure figure) { return row.figures[static_cast<std::size_t>(figure)].mean; };
  EXPECT_DOUBLE_EQ(of(Figure::kGpuCost), 12);
  EXPECT_DOUBLE_EQ(of(Figure::kEgressCost), 500 * 4);
  EXPECT_DOUBLE_EQ(of(Figure::kCostPer1000), (12 + 2000) / 2.0);
}

TEST(Parameters, ChangeOnlyTheirCopyAndNameWhatIsAllowed) {
  const auto scenario = RandomScenario(3);
  Scenario changed = *scenario;
  ASSERT_TRUE(SetParameter("workers", 2, changed).ok());
  EXPECT_EQ(changed.fleet->tiers[TierId(0)].regions[RegionId(0)].workers,
            2 * scenario->fleet->tiers[TierId(0)].regions[RegionId(0)].workers);
  EXPECT_EQ(SetParameter("wrokers", 2, changed).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(SetParameter("threshold", 2, changed).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Parameters, AFactorOnServiceTimesMeansRecordedOnesToo) {
  Scenario scenario = *RandomScenario(3);
  TraceArrivals law{.offsets_s = std::make_shared<const std::vector<double>>(std::vector<double>{0, 1, 2})};
  law.jobs = std::make_shared<const std::vector<RecordedJob>>(
      std::vector<RecordedJob>{{.service_s = 2}, {}, {.service_s = 4}});
  scenario.demand = {{.tier = TierId(0), .region = RegionId(0), .law = law}};
  EXPECT_EQ(RecordedServiceMeanS(scenario, TierId(0)), 3);
  ASSERT_TRUE(SetParameter("service", 5, scenario).ok());
  EXPECT_EQ(RecordedServiceMeanS(scenario, TierId(0)), 15);
  scenario.demand = {{.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{1}}};
  EXPECT_EQ(RecordedServiceMeanS(scenario, TierId(0)), std::nullopt);
}

TEST(Comparison, SeesASmallDifferenceThroughCommonNoise) {
  std::vector<Figures> a, b;
  for (int seed = 0; seed < 8; ++seed) {
    const double noise = std::sin(seed * 7.0);
    a.push_back(Made(0.5 + 0.1 * noise));
    b.push_back(Made(0.5 + 0.1 * noise + 0.001 + 1e-5 * seed));
  }
  const auto rows = Compare(a, b);
  EXPECT_EQ(rows[static_cast<std::size_t>(Figure::kServedShare)].verdict, "better");
  EXPECT_EQ(rows[static_cast<std::size_t>(Figure::kWaitMeanS)].verdict, "no difference seen");
}

TEST(Comparison, CostsAreComparedWhereBothSidesHavePrices) {
  std::vector<Figures> a(3, Priced(1000, 1, 5)), b(3, Priced(1000, 1, 4));
  EXPECT_EQ(Compare(a, b).size(), FiguresTold(false));
  for (Figures& run : a) run.SetCosts(10, 0);
  EXPECT_EQ(Compare(a, b).size(), FiguresTold(false));
  for (Figures& run : b) run.SetCosts(8, 0);
  const auto rows = Compare(a, b);
  ASSERT_EQ(rows.size(), kFigures);
  EXPECT_EQ(rows.back().figure, Figure::kCostPer1000);
  EXPECT_DOUBLE_EQ(rows.back().difference.mean, -2);
  EXPECT_EQ(rows.back().verdict, "better");
}

TEST(Sizing, TheDearestRegionGivesFirst) {
  // Either region may give ten workers, not both.
  const Judge judge = [](const FleetSize& fleet) -> std::optional<bool> {
    const int a = fleet[RegionId(0)], b = fleet[RegionId(1)];
    return std::min(a, b) >= 40 && std::max(a, b) >= 50;
  };
  FleetSize now;
  for (const int workers : {50, 50}) now.push_back(workers);
  for (const std::size_t dear : {0, 1}) {
    WorkerPrices prices(2, 1);
    prices[RegionId(dear)] = 2;
    const SizingResult result = FewestWorkers(now, 2, judge, prices);
    EXPECT_EQ(result.workers[RegionId(dear)], 40) << dear;
    EXPECT_EQ(result.workers[RegionId(1 - dear)], 50) << dear;
  }
}

TEST(Sizing, FindsTheEdgeOfEveryRegion) {
  const int enough[] = {37, 4, 90};
  const Judge judge = [&](const FleetSize& fleet) -> std::optional<bool> {
    bool met = true;
    for (std::size_t i = 0; i < fleet.size(); ++i) met = met && fleet[RegionId(i)] >= enough[i];
    return met;
  };
  FleetSize now;
  for (const int workers : {100, 50, 60}) now.push_back(workers);
  const SizingResult result = FewestWorkers(now, 4, judge);
  EXPECT_TRUE(result.met && result.complete);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(result.workers[RegionId(i)], enough[i]);
  EXPECT_FALSE(FewestWorkers(now, 1.2, judge).met);
}

TEST(Sizing, EverySeedCountsAndNotTheirMean) {
  const std::vector<Objective> objectives = {*ParseObjective("wait_p99_s<=2")};
  std::vector<Figures> runs(5);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i][Figure::kWaitP99S] = i < 3 ? 1.2 : 2.3;  // mean 1.64
  EXPECT_EQ(
      std::count_if(runs.begin(), runs.end(), [&](const Figures& run) { return MeetsAll(objectives, run); }),
      3);
  EXPECT_DOUBLE_EQ(Worst(objectives[0], runs), 2.3);
  EXPECT_NEAR(BreakingShareMax(5), 0.451, 0.001);
  EXPECT_NEAR(BreakingShareMax(59), 0.0495, 0.001);
}

TEST(Sizing, SeedsThatTheSearchHasNotSeenConfirmItsAnswer) {
  FleetSize now;
  for (const int workers : {100, 50}) now.push_back(workers);
  const auto enough = [](int first, int second) {
    return [=](const FleetSize& fleet) -> std::optional<bool> {
      return fleet[RegionId(0)] >= first && fleet[RegionId(1)] >= second;
    };
  };
  SizingResult result = FewestWorkers(now, 4, enough(60, 30));
  Confirm(result, enough(62, 31));  // other days want a little more
  EXPECT_TRUE(result.confirmed);
  EXPECT_GE(result.workers[RegionId(0)], 62);
  EXPECT_GE(result.workers[RegionId(1)], 31);
  EXPECT_LE(result.workers[RegionId(0)] + result.workers[RegionId(1)], 97);
  EXPECT_EQ(result.added, result.workers[RegionId(0)] + result.workers[RegionId(1)] - 90);
  SizingResult never = FewestWorkers(now, 4, enough(60, 30));
  Confirm(never, enough(10'000, 0));
  EXPECT_TRUE(never.met && never.complete);
  EXPECT_FALSE(never.confirmed);
}

TEST(Sizing, TheToleranceBoundIsThatOfTheTables) {
  // One-sided, 95 % of a normal population with 95 % confidence (Natrella, table A-7).
  const std::pair<std::size_t, double> table[] = {
      {5, 4.203}, {10, 2.911}, {20, 2.396}, {50, 2.065}, {100, 1.927}};
  for (const auto& [samples, k] : table) EXPECT_NEAR(ToleranceFactor(samples, 0.95) / k, 1, 0.02) << samples;
  EXPECT_GE(ToleranceFactor(3, 0.95), 7.656);
  const KeptBound bound = BoundOf({8, 9, 10, 11, 12}, 0.95);
  EXPECT_DOUBLE_EQ(bound.mean, 10);
  EXPECT_NEAR(bound.deviation, std::sqrt(2.5), 1e-12);
  EXPECT_NEAR(bound.workers, 10 + 4.2 * std::sqrt(2.5), 0.1);
}

TEST(Sizing, DaysThatNeedMoreAndMoreAreToldFromDaysThatDiffer) {
  const std::vector<std::size_t> days = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
  EXPECT_NEAR(GrowthOf(days, {10, 12, 14, 16, 18, 11, 13, 15, 17, 19}), 1, 1e-12);
  EXPECT_EQ(GrowthOf(days, {19, 17, 15, 13, 11, 18, 16, 14, 12, 10}), 0) << "they need less and less";
  EXPECT_EQ(GrowthOf(days, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7}), 0);
  EXPECT_EQ(GrowthOf({0, 1, 2}, {1, 2, 3}), 0) << "three days show nothing";
  // What ten equal days pretend to by chance: one time in twenty, growth.
  Rng rng(7);
  int told = 0;
  for (int recording = 0; recording < 1000; ++recording) {
    std::vector<int> needs;
    for (std::size_t i = 0; i < days.size(); ++i)
      needs.push_back(static_cast<int>(std::lround(1000 + 100 * rng.Normal())));
    told += GrowthOf(days, needs) > 0;
  }
  EXPECT_GT(told, 25);
  EXPECT_LT(told, 75);
}

TEST(Sizing, AFleetIsSharedOutAsItWas) {
  FleetSize fleet;
  for (const int workers : {60, 0, 30, 10}) fleet.push_back(workers);
  for (const int all : {0, 1, 7, 50, 100, 137}) {
    const FleetSize shared = SharedOutAs(fleet, all);
    EXPECT_EQ(std::accumulate(shared.begin(), shared.end(), 0), all);
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      EXPECT_NEAR(shared[RegionId(i)], fleet[RegionId(i)] * all / 100.0, 1) << all;
    }
  }
  EXPECT_EQ(SharedOutAs(fleet, 100), fleet);
}

TEST(Sizing, OtherDaysAreJudgedByWhatTheseNeedAlone) {
  SizingAnswer answer;
  answer.found.workers.push_back(80);
  answer.found.workers.push_back(20);
  answer.found.met = answer.found.complete = true;
  const std::vector<int> alone = {60, 72, 81, 90, 100, 77};
  const TrialJudge judge = [&](const std::vector<Trial>& trials) {
    std::vector<bool> met;
    for (const Trial& trial : trials) {
      const int all = trial.fleet[RegionId(0)] + trial.fleet[RegionId(1)];
      met.push_back(all >= alone[trial.sample]);
    }
    return std::optional(met);
  };
  EXPECT_TRUE(EnlargeForOtherDays(answer, {.all = 6, .fresh = 3}, judge));
  EXPECT_FALSE(answer.bound) << "a size that was not confirmed";
  answer.found.confirmed = true;
  EXPECT_TRUE(EnlargeForOtherDays(answer, {.all = 6, .fresh = 3}, judge));
  ASSERT_TRUE(answer.bound);
  EXPECT_EQ(answer.needs, alone);
  const int all = answer.workers[RegionId(0)] + answer.workers[RegionId(1)];
  EXPECT_EQ(all, static_cast<int>(std::ceil(answer.bound->workers)));
  EXPECT_NEAR(answer.workers[RegionId(0)], 0.8 * all, 1);
  // Where so many fresh days were kept, where nobody asks, and where two days are all there is, nothing is
  // added.
  for (const OtherDays& days :
       {OtherDays{.all = 118, .fresh = 59}, OtherDays{.all = 6, .fresh = 3, .keep = 0},
        OtherDays{.all = 2, .fresh = 1}}) {
    SizingAnswer plain;
    plain.found = answer.found;
    EXPECT_TRUE(EnlargeForOtherDays(plain, days, judge));
    EXPECT_FALSE(plain.bound);
    EXPECT_EQ(plain.workers, plain.found.workers);
  }
  EXPECT_FALSE(EnlargeForOtherDays(answer, {.all = 6, .fresh = 3}, [](const std::vector<Trial>&) {
    return std::optional<std::vector<bool>>();
  }));
}

TEST(Sizing, ReadsObjectives) {
  EXPECT_TRUE(ParseObjective("served_share>=0.99")->Met(Made(0.995)));
  EXPECT_FALSE(ParseObjective("served_share>=0.99")->Met(Made(0.98)));
  for (const char* bad : {"served_share", "served_share>0.9", "srved>=1", "served_share>=x"}) {
    EXPECT_FALSE(ParseObjective(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace ringway::sim::study_test
