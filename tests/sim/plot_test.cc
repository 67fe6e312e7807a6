// Plots of studies: labels keep clear of each other whatever the lines are, and what is drawn is what was
// simulated.
#include "sim/report/plot.h"

#include <cmath>

#include "core/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/study/grid_plot.h"

namespace ringway::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlotLabels, KeepClearOfEachOtherAndInsideWhateverTheyWant) {
  Rng rng(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<double> wanted(1 + rng.Below(8));
    for (double& y : wanted)
      y = rng.Below(3) == 0 ? 60.0 : 140.0 * rng.Uniform() - 10;  // ties, and far outside
    const std::vector<double> placed = PlaceLabels(wanted, 14, 8, 114);
    ASSERT_EQ(placed.size(), wanted.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
      ASSERT_GE(placed[i], 8 - 1e-9) << "round " << round;
      ASSERT_LE(placed[i], 114 + 1e-9) << "round " << round;
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_GE(std::abs(placed[i] - placed[j]), 14 - 1e-9) << "round " << round;
        // The order is that of the lines.
        ASSERT_TRUE(wanted[i] >= wanted[j] || placed[i] < placed[j]) << "round " << round;
      }
    }
  }
}

TEST(PlotLabels, StandWhereTheyWantIfThereIsRoom) {
  EXPECT_THAT(PlaceLabels({90, 20, 50}, 14, 8, 114), testing::ElementsAre(90, 20, 50));
  EXPECT_TRUE(PlaceLabels({}, 14, 8, 114).empty());
}

TEST(PlotSvgTest, TextIsEscapedAndWhatIsNotFiniteIsLeftOut) {
  const std::string svg = PlotSvg({.title = "a < b & c",
                                   .x_title = "load",
                                   .panels = {{"wait, s", {{"one", {{0, 1}, {1, NAN}, {2, 3}}}}}}});
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg,
              HasSubstr("M60.0 109.3L570.0 36.0"));  // 1 and 3 of 3 in a panel of 110 px that begins at 36
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

GridRow Row(std::vector<double> values, double served) {
  GridRow row{.values = std::move(values), .figures = std::vector<Estimate>(kFigures), .seeds = 1};
  row.figures[static_cast<std::size_t>(Figure::kServedShare)].mean = served;
  return row;
}

TEST(SweepPlotTest, EachCombinationOfTheOtherParametersIsALine) {
  const Grid grid{.axes = {{"demand", {0.5, 1}}, {"threshold", {0.7, 0.8}}}};
  const std::string svg =
      SweepPlot(grid, {Row({0.5, 0.7}, 1), Row({0.5, 0.8}, 0.9), Row({1, 0.7}, 0.5), Row({1, 0.8}, 0.4)});
  for (const char* part : {">threshold 0.7<", ">threshold 0.8<", ">demand<", ">served<", ">p99 wait, s<",
                           ">workers busy<", "M60.0 36.0L570.0 91.0", "M60.0 47.0L570.0 102.0"})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(SweepPlotTest, LinesThatAreNotDrawnAreTold) {
  Grid grid{.axes = {{"demand", {1}}, {"threshold", {}}}};
  std::vector<GridRow> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(Row({1, 0.1 * i}, 1));
  EXPECT_THAT(SweepPlot(grid, rows), HasSubstr("sweep of demand: 6 of 9 lines"));
}

}  // namespace
}  // namespace ringway::sim
