// Reports: the same seed gives the same bytes; what goes into a page cannot break out of it.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "sim/report/page.h"
#include "sim/report/run_report.h"
#include "sim/report/statistics.h"
#include "sim/serial_table.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
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
}  // namespace ringway::sim
