// The dashboard in a real browser, against real processes: tests/web/scenario.mjs plays the visitor.
//
// This program owns the fleet and its traffic; the scenario owns the browser. What only the owner of the
// processes can do (kill the controller, start it again) the scenario asks for by putting a file into a
// folder, and the answer is another file.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/deploy/npm_package.h"
#include "tests/deploy/shell.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

constexpr Duration kScenarioMax = Seconds(85);

std::string FirstThatExists(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

// True once: the scenario has asked for it.
bool Asked(const ScratchFolder& folder, const std::string& what) {
  return std::filesystem::remove(folder.File(what));
}

void Tell(const ScratchFolder& folder, const std::string& what) { std::ofstream(folder.File(what)) << "."; }

// The checker of accessibility, from npm; empty where it cannot be had, and the scenario says that it goes
// without.
std::string AxeCore() {
  const NpmPackage axe = InstallNpmPackage("axe-core@4", "axe-core");
  return axe.why_not.empty() ? axe.folder + "/node_modules/axe-core/axe.min.js" : "";
}

TEST(DashboardTest, AVisitorSeesTheFleetSteersItAndKnowsWhenItIsGone) {
  const std::string node = FirstThatExists({"/usr/bin/node", "/usr/local/bin/node"});
  const std::string chromium = FirstThatExists({"/usr/bin/chromium", "/usr/bin/chromium-browser"});
  if (node.empty() || chromium.empty()) {
    GTEST_SKIP() << "needs the Debian packages chromium and nodejs; ./dev test installs them where CI=true";
  }
  const std::string axe = AxeCore();
  SmallWorld world(
      {.regions = {{"paris", 1, 2, 48.9, 2.4}, {"oslo", 1, 4, 59.9, 10.8}, {"tokyo", 1, 4, 35.7, 139.7}},
       .rtt_ms = 10,
       .service_mean_s = 0.2,
       .controller_flags = {"--dashboard-writes"},
       .guard = "{staleAfter: 5s, missingAfter: 15s, drainPace: 2s, stepMax: 0.5}"});
  ASSERT_TRUE(world.AwaitReady());
  // Paris can serve 10 jobs a second.
  OpenLoop hot(
      {.routers = world.Doors("paris"), .tier = kTier, .rps = 14, .span = kScenarioMax, .name = "hot"});
  OpenLoop calm(
      {.routers = world.Doors("oslo"), .tier = kTier, .rps = 3, .span = kScenarioMax, .name = "calm"});
  hot.Start();
  calm.Start();

  ScratchFolder folder;
  auto scenario = runtime::ChildProcess::Start(
      {node, RINGWAY_SOURCE_DIR "/tests/web/scenario.mjs",
       absl::StrCat("http://", world.controller().http(), "/"), world.controller().grpc(),
       RINGWAY_BIN_DIR "/ringway", folder.path(), axe},
      folder.File("scenario.log"));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const Time give_up = absl::Now() + kScenarioMax;
  std::optional<int> ended;
  while (!ended && absl::Now() < give_up) {
    if (Asked(folder, "kill")) {
      world.controller().Kill();
      Tell(folder, "killed");
    }
    if (Asked(folder, "start")) {
      world.controller().StartAgain();
      Tell(folder, "started");
    }
    ended = scenario->WaitFor(Milliseconds(20));
  }
  hot.Stop();
  calm.Stop();
  hot.Finish();
  calm.Finish();
  std::ostringstream log;
  log << std::ifstream(folder.File("scenario.log")).rdbuf();
  ASSERT_TRUE(ended.has_value()) << "the scenario did not end\n" << log.str();
  EXPECT_TRUE(WIFEXITED(*ended) && WEXITSTATUS(*ended) == 0) << log.str();
  std::cout << log.str();
}

}  // namespace
}  // namespace ringway::live
