// The demo as a process of its own, for tests that watch it from outside.
//
// Its files lie in a folder of the test, whose name marks its processes. Threads: one owner.
#ifndef RINGWAY_TESTS_CLI_DEMO_PROCESS_H_
#define RINGWAY_TESTS_CLI_DEMO_PROCESS_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"
#include "tests/cli/read_all.h"

namespace ringway {

// Processes whose command line holds `mark`, by /proc.
inline int Processes(const std::string& mark) {
  int found = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string command = ReadAll(entry.path() / "cmdline");
    if (command.find(mark) != std::string::npos) ++found;
  }
  return found;
}

class DemoProcessTest : public ::testing::Test {
 protected:
  // A folder of its own for the demo's files; its name marks the demo's processes.
  DemoProcessTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~DemoProcessTest() override { ::unsetenv("TMPDIR"); }

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
      absl::SleepFor(Milliseconds(100));
    }
    return false;
  }

  const std::string folder_ = absl::StrCat(::testing::TempDir(), "/ringway-demo-live-", getpid());
  const std::string out_ = folder_ + "/out.txt";
};

}  // namespace ringway

#endif  // RINGWAY_TESTS_CLI_DEMO_PROCESS_H_
