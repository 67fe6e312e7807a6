// Streams between routers and the controller that a partition silences, or that break: which end notices
// when.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::control_streams_test {
namespace {

constexpr double kFromS = 20;
const RegionId kFar(1);

std::shared_ptr<const Scenario> With(std::vector<ScenarioStep> steps) {
  auto scenario = std::make_shared<Scenario>();
  scenario->duration_s = 150;
  scenario->warmup_s = 5;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  for (const RegionId region : {RegionId(0), kFar}) {
    scenario->demand.push_back({.tier = TierId(0), .region = region, .law = PoissonArrivals{5}});
  }
  scenario->steps = std::move(steps);
  scenario->fleet = std::make_shared<const Fleet>(LineFleet(2, 10));
  return scenario;
}

ScenarioStep CutOff(double for_s) {
  return {.at_s = kFromS, .lasts_s = for_s, .fault = Partition{{kFar}, {}}};
}

struct Seen {
  std::size_t replaced = 0;       // streams that the controller ended because the router had come anew
  std::size_t silent = 0;         // streams that the controller ended because nothing was heard
  std::size_t open_last = 0;      // of routers that the controller listens to
  bool router_lost = false;       // a router heard that the controller is gone
  bool controller_lost = false;   // the controller heard that a router is gone
  std::size_t routers_least = 0;  // in the directory, at any second
  std::size_t routers_last = 0;
};

Seen WatchRun(std::vector<ScenarioStep> steps) {
  Simulation run(With(std::move(steps)));
  Seen seen{.routers_least = run.routers()};
  run.Run([&](double) {
    if (!run.control().alive()) return true;
    if (const auto& directory = run.control().machine().directory()) {
      seen.routers_last = directory->routers.size();
      seen.routers_least = std::min(seen.routers_least, seen.routers_last);
    }
    return true;
  });
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
  const auto occurred = [](const std::vector<std::string>& never, const char* kind) {
    return std::find(never.begin(), never.end(), kind) == never.end();
  };
  seen.silent = run.kinds().stream_ends[static_cast<std::size_t>(controller::StreamEnd::kSilent)];
  seen.replaced = run.kinds().stream_ends[static_cast<std::size_t>(controller::StreamEnd::kReplaced)];
  for (const auto& [name, router] : run.control().machine().view().routers()) {
    seen.open_last += router.present();
  }
  seen.router_lost = occurred(run.kinds().router_events.Never(), "ControllerLost");
  seen.controller_lost = occurred(run.kinds().controller_events.Never(), "RouterDisconnected");
  return seen;
}

TEST(ControlStreams, OutlastAPartitionThatIsShorterThanKeepalive) {
  const Seen seen = WatchRun({CutOff(12)});
  EXPECT_FALSE(seen.router_lost);
  EXPECT_FALSE(seen.controller_lost);
}

TEST(ControlStreams, TheRoutersEndGivesUpFirst) {
  const Seen seen = WatchRun({CutOff(20)});
  EXPECT_TRUE(seen.router_lost);
  EXPECT_EQ(seen.silent, 0u) << "its new stream takes the place of the old one";
  EXPECT_EQ(seen.routers_least, 4u);
}

TEST(ControlStreams, WhoIsCutOffForLongLeavesTheDirectoryAndComesBack) {
  const Seen seen = WatchRun({CutOff(60)});
  EXPECT_TRUE(seen.router_lost);
  EXPECT_EQ(seen.silent, 2u);
  EXPECT_EQ(seen.routers_least, 2u);
  EXPECT_EQ(seen.routers_last, 4u);
}

// Its stream stands, and nothing comes over it: only the controller can tell.
TEST(ControlStreams, ARouterThatIsStoppedForLongIsClosedAndComesBack) {
  const Seen seen = WatchRun({{.at_s = kFromS, .lasts_s = 60, .fault = PauseRouters{{kFar}, 1}}});
  EXPECT_EQ(seen.silent, 1u);
  EXPECT_TRUE(seen.controller_lost);
  EXPECT_TRUE(seen.router_lost);
  EXPECT_EQ(seen.open_last, 4u);
}

TEST(ControlStreams, ARouterThatIsStoppedForAMomentKeepsItsStream) {
  const Seen seen = WatchRun({{.at_s = kFromS, .lasts_s = 20, .fault = PauseRouters{{kFar}, 1}}});
  EXPECT_EQ(seen.silent, 0u);
  EXPECT_FALSE(seen.controller_lost);
  EXPECT_EQ(seen.open_last, 4u);
}

// It had dialled when it was stopped, and has not greeted: the stream is open, and nobody knows whose it is.
TEST(ControlStreams, AStreamThatNobodyIntroducesIsClosedAndDialledAnew) {
  const Seen seen = WatchRun({{.at_s = kFromS, .lasts_s = 2, .fault = KillController{}},
                              {.at_s = kFromS + 1, .lasts_s = 20, .fault = PauseRouters{{kFar}, 1}}});
  EXPECT_EQ(seen.silent, 1u);
  EXPECT_EQ(seen.open_last, 4u);
}

TEST(ControlStreams, OneThatBreaksIsSeenByBothEndsAndDialledAgain) {
  const Seen seen = WatchRun({{.at_s = kFromS, .lasts_s = 1, .every_s = 20, .fault = BreakStreams{{}, 1}}});
  EXPECT_TRUE(seen.router_lost);
  EXPECT_TRUE(seen.controller_lost);
  EXPECT_EQ(seen.routers_least, 4u) << "sooner than the grace of the directory";
}

// The router is back on a new stream while the old one still stands at the controller.
TEST(ControlStreams, OneWhoseEndTheControllerSeesLateIsReplaced) {
  const Seen seen = WatchRun({{.at_s = kFromS, .lasts_s = 1, .fault = BreakStreams{{}, 1, 5}}});
  EXPECT_EQ(seen.replaced, 4u);
  EXPECT_TRUE(seen.router_lost);
  EXPECT_EQ(seen.routers_least, 4u);
  EXPECT_EQ(seen.open_last, 4u);
}

TEST(ControlStreams, OneWhoseEndBothSeeAtOnceIsNotReplaced) {
  EXPECT_EQ(WatchRun({{.at_s = kFromS, .lasts_s = 1, .fault = BreakStreams{{}, 1}}}).replaced, 0u);
}

}  // namespace
}  // namespace ringway::sim::control_streams_test
