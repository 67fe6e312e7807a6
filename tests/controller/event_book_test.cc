// What the event book tells of a life that a Rig lives.
#include "controller/screen/event_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

// A rig whose every Step is in a book.
struct Story {
  explicit Story(std::shared_ptr<const Fleet> fleet = MakeFleet()) : rig(std::move(fleet)) {
    rig.stepped = [this](const ControllerEvent& event, const std::vector<ControllerAction>& actions) {
      book.Take(rig.now, event, actions, rig.machine);
      for (const ControllerAction& action : actions) {
        if (!std::holds_alternative<EpochEnded>(action)) continue;
        book.EndEpoch(rig.now, rig.now, rig.machine, PictureOf(rig.machine, rig.now));
      }
    };
    rig.Connect();
  }
  std::vector<BookedEvent> Of(EventKind kind) const {
    std::vector<BookedEvent> found;
    for (const BookedEvent& entry : book.entries()) {
      if (entry.kind == kind) found.push_back(entry);
    }
    return found;
  }

  EventBook book;
  Rig rig;
};

TEST(EventBookTest, AStartIsToldInOrderAndAPeacefulLifeAddsNothing) {
  Story story;
  story.rig.Seconds(60);
  std::vector<std::string_view> kinds;
  for (const BookedEvent& entry : story.book.entries()) kinds.push_back(EventKindName(entry.kind));
  EXPECT_THAT(kinds, testing::ElementsAre("leader", "routers", "routers", "routers", "planning"));
  EXPECT_THAT(story.Of(EventKind::kRouters)[0].text, HasSubstr("2 routers of r0 joined"));
}

TEST(EventBookTest, AHotRegionIsToldOnceAndItsCoolingOnce) {
  Story story;
  story.rig.Seconds(5);
  story.rig.demand_rps[kR0] = 12;  // 120 % of its fleet
  story.rig.Seconds(60);
  story.rig.demand_rps[kR0] = 3;
  story.rig.Seconds(60);
  ASSERT_EQ(story.Of(EventKind::kHot).size(), 1u);
  ASSERT_EQ(story.Of(EventKind::kCool).size(), 1u);
  const BookedEvent hot = story.Of(EventKind::kHot)[0];
  EXPECT_EQ(hot.region, "r0");
  EXPECT_EQ(hot.tier, "t0");
  EXPECT_TRUE(hot.warning);
  EXPECT_LT(hot.number, story.Of(EventKind::kCool)[0].number);
}

TEST(EventBookTest, NoiseAroundTheThresholdIsNotTold) {
  Story story;
  story.rig.Seconds(5);
  for (int second = 0; second < 120; ++second) {
    story.rig.demand_rps[kR0] = second % 2 == 0 ? 9.5 : 6;
    story.rig.Second();
  }
  EXPECT_LE(story.Of(EventKind::kHot).size(), 1u);
  EXPECT_LE(story.Of(EventKind::kCool).size(), 1u);
}

TEST(EventBookTest, DemandBeyondEverythingIsToldAsRefusingAndItsEnd) {
  Story story;
  story.rig.Seconds(5);
  for (double& rps : story.rig.demand_rps) rps = 45;
  story.rig.Seconds(60);
  ASSERT_EQ(story.Of(EventKind::kShed).size(), 1u);
  EXPECT_TRUE(story.Of(EventKind::kShed)[0].warning);
  for (double& rps : story.rig.demand_rps) rps = 2;
  story.rig.Seconds(90);
  ASSERT_EQ(story.Of(EventKind::kShed).size(), 2u);
  EXPECT_FALSE(story.Of(EventKind::kShed)[1].warning);
}

TEST(EventBookTest, OrdersAreToldWithNameAndReasonRefusedOnesAsWarnings) {
  Story story;
  story.rig.Seconds(5);
  story.rig.Ask(DrainCommand{"r0", "", true});
  story.rig.Ask(DrainCommand{"mars", "", true});
  story.rig.Ask(DrainCommand{"r0", "", false});
  story.rig.Ask(ThresholdCommand{"t0", 0.6});
  ASSERT_EQ(story.Of(EventKind::kDrain).size(), 2u);
  const BookedEvent done = story.Of(EventKind::kDrain)[0];
  EXPECT_EQ(done.region, "r0");
  EXPECT_EQ(done.who, "ann");
  EXPECT_EQ(done.why, "test");
  EXPECT_FALSE(done.warning);
  EXPECT_TRUE(story.Of(EventKind::kDrain)[1].warning);
  EXPECT_THAT(story.Of(EventKind::kDrain)[1].text, HasSubstr("mars"));
  EXPECT_EQ(story.Of(EventKind::kUndrain).size(), 1u);
  EXPECT_EQ(story.Of(EventKind::kThreshold).size(), 1u);
}

TEST(EventBookTest, ARefusedTableAndAHigherEpochAreTold) {
  Story story;
  story.rig.Seconds(5);
  const StreamId stream = story.rig.StreamsOf(kR0)[0];
  story.rig.Send(RouterAcked{stream, {1, 1}, false, "row 3 sums to 2"});
  ASSERT_EQ(story.Of(EventKind::kRefused).size(), 1u);
  EXPECT_EQ(story.Of(EventKind::kRefused)[0].region, "r0");
  EXPECT_THAT(story.Of(EventKind::kRefused)[0].text, HasSubstr("row 3 sums to 2"));
  story.rig.Send(
      RouterConnected{99, {.router = "x", .region = kR0, .address = "h:1", .table = {7, 1}, .build = ""}});
  story.rig.Second();
  ASSERT_EQ(story.Of(EventKind::kLeader).size(), 2u);
  EXPECT_THAT(story.Of(EventKind::kLeader)[1].text, HasSubstr("epoch 8"));
}

TEST(EventBookTest, SilenceIsToldInItsTwoSteps) {
  Story story;
  story.rig.Seconds(5);
  story.rig.silent = true;
  story.rig.Seconds(90);
  EXPECT_EQ(story.Of(EventKind::kSilent).size(), 6u);  // three regions: stale, then missing
  story.rig.silent = false;
  story.rig.Seconds(5);
  EXPECT_EQ(story.Of(EventKind::kHeard).size(), 3u);
}

TEST(EventBookTest, SpillsAreSummedAndToldAtMostEveryHalfMinute) {
  Story story;
  story.rig.Seconds(5);
  const StreamId stream = story.rig.StreamsOf(kR0)[0];
  for (int second = 0; second < 65; ++second) {
    RouterReport report = story.rig.ReportOf(stream);
    report.tiers[0].spilled = 2;
    story.rig.Send(RouterReported{stream, report});
    story.rig.Second();
  }
  const std::vector<BookedEvent> told = story.Of(EventKind::kSpill);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_THAT(told[0].text, HasSubstr("2 jobs of r0"));
  EXPECT_THAT(told[1].text, HasSubstr("60 jobs of r0"));
}

TEST(EventBookTest, TheBookIsBoundedAndNumbersGoOn) {
  Story story;
  story.rig.Seconds(2);
  for (int i = 0; i < 600; ++i) story.rig.Ask(ThresholdCommand{"t0", 0.5 + i * 0.0001});
  EXPECT_EQ(story.book.entries().size(), EventBook::kKept);
  EXPECT_EQ(story.book.entries().back().number, story.book.last());
  EXPECT_EQ(story.book.entries().front().number, story.book.last() - EventBook::kKept + 1);
}

}  // namespace
}  // namespace ringway::controller
