// `ringway up`, `load` and `down` as a newcomer types them: real processes, a real film, and nothing left
// afterwards.
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/json_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"
#include "tests/cli/read_all.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

// Processes whose command line holds `mark`, by /proc.
int Processes(const std::string& mark) {
  int found = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    if (ReadAll(entry.path() / "cmdline").find(mark) != std::string::npos) ++found;
  }
  return found;
}

struct Ran {
  int code = -1;
  std::string out;
};

class WorldLiveTest : public ::testing::Test {
 protected:
  WorldLiveTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WorldLiveTest() override {
    Shell("ringway down --folder world");
    fs::remove_all(folder_);
  }
  // In the test's folder, with the programs on the PATH and free ports for everybody.
  Ran Shell(const std::string& command, Duration limit = Seconds(120)) {
    const std::string out = absl::StrCat(folder_, "/out-", ++commands_, ".txt");
    auto process = runtime::ChildProcess::Start(
        {"bash", "-c",
         absl::StrCat("cd ", folder_, "; export RINGWAY_FREE_PORTS=1 NO_COLOR=1 PATH=", RINGWAY_BIN_DIR,
                      ":$PATH; if [ -e world/env ]; then source world/env; fi; ", command)},
        out);
    if (!process.ok()) return {};
    const std::optional<int> status = process->WaitFor(limit);
    return {status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1, ReadAll(out)};
  }
  int Running() const { return Processes(absl::StrCat("ringway-world-live-", getpid(), "/world/run/")); }

  const std::string folder_ = absl::StrCat(::testing::TempDir(), "/ringway-world-live-", getpid());
  int commands_ = 0;
};

TEST_F(WorldLiveTest, UpServesFilmsAndTrafficAndDownLeavesNothing) {
  const Ran up = Shell("ringway up --folder world");
  ASSERT_EQ(up.code, 0) << up.out;
  EXPECT_THAT(up.out, HasSubstr("dashboard  http://127.0.0.1:"));
  EXPECT_EQ(Running(), 10);  // a controller, three routers, six workers; `up` itself has gone

  // The line that it printed, as it stands there.
  const std::size_t at = up.out.find("curl ");
  ASSERT_NE(at, std::string::npos) << up.out;
  const Ran curl = Shell(up.out.substr(at, up.out.find('\n', at) - at));
  ASSERT_EQ(curl.code, 0) << curl.out;
  const bool mp4 = up.out.find("-o film.mp4") != std::string::npos;
  if (mp4) {
    EXPECT_EQ(ReadAll(folder_ + "/film.mp4").substr(4, 4), "ftyp");
  } else {
    EXPECT_THAT(ReadAll(folder_ + "/film.gif"), StartsWith("GIF89a"));
  }

  const Ran again = Shell("ringway up --folder world");
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.out, HasSubstr("a world is up in world already (10 processes, controller 127.0.0.1:"));
  EXPECT_EQ(Running(), 10);

  const Ran load = Shell("ringway load --rate 5 --duration 4s --arrivals gamma --cv 1.5 --json 2>/dev/null");
  ASSERT_EQ(load.code, 0) << load.out;
  const auto json = Json::Parse(load.out, "load");
  ASSERT_TRUE(json.ok()) << json.status() << load.out;
  EXPECT_GT(*json->Find("sent")->integer(), 8);
  EXPECT_EQ(*json->Find("sent")->integer(), *json->Find("done")->integer()) << load.out;
  EXPECT_EQ(json->Find("regions")->object()->size(), 3u) << load.out;
  EXPECT_GT(json->Find("latency_s")->Find("p99")->number(), 0);

  const Ran down = Shell("ringway down --folder world");
  EXPECT_EQ(down.code, 0) << down.out;
  EXPECT_THAT(down.out, HasSubstr("10 processes ended\n"));
  EXPECT_EQ(Running(), 0);
  EXPECT_FALSE(fs::exists(folder_ + "/world"));
  EXPECT_EQ(Shell("ringway down --folder world").code, 1);
}

TEST_F(WorldLiveTest, WhereAProgramIsMissingNothingStaysUp) {
  fs::create_directories(folder_ + "/bin");
  for (const char* program : {"ringway", "ringway-controller", "ringway-worker"})
    fs::create_symlink(fs::path(RINGWAY_BIN_DIR) / program, folder_ + "/bin/" + program);
  const Ran up = Shell("ringway up --folder world --backend synthetic --programs bin");
  EXPECT_EQ(up.code, 1);
  EXPECT_THAT(up.out, HasSubstr("ringway-router is not there; build it first: ./dev build ringway-router"));
  EXPECT_EQ(Running(), 0);
}

TEST_F(WorldLiveTest, CtrlCWhileItStartsLeavesNothing) {
  auto up = runtime::ChildProcess::Start(
      {absl::StrCat(RINGWAY_BIN_DIR, "/ringway"), "up", "--free-ports", "--folder", folder_ + "/world"},
      folder_ + "/up.txt");
  ASSERT_TRUE(up.ok());
  for (int i = 0; i < 1000 && Running() == 0; ++i) absl::SleepFor(Milliseconds(5));
  up->Signal(SIGINT);
  EXPECT_TRUE(up->WaitFor(Seconds(30))) << ReadAll(folder_ + "/up.txt");
  EXPECT_EQ(Running(), 0);
  EXPECT_FALSE(fs::exists(folder_ + "/world/world.json"));
}

}  // namespace
}  // namespace ringway
