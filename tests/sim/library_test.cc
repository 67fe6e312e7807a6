// Every scenario that ships loads, runs for a while, serves most of its users and breaks no rule.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/files/scenario_file.h"
#include "sim/simulation.h"

namespace ringway::sim::library_test {
namespace {

std::vector<std::string> Shipped() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(RINGWAY_SOURCE_DIR "/sim/scenarios")) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class LibraryTest : public testing::TestWithParam<std::string> {};

TEST_P(LibraryTest, RunsAndServes) {
  auto loaded = LoadScenario(GetParam());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  // The faults begin two minutes in at the latest; the first three are enough to see them begin.
  loaded->duration_s = 180;
  loaded->warmup_s = 20;
  Simulation simulation(std::make_shared<const Scenario>(*std::move(loaded)));
  simulation.Run();
  const Totals& totals = simulation.tally().totals();
  EXPECT_GT(totals.submitted, 1000u);
  EXPECT_GT(totals.served(), totals.first / 2);
  for (const std::string& violation : simulation.checkers().violations()) ADD_FAILURE() << violation;
}

// A region whose workers became slow is always fully busy. Its neighbours have room, and must get its users.
TEST(Traces, ASlowRegionIsRelieved) {
  auto loaded = LoadScenario(RINGWAY_SOURCE_DIR "/sim/scenarios/slow-region.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  loaded->duration_s = 390;
  loaded->warmup_s = 240;  // a minute and a half after it began
  Simulation simulation(std::make_shared<const Scenario>(*std::move(loaded)));
  simulation.Run();
  const Totals& totals = simulation.tally().totals();
  EXPECT_GT(totals.ended_all(), 10'000u);
  // What is left takes longer than the deadline on a slow worker, wherever it waits.
  EXPECT_GT(static_cast<double>(totals.served()), 0.98 * static_cast<double>(totals.ended_all()));
}

// A trace that nobody can look up is not told.
TEST_P(LibraryTest, IsDocumentedWithItsPlot) {
  const std::string name = std::filesystem::path(GetParam()).stem().string();
  std::ifstream page(RINGWAY_SOURCE_DIR "/docs/simulating.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  EXPECT_NE(text.find("### " + name + "\n"), std::string::npos) << "docs/simulating.md has no section of it";
  EXPECT_NE(text.find("(plots/" + name + ".svg)"), std::string::npos) << "docs/simulating.md shows no plot";
  const std::string plot = RINGWAY_SOURCE_DIR "/docs/plots/" + name + ".svg";
  ASSERT_TRUE(std::filesystem::exists(plot)) << "python3 tools/plots/scenarios.py draws it";
  EXPECT_LT(std::filesystem::file_size(plot), 40'000u);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, LibraryTest, testing::ValuesIn(Shipped()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ringway::sim::library_test
