// What the event log tells of a life that a Rig lives.
#include "controller/screen/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "controller/screen/hour_codec.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

// A rig whose every Step is in a log.
struct LoggedLife {
  explicit LoggedLife(std::shared_ptr<const Fleet> fleet = MakeFleet()) : rig(std::move(fleet)) {
    rig.stepped = [this](const ControllerEvent& event, const std::vector<ControllerAction>& actions) {
      log.Take(rig.now, event, actions, rig.machine);
      for (const ControllerAction& action : actions) {
        if (!std::holds_alternative<EpochEnded>(action)) continue;
        log.EndEpoch(rig.now, rig.now, rig.machine, PictureOf(rig.machine, rig.now));
      }
    };
    rig.Connect();
  }
  std::vector<LoggedEvent> Of(EventKind kind) const {
    std::vector<LoggedEvent> found;
    for (const LoggedEvent& entry : log.entries()) {
      if (entry.kind == kind) found.push_back(entry);
    }
    return found;
  }

  EventLog log;
  Rig rig;
};

TEST(EventLogTest, AStartIsToldInOrderAndAPeacefulLifeAddsNothing) {
  LoggedLife trace;
  trace.rig.PassSeconds(60);
  std::vector<std::string_view> kinds;
  for (const LoggedEvent& entry : trace.log.entries()) kinds.push_back(EventKindName(entry.kind));
  EXPECT_THAT(kinds, testing::ElementsAre("leader", "routers", "routers", "routers", "planning"));
  EXPECT_THAT(trace.Of(EventKind::kRouters)[0].text, HasSubstr("2 routers of r0 joined"));
}

TEST(EventLogTest, AHotRegionIsToldOnceAndItsCoolingOnce) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  trace.rig.demand_rps[kR0] = 12;  // 120 % of its fleet
  trace.rig.PassSeconds(60);
  trace.rig.demand_rps[kR0] = 3;
  trace.rig.PassSeconds(60);
  ASSERT_EQ(trace.Of(EventKind::kHot).size(), 1u);
  ASSERT_EQ(trace.Of(EventKind::kCool).size(), 1u);
  const LoggedEvent hot = trace.Of(EventKind::kHot)[0];
  EXPECT_EQ(hot.region, "r0");
  EXPECT_EQ(hot.tier, "t0");
  EXPECT_TRUE(hot.warning);
  EXPECT_LT(hot.number, trace.Of(EventKind::kCool)[0].number);
}

TEST(EventLogTest, NoiseAroundTheThresholdIsNotTold) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  for (int second = 0; second < 120; ++second) {
    trace.rig.demand_rps[kR0] = second % 2 == 0 ? 9.5 : 6;
    trace.rig.Second();
  }
  EXPECT_LE(trace.Of(EventKind::kHot).size(), 1u);
  EXPECT_LE(trace.Of(EventKind::kCool).size(), 1u);
}

TEST(EventLogTest, DemandBeyondEverythingIsToldAsRefusingAndItsEnd) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  for (double& rps : trace.rig.demand_rps) rps = 45;
  trace.rig.PassSeconds(60);
  ASSERT_EQ(trace.Of(EventKind::kShed).size(), 1u);
  EXPECT_TRUE(trace.Of(EventKind::kShed)[0].warning);
  for (double& rps : trace.rig.demand_rps) rps = 2;
  trace.rig.PassSeconds(90);
  ASSERT_EQ(trace.Of(EventKind::kShed).size(), 2u);
  EXPECT_FALSE(trace.Of(EventKind::kShed)[1].warning);
}

TEST(EventLogTest, TheEndOfATimedOrderIsTold) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  trace.rig.Ask(DrainCommand{"r0", "", true}, Seconds(5));
  trace.rig.PassSeconds(7);
  ASSERT_EQ(trace.Of(EventKind::kExpired).size(), 1u);
  EXPECT_THAT(trace.Of(EventKind::kExpired)[0].text, HasSubstr("r0: drained by 100 % -> serves fully"));
  EXPECT_EQ(trace.Of(EventKind::kExpired)[0].why, "ordered by ann for 5s");
}

TEST(EventLogTest, OrdersAreToldWithNameAndReasonRefusedOnesAsWarnings) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  trace.rig.Ask(DrainCommand{"r0", "", true});
  trace.rig.Ask(DrainCommand{"mars", "", true});
  trace.rig.Ask(DrainCommand{"r0", "", false});
  trace.rig.Ask(ThresholdCommand{"t0", 0.6});
  ASSERT_EQ(trace.Of(EventKind::kDrain).size(), 2u);
  const LoggedEvent done = trace.Of(EventKind::kDrain)[0];
  EXPECT_EQ(done.region, "r0");
  EXPECT_EQ(done.who, "ann");
  EXPECT_EQ(done.why, "test");
  EXPECT_FALSE(done.warning);
  EXPECT_TRUE(trace.Of(EventKind::kDrain)[1].warning);
  EXPECT_THAT(trace.Of(EventKind::kDrain)[1].text, HasSubstr("mars"));
  EXPECT_EQ(trace.Of(EventKind::kUndrain).size(), 1u);
  EXPECT_EQ(trace.Of(EventKind::kThreshold).size(), 1u);
}

TEST(EventLogTest, ARefusedTableAndAHigherEpochAreTold) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  const StreamId stream = trace.rig.StreamsOf(kR0)[0];
  trace.rig.Send(RouterAcked{stream, {1, 1}, false, "row 3 sums to 2"});
  ASSERT_EQ(trace.Of(EventKind::kRefused).size(), 1u);
  EXPECT_EQ(trace.Of(EventKind::kRefused)[0].region, "r0");
  EXPECT_THAT(trace.Of(EventKind::kRefused)[0].text, HasSubstr("row 3 sums to 2"));
  trace.rig.Send(
      RouterConnected{99, {.router = "x", .region = kR0, .address = "h:1", .table = {7, 1}, .build = ""}});
  trace.rig.Second();
  ASSERT_EQ(trace.Of(EventKind::kLeader).size(), 2u);
  EXPECT_THAT(trace.Of(EventKind::kLeader)[1].text, HasSubstr("epoch 8"));
}

TEST(EventLogTest, SilenceIsToldInItsTwoSteps) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  trace.rig.silent = true;
  trace.rig.PassSeconds(90);
  EXPECT_EQ(trace.Of(EventKind::kSilent).size(), 6u);  // three regions: stale, then missing
  trace.rig.silent = false;
  trace.rig.PassSeconds(5);
  EXPECT_EQ(trace.Of(EventKind::kHeard).size(), 3u);
}

TEST(EventLogTest, SpillsAreSummedAndToldAtMostEveryHalfMinute) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  const StreamId stream = trace.rig.StreamsOf(kR0)[0];
  for (int second = 0; second < 65; ++second) {
    RouterReport report = trace.rig.ReportOf(stream);
    report.tiers[0].spilled = 2;
    trace.rig.Send(RouterReported{stream, report});
    trace.rig.Second();
  }
  const std::vector<LoggedEvent> told = trace.Of(EventKind::kSpill);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_THAT(told[0].text, HasSubstr("2 jobs of r0"));
  EXPECT_THAT(told[1].text, HasSubstr("60 jobs of r0"));
}

TEST(EventLogTest, TheBookIsBoundedAndNumbersGoOn) {
  LoggedLife trace;
  trace.rig.PassSeconds(2);
  for (int i = 0; i < 600; ++i) trace.rig.Ask(ThresholdCommand{"t0", 0.5 + i * 0.0001});
  EXPECT_EQ(trace.log.entries().size(), EventLog::kKept);
  EXPECT_EQ(trace.log.entries().back().number, trace.log.last());
  EXPECT_EQ(trace.log.entries().front().number, trace.log.last() - EventLog::kKept + 1);
}

// The bytes of what a life has told, as the next one finds them.
std::string Saved(const LoggedLife& trace) {
  return EncodeHour(Timeline(), trace.log, *trace.rig.machine.fleet(), ZeroDuration());
}

TEST(EventLogTest, TheNextLifeGoesOnWithWhatTheFormerOneTold) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  trace.rig.Ask(DrainCommand{.region = "r0", .tier = "t0"});
  trace.rig.PassSeconds(5);
  const auto hour = DecodeHour(Saved(trace), *trace.rig.machine.fleet(), trace.rig.now, ZeroDuration());
  ASSERT_TRUE(hour.ok()) << hour.status();
  ASSERT_EQ(hour->events.size(), trace.log.entries().size());
  for (std::size_t i = 0; i < hour->events.size(); ++i) {
    const LoggedEvent& was = trace.log.entries()[i];
    const LoggedEvent& is = hour->events[i];
    EXPECT_EQ(std::tie(is.number, is.kind, is.warning, is.tier, is.region, is.text, is.who, is.why),
              std::tie(was.number, was.kind, was.warning, was.tier, was.region, was.text, was.who, was.why));
    EXPECT_EQ(is.wall, FromUnixMillis(ToUnixMillis(was.wall)));
  }
  LoggedLife next;
  next.log = EventLog();
  next.log.Restore(hour->events);
  next.rig.PassSeconds(5);
  ASSERT_GT(next.log.entries().size(), hour->events.size());
  EXPECT_GT(next.log.entries()[hour->events.size()].number, trace.log.last() + EventLog::kKept)
      << "whoever has seen what was not saved must not take the new for it";
}

TEST(EventLogTest, TornBytesAreRefusedAndKindsOfAnotherReleaseLeftOut) {
  LoggedLife trace;
  trace.rig.PassSeconds(5);
  const std::string bytes = Saved(trace);
  const Fleet& fleet = *trace.rig.machine.fleet();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeHour(bytes.substr(0, length), fleet, trace.rig.now, ZeroDuration()).ok()) << length;
  }
  EXPECT_FALSE(DecodeHour(bytes + "x", fleet, trace.rig.now, ZeroDuration()).ok());
  // The first entry's kind comes after the timeline, a count, its number and its time.
  const std::string timeline = EncodeHour(Timeline(), EventLog(), fleet, ZeroDuration());
  std::string other = bytes;
  other[timeline.size() + 16] = static_cast<char>(kEventKinds);
  const auto hour = DecodeHour(other, fleet, trace.rig.now, ZeroDuration());
  ASSERT_TRUE(hour.ok()) << hour.status();
  EXPECT_EQ(hour->events.size(), trace.log.entries().size() - 1);
}

}  // namespace
}  // namespace ringway::controller
