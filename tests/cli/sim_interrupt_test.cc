// Ctrl-C on the real program: a simulation that would run for days stops, and says what it has found.
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"
#include "tests/cli/read_all.h"

namespace ringway {
namespace {

const std::string kScenario = RINGWAY_SOURCE_DIR "/sim/scenarios/launch-spike.yaml";

// Interrupts the command once it has used so much CPU time. Its exit code and what it said.
std::pair<int, std::string> Interrupted(std::vector<std::string> arguments, double cpu_s) {
  const std::string output = testing::TempDir() + "/sim_interrupt_output.txt";
  std::remove(output.c_str());
  arguments.insert(arguments.begin(), RINGWAY_BIN_DIR "/ringway");
  auto child = runtime::ChildProcess::Start(arguments, output);
  EXPECT_TRUE(child.ok()) << child.status();
  if (!child.ok()) return {-1, ""};
  // CPU time and not the clock: the machine may be busy.
  while (!child->Poll() && child->CpuTime() < Seconds(cpu_s)) absl::SleepFor(Milliseconds(20));
  EXPECT_FALSE(child->Poll()) << "it ended by itself: " << ReadAll(output);
  child->Signal(SIGINT);
  const auto status = child->WaitFor(Seconds(60));
  EXPECT_TRUE(status) << "it did not stop";
  return {status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1, ReadAll(output)};
}

TEST(SimInterruptTest, ARunOfAMillionEventsStopsAndWritesItsReport) {
  const std::string page = testing::TempDir() + "/sim_interrupt_run.html";
  const std::string csv = testing::TempDir() + "/sim_interrupt_run.csv";
  std::remove(page.c_str());
  std::remove(csv.c_str());
  // Six seconds of CPU time are millions of events on any machine that is worth the name.
  const auto [code, text] =
      Interrupted({"sim", "run", kScenario, "--duration", "3e7", "--json", "--page", page, "--csv", csv}, 6);
  EXPECT_EQ(code, 0) << text;
  EXPECT_NE(text.find("interrupted"), std::string::npos) << text;
  EXPECT_NE(text.find("\"complete\": false"), std::string::npos) << text;
  const std::size_t at = text.find("\"events\":");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GT(std::strtoull(text.c_str() + at + 9, nullptr, 10), 1'000'000u);
  EXPECT_NE(ReadAll(page).find("</html>"), std::string::npos);
  EXPECT_GT(ReadAll(csv).size(), 1000u);
}

TEST(SimInterruptTest, AComparisonStopsAndComparesTheSeedsThatHaveRun) {
  const auto [code, text] =
      Interrupted({"sim", "compare", kScenario, "--seeds", "10000", "--duration", "30", "--threads", "1"}, 3);
  EXPECT_EQ(code, 0) << text;
  EXPECT_NE(text.find("of 10000 seeds have run on both sides"), std::string::npos) << text;
  EXPECT_NE(text.find("B - A"), std::string::npos) << text;
}

}  // namespace
}  // namespace ringway
