// Studies: axes and shards, resuming from a torn file, comparisons that see through noise, and the search for
// the smallest fleet.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/study/comparison.h"
#include "sim/study/grid.h"
#include "sim/study/parameters.h"
#include "sim/study/sizing.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
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
  const absl::Status bad = ReadCsv(text + "1,x,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", "f.csv", grid, results);
  EXPECT_NE(bad.message().find("f.csv:3: column 2"), absl::string_view::npos) << bad;
  EXPECT_FALSE(ReadCsv("other,header\n", "f.csv", grid, results).ok());
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

TEST(Sizing, ReadsObjectives) {
  EXPECT_TRUE(ParseObjective("served_share>=0.99")->Met(Made(0.995)));
  EXPECT_FALSE(ParseObjective("served_share>=0.99")->Met(Made(0.98)));
  for (const char* bad : {"served_share", "served_share>0.9", "srved>=1", "served_share>=x"}) {
    EXPECT_FALSE(ParseObjective(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace ringway::sim
