// Plots of studies: labels keep clear of each other whatever the lines are, and what is drawn is what was
// simulated.
#include "sim/report/plot.h"

#include <cmath>

#include "core/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/study/grid_plot.h"
#include "sim/study/size_plot.h"
#include "tests/sim/plot_labels.h"

namespace ringway::sim::plot_test {
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

// Six axes: each line's name is longer than the column beside the panels.
TEST(SweepPlotTest, NamesOfManyParametersFitInThePlot) {
  Grid grid;
  for (const char* name : {"demand", "threshold", "delayShare", "delaySpan", "backoffCap", "resubmit",
                           "workers", "service", "deadline", "routers", "rtt", "epoch", "budget", "probes"}) {
    grid.axes.push_back({name, {1}});
  }
  for (const std::size_t axes : {2, 3, 4, 7, 14}) {
    Grid few = grid;
    few.axes.resize(axes);
    std::vector<GridRow> rows;
    for (int line = 0; line < 6; ++line) {
      for (int x = 0; x < 2; ++x) {
        std::vector<double> values = {static_cast<double>(x)};
        for (std::size_t i = 1; i < axes; ++i) values.push_back(0.12345 * line + static_cast<double>(i));
        rows.push_back(Row(values, 0.5));
      }
    }
    const std::string svg = SweepPlot(few, rows);
    EXPECT_THAT(OutsideOf(svg), testing::IsEmpty()) << axes;
    EXPECT_THAT(Covered(LabelsOf(svg)), testing::IsEmpty()) << axes;
    // Every parameter of every line is told once at least.
    for (std::size_t i = 1; i < axes; ++i) EXPECT_THAT(svg, HasSubstr(few.axes[i].parameter)) << axes;
  }
}

TEST(SweepPlotTest, LinesThatAreNotDrawnAreTold) {
  Grid grid{.axes = {{"demand", {1}}, {"threshold", {}}}};
  std::vector<GridRow> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(Row({1, 0.1 * i}, 1));
  EXPECT_THAT(SweepPlot(grid, rows), HasSubstr("sweep of demand: 6 of 9 lines"));
}

SizingAnswer Answer(int workers, std::vector<int> needs) {
  SizingAnswer answer;
  answer.workers.push_back(workers);
  answer.needs = std::move(needs);
  return answer;
}

TEST(SizePlotTest, ShowsTheObjectiveTheFleetsNearTheAnswerAndTheAnswer) {
  const std::vector<Objective> objectives = {*ParseObjective("served_share>=0.99"),
                                             *ParseObjective("wait_p99_s<=2")};
  const std::vector<TriedFleet> tried = {
      {400, {1, 0}}, {120, {0.999, 0.5}}, {100, {0.992, 1.8}}, {100, {0.98, 5}}, {80, {0.7, 9}}};
  const std::string svg = SizePlot(objectives, tried, Answer(104, {90, 95, 99, 104}));
  for (const char* part : {">served<", ">p99 wait, s<", ">workers in all<", ">how many workers: 104<",
                           ">objective &gt;= 0.99<", ">objective &lt;= 2<", ">answer: 104<",
                           ">worst of the runs<", ">share of the 4 runs that it is enough for<", ">alone<"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  // From 80 to 120 workers: 100 stand in the middle, at the better of the two fleets, .992 of a panel of 110
  // px.
  EXPECT_THAT(svg, HasSubstr("L315.0 36.9L570.0 36.1"));
  EXPECT_THAT(Covered(LabelsOf(svg)), testing::IsEmpty());
  EXPECT_THAT(OutsideOf(svg), testing::IsEmpty());
}

TEST(SizePlotTest, AnAnswerThatNothingWasTriedForIsDrawnToo) {
  const std::string svg = SizePlot({*ParseObjective("served_share>=0.99")}, {}, Answer(0, {}));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(OutsideOf(svg), testing::IsEmpty());
}

}  // namespace
}  // namespace ringway::sim::plot_test
