// What the router is told: tables, epochs, fleets, and when it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

TEST(Tables, FencedByEpochAndVersion) {
  struct Case {
    TableVersion offered;
    bool active;
    const char* refusal;
  };
  RouterOnTheTable t;
  for (const Case& c : {Case{{1, 5}, true, ""},
                        {{1, 4}, false, "older than the active 1.5"},
                        {{1, 5}, true, ""},
                        {{2, 1}, true, ""},
                        {{1, 9}, false, "of an earlier leader; epoch 2"},
                        {{2, 2}, true, ""}}) {
    t.SendAllTo(kHome, c.offered);
    const auto decided = t.Last<TableDecided>();
    ASSERT_TRUE(decided);
    EXPECT_EQ(decided->active, c.active) << c.offered.epoch << "." << c.offered.version;
    EXPECT_THAT(decided->refusal, HasSubstr(c.refusal));
  }
  EXPECT_EQ(t.machine().table(), (TableVersion{2, 2}));
}

TEST(Tables, ANewLeadersWelcomeFencesTheOldOne) {
  RouterOnTheTable t;
  t.Step(ControllerWelcomed{.epoch = 9});
  t.SendAllTo(kHome, {8, 100});
  EXPECT_FALSE(t.Last<TableDecided>()->active);
  EXPECT_EQ(t.machine().epoch_seen_max(), 9u);
}

// A false controller, or a damaged disk, must not make a router deaf to the true one.
TEST(Tables, AnEpochThatNoLeaderCanHaveIsForgottenWhenAControllerWelcomesTheRouter) {
  for (const std::uint64_t absurd : {std::uint64_t{1} << 48, ~std::uint64_t{0}}) {
    RouterOnTheTable t;
    t.ListRouter(0, kNear);
    t.Step(ControllerWelcomed{.epoch = absurd});
    t.SendAllTo(kNear, {absurd, 1});
    ASSERT_TRUE(t.Last<TableDecided>()->active);
    t.Step(ControllerWelcomed{.epoch = 3});
    EXPECT_EQ(t.machine().epoch_seen_max(), 3u);
    t.Arrive(0);
    EXPECT_TRUE(t.Last<ForwardToRouter>()) << "the active table stands until there is another";
    t.SendAllTo(kHome, {2, 9});
    EXPECT_FALSE(t.Last<TableDecided>()->active) << "of an earlier leader";
    t.SendAllTo(kHome, {3, 1});
    EXPECT_TRUE(t.Last<TableDecided>()->active) << t.Last<TableDecided>()->refusal;
    EXPECT_EQ(t.machine().table(), (TableVersion{3, 1}));
  }
}

TEST(Tables, OfAnEpochBeyondAnySenseAreRefused) {
  RouterOnTheTable t;
  t.Step(ControllerWelcomed{.epoch = 3});
  t.SendAllTo(kHome, {std::uint64_t{1} << 48, 1});
  EXPECT_FALSE(t.Last<TableDecided>()->active);
  EXPECT_THAT(t.Last<TableDecided>()->refusal, HasSubstr("beyond any sense"));
  EXPECT_EQ(t.machine().epoch_seen_max(), 3u) << "and not believed";
  t.SendAllTo(kHome, {4, 1});
  EXPECT_TRUE(t.Last<TableDecided>()->active);
}

TEST(Tables, StandWhenTheControllerIsLost) {
  RouterOnTheTable t;
  t.ListRouter(0, kNear);
  t.SendAllTo(kNear);
  t.Step(ControllerLost{});
  t.Advance(Hours(1));
  t.Arrive(0);
  EXPECT_TRUE(t.Last<ForwardToRouter>());
}

// How long workers are held: whatever became of the job, but only where this router had asked the worker.
TEST(Reports, CountWhatHeldAWorkerHere) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.Step(ControllerWelcomed{.epoch = 4, .report_period = Seconds(20)});
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.Accept(*offer);
  t.now += Seconds(3);
  t.Finish(*offer, Outcome::kFailed);
  t.SendAllTo(kNear, {4, 1});
  t.Arrive(1);
  const auto forward = t.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  t.Step(AttemptAccepted{forward->job, forward->attempt});
  t.now += Seconds(5);
  t.Finish(*forward, Outcome::kDone);
  ASSERT_TRUE(t.Last<EndJob>());
  t.Advance(Seconds(12));
  const auto report = t.Last<SendReport>();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tiers[kTier].counters.failed, 1u);
  EXPECT_EQ(report->tiers[kTier].counters.ran, 1u);
  EXPECT_EQ(report->tiers[kTier].counters.held, Seconds(3));
}

TEST(Reports, EveryPeriodWhileConnected) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  EXPECT_EQ(t.machine().NextWake(), InfiniteFuture());
  t.Step(ControllerWelcomed{.epoch = 4, .report_period = Seconds(2)});
  EXPECT_EQ(t.machine().NextWake(), t.now + Seconds(2));
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.Accept(*offer);
  t.Arrive(1);
  t.now += Seconds(1);
  t.Finish(*offer, Outcome::kDone);
  t.now += Seconds(1);
  t.Step(TimePassed{});
  const auto report = t.Last<SendReport>();
  ASSERT_TRUE(report);
  const auto& counts = report->tiers[kTier];
  EXPECT_EQ(report->period, Seconds(2));
  EXPECT_EQ(report->epoch_seen_max, 4u);
  EXPECT_EQ(counts.counters.entered[0], 2u);
  EXPECT_EQ(counts.counters.sent[kHome], 2u);
  EXPECT_EQ(counts.counters.done, 1u);
  EXPECT_EQ(counts.counters.service, Seconds(1));
  EXPECT_EQ(counts.counters.ran, 1u);
  EXPECT_EQ(counts.counters.held, Seconds(1));
  EXPECT_EQ(counts.waiting, 1u) << "asked for, not accepted yet";
  t.Advance(Seconds(2));
  EXPECT_EQ(t.Last<SendReport>()->tiers[kTier].counters.entered[0], 0u);
  EXPECT_EQ(t.Last<SendReport>()->sequence, 2u);
  t.Step(ControllerLost{});
  t.Advance(Seconds(2));
  EXPECT_FALSE(t.Last<SendReport>());
}

TEST(Reports, ADemandIsCountedEvenWhenRefused) {
  RouterOnTheTable t;
  t.Step(ControllerWelcomed{});
  Row all_shed;
  all_shed.shed_fraction = 1;
  t.UseRow(all_shed);
  t.Arrive(0);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  JobFacts forwarded = t.Facts();
  forwarded.forwarded = true;
  t.Arrive(0, forwarded);
  t.Advance(Seconds(1));
  const auto counts = t.Last<SendReport>()->tiers[kTier].counters;
  EXPECT_EQ(counts.entered[0], 1u) << "a forwarded job is demand of its own region only";
  EXPECT_EQ(counts.shed, 1u);
}

TEST(Fleet, NewSettingsReachTheTier) {
  RouterOnTheTable t;
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.waiting_max = 0;
  t.Step(FleetChanged{std::make_shared<const Fleet>(fleet)});
  t.Arrive(0);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
}

}  // namespace
}  // namespace ringway::router
