// The demo as a person runs it: real daemons, real traffic, and nothing left afterwards.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A process may end while its file is read: then this is what was read until then.
std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Processes whose command line holds `mark`, by /proc.
int Processes(const std::string& mark) {
  int found = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string command = ReadAll(entry.path() / "cmdline");
    if (command.find(mark) != std::string::npos) ++found;
  }
  return found;
}

class DemoLiveTest : public ::testing::Test {
 protected:
  // A folder of its own for the demo's files; its name marks the demo's processes.
  DemoLiveTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~DemoLiveTest() override { ::unsetenv("TMPDIR"); }

  runtime::ChildProcess Start(const std::string& seconds, std::vector<std::string> more) {
    std::vector<std::string> command = {absl::StrCat(RINGWAY_BIN_DIR, "/ringway"), "demo", "--seconds",
                                        seconds};
    command.insert(command.end(), more.begin(), more.end());
    auto demo = runtime::ChildProcess::Start(command, out_);
    EXPECT_TRUE(demo.ok()) << demo.status();
    return *std::move(demo);
  }
  bool AwaitText(const std::string& text) {
    for (int i = 0; i < 600; ++i) {
      if (ReadAll(out_).find(text) != std::string::npos) return true;
      absl::SleepFor(absl::Milliseconds(100));
    }
    return false;
  }

  const std::string folder_ = absl::StrCat(::testing::TempDir(), "/ringway-demo-live-", getpid());
  const std::string out_ = folder_ + "/out.txt";
};

TEST_F(DemoLiveTest, AnimatesPlaysJudgesAndLeavesNothingRunning) {
  const std::string gif = folder_ + "/demo.gif";
  runtime::ChildProcess demo = Start("36", {"--animate", gif});
  const std::optional<int> status = demo.WaitFor(absl::Seconds(240));
  const std::string out = ReadAll(out_);
  ASSERT_TRUE(status) << "it did not end by itself\n" << out;
  for (const char* text : {"phase hot", "us-east-1 ->", "Routing everywhere against staying home",
                           "hot: the table is followed", "All processes have ended."}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
  EXPECT_THAT(ReadAll(gif), StartsWith("GIF89a"));
  // A machine that also builds may miss the bounds; the demo itself says so.
  const bool too_busy = out.find("This machine was too busy") != std::string::npos;
  EXPECT_TRUE(too_busy || *status == 0) << out;
  EXPECT_EQ(Processes(folder_), 0);
}

TEST_F(DemoLiveTest, CtrlCEndsEverything) {
  runtime::ChildProcess demo = Start("60", {"--no-picture"});
  ASSERT_TRUE(AwaitText("phase calm")) << ReadAll(out_);
  EXPECT_GT(Processes(folder_), 20);
  demo.Signal(SIGINT);
  EXPECT_TRUE(demo.WaitFor(absl::Seconds(15)));
  EXPECT_EQ(Processes(folder_), 0);
  EXPECT_THAT(ReadAll(out_), HasSubstr("interrupted"));
}

TEST_F(DemoLiveTest, KillingItTakesItsProcessesAlong) {
  runtime::ChildProcess demo = Start("60", {"--no-picture"});
  ASSERT_TRUE(AwaitText("phase calm")) << ReadAll(out_);
  demo.Signal(SIGKILL);
  EXPECT_TRUE(demo.WaitFor(absl::Seconds(15)));
  for (int i = 0; i < 100 && Processes(folder_) > 0; ++i) absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(Processes(folder_), 0);
}

}  // namespace
}  // namespace ringway
