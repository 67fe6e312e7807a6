// Whom a router lists, watches and reports, event by event.
#include "router/worker_registry.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "core/rng.h"

namespace ringway::router {
namespace {

const TierId kFilmTier(0), kPictureTier(1), kUnknownTier;
const WorkerId kNearWorker(0), kFarWorker(1), kOtherWorker(2);

class WorkerRegistryTest : public testing::Test {
 protected:
  template <class Event>
  void Do(const Event& event) {
    actions_.clear();
    registry_.Step(now_, event, actions_);
  }
  void Directory(std::vector<DirectoryWorker> workers, std::vector<DirectoryRouter> routers = {}) {
    Do(DirectoryGiven{.routers = std::move(routers), .workers = std::move(workers)});
  }
  void Say(WorkerId worker, bool busy, double busy_s, TierId tier = kFilmTier, bool healthy = true) {
    Do(WorkerSaid{
        .worker = worker, .tier = tier, .healthy = healthy, .busy = busy, .busy_total = Seconds(busy_s)});
  }
  template <class Action>
  std::vector<Action> All() const {
    std::vector<Action> all;
    for (const RegistryAction& action : actions_) {
      if (const auto* a = std::get_if<Action>(&action)) all.push_back(*a);
    }
    return all;
  }
  std::vector<WorkerReported> Report() {
    std::vector<WorkerReported> report;
    registry_.Report(now_, report);
    return report;
  }

  Time now_ = UnixEpoch() + Hours(1);
  std::vector<RegistryAction> actions_;
  WorkerRegistry registry_{1};
};

TEST_F(WorkerRegistryTest, ALocalWorkerIsWatchedAtOnceAndListedWhenItSaysItsTier) {
  Do(LocalWorkerNamed{kNearWorker});
  EXPECT_EQ(All<WatchWorker>().size(), 1u);
  EXPECT_TRUE(All<WorkerListed>().empty()) << "nobody has said its tier";
  Say(kNearWorker, false, 5);
  ASSERT_EQ(All<WorkerListed>().size(), 1u);
  EXPECT_TRUE(All<WorkerListed>()[0].local);
  EXPECT_EQ(All<WorkerHeard>()[0].news.state, dispatch::WorkerState::kIdle);
  Directory({});
  EXPECT_TRUE(All<WorkerUnlisted>().empty()) << "the operator's word counts more than a directory";
  EXPECT_TRUE(All<UnwatchWorker>().empty());
}

TEST_F(WorkerRegistryTest, APartialDirectoryTakesNobodyOff) {
  Directory({{kNearWorker, kFilmTier}}, {{RouterId(4), RegionId(0), "r4"}});
  Do(DirectoryGiven{
      .routers = {{RouterId(5), RegionId(1), "r5"}}, .workers = {{kFarWorker, kFilmTier}}, .partial = true});
  EXPECT_EQ(All<WorkerListed>().size(), 1u);
  EXPECT_TRUE(All<WorkerUnlisted>().empty()) << "a controller that has just begun does not know who is gone";
  EXPECT_TRUE(All<RouterUnlisted>().empty());
  Directory({{kFarWorker, kFilmTier}}, {{RouterId(5), RegionId(1), "r5"}});
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
  EXPECT_EQ(All<RouterUnlisted>().size(), 1u) << "kept from the one before";
}

TEST_F(WorkerRegistryTest, TheDirectoryListsAndTakesOff) {
  Directory({{kNearWorker, kFilmTier}}, {{RouterId(4), RegionId(0), "r4"}});
  EXPECT_EQ(All<RouterListed>().size(), 1u);
  EXPECT_EQ(All<RoutersComplete>().size(), 1u);
  ASSERT_EQ(All<WorkerListed>().size(), 1u);
  EXPECT_FALSE(All<WorkerListed>()[0].local);
  Directory({{kFarWorker, kFilmTier}}, {{RouterId(5), RegionId(1), "r5"}});
  ASSERT_EQ(All<RouterUnlisted>().size(), 1u);
  EXPECT_EQ(All<RouterUnlisted>()[0].router, RouterId(4));
  ASSERT_EQ(All<WorkerUnlisted>().size(), 1u);
  EXPECT_EQ(All<WorkerUnlisted>()[0].worker, kNearWorker);
  EXPECT_EQ(All<UnwatchWorker>().size(), 1u);
}

TEST_F(WorkerRegistryTest, HintsAreBoundedAndTheirPlaceIsGivenOn) {
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}});
  ASSERT_EQ(All<WatchWorker>().size(), 1u);
  EXPECT_EQ(All<WatchWorker>()[0].worker, kNearWorker);
  ASSERT_EQ(All<WorkerHeard>().size(), 1u) << "of whom is not watched, the directory's word is told";
  EXPECT_EQ(All<WorkerHeard>()[0].worker, kFarWorker);
  EXPECT_FALSE(All<WorkerHeard>()[0].news.draining);
  Directory({{kFarWorker, kFilmTier}});
  Directory({{kFarWorker, kFilmTier}});
  ASSERT_EQ(All<WatchWorker>().size(), 1u);
  EXPECT_EQ(All<WatchWorker>()[0].worker, kFarWorker);
}

TEST_F(WorkerRegistryTest, ALeaderWatchesAllOfItsTierAndOneThatWasNoMore) {
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}, {kOtherWorker, kPictureTier}});
  Do(LeadershipSeen{kFilmTier, true});
  ASSERT_EQ(All<WatchWorker>().size(), 1u);
  EXPECT_EQ(All<WatchWorker>()[0].worker, kFarWorker);
  EXPECT_FALSE(registry_.watched(kOtherWorker));
  Do(LeadershipSeen{kFilmTier, true});
  EXPECT_TRUE(actions_.empty());
  Do(LeadershipSeen{kFilmTier, false});
  EXPECT_EQ(registry_.watched(kNearWorker) + registry_.watched(kFarWorker), 1) << "one stays, for hints";
}

// Nobody would take back what was heard last.
TEST_F(WorkerRegistryTest, OfAWorkerThatIsNotWatchedAnyMoreNothingIsKnown) {
  Directory({{kFarWorker, kFilmTier}, {kNearWorker, kFilmTier}});
  Do(LeadershipSeen{kFilmTier, true});
  Say(kNearWorker, false, 0);
  Do(WatchEnded{kNearWorker, true});
  Do(LeadershipSeen{kFilmTier, false});
  ASSERT_EQ(All<UnwatchWorker>().size(), 1u);
  ASSERT_EQ(All<WorkerHeard>().size(), 1u);
  EXPECT_EQ(All<WorkerHeard>()[0].worker, All<UnwatchWorker>()[0].worker);
  EXPECT_EQ(All<WorkerHeard>()[0].news.state, dispatch::WorkerState::kUnknown);
}

TEST_F(WorkerRegistryTest, AnAdoptedWorkerIsReportedFromThenOn) {
  Directory({{kNearWorker, kFilmTier}});
  Say(kNearWorker, true, 10);
  EXPECT_TRUE(Report().empty()) << "another router speaks for it";
  now_ += Seconds(1);
  Directory({{kNearWorker, kFilmTier, /*named_here=*/true}});
  ASSERT_EQ(All<AdoptionChanged>().size(), 1u);
  EXPECT_TRUE(All<AdoptionChanged>()[0].adopted);
  now_ += Milliseconds(500);
  const auto report = Report();
  ASSERT_EQ(report.size(), 1u);
  EXPECT_TRUE(report[0].adopted);
  EXPECT_EQ(report[0].busy_time, Milliseconds(500)) << "what was before is the other router's to report";
  Directory({{kNearWorker, kFilmTier, false}});
  EXPECT_FALSE(All<AdoptionChanged>()[0].adopted);
  EXPECT_TRUE(Report().empty());
}

// Its own report takes it out of the directory, and nobody else would see it come back.
TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatFallsSilentIsKeptForAMinute) {
  Directory({{kNearWorker, kFilmTier, true}});
  Say(kNearWorker, false, 0);
  Do(WatchEnded{kNearWorker, true});
  EXPECT_EQ(All<WorkerHeard>()[0].news.state, dispatch::WorkerState::kFailed);
  Do(WatchEnded{kNearWorker, true});
  EXPECT_FALSE(Report().at(0).healthy);
  now_ += WorkerRegistry::kAdoptedSilentMax - Seconds(1);
  Directory({});
  EXPECT_TRUE(All<WorkerUnlisted>().empty());
  EXPECT_TRUE(registry_.Own(kNearWorker));
  now_ += Seconds(1);
  Directory({});
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
  EXPECT_EQ(All<UnwatchWorker>().size(), 1u);
  EXPECT_FALSE(registry_.Own(kNearWorker));
}

// While the controller is down nobody else says that a drain has ended.
TEST_F(WorkerRegistryTest, WhoeverTheDirectoryCallsDrainingIsWatchedBeyondTheHints) {
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}, {kOtherWorker, kFilmTier, false, true}});
  EXPECT_EQ(All<WatchWorker>().size(), 2u) << "one hint, and the one that drains";
  EXPECT_TRUE(registry_.watched(kOtherWorker));
  ASSERT_EQ(All<WorkerHeard>().size(), 2u) << "until it is heard, the directory's word is told";
  EXPECT_EQ(All<WorkerHeard>()[1].worker, kOtherWorker);
  EXPECT_TRUE(All<WorkerHeard>()[1].news.draining);
  Say(kOtherWorker, false, 0);
  EXPECT_FALSE(All<WorkerHeard>().at(0).news.draining);
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}, {kOtherWorker, kFilmTier, false, true}});
  EXPECT_EQ(All<WorkerHeard>().size(), 1u) << "its own word counts more than a directory of before";
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}, {kOtherWorker, kFilmTier}});
  EXPECT_FALSE(registry_.watched(kOtherWorker)) << "the directory has heard of it too";
  EXPECT_FALSE(All<WorkerHeard>().back().news.draining);
}

TEST_F(WorkerRegistryTest, NoMoreDrainingWorkersAreWatchedThanTheBound) {
  std::vector<DirectoryWorker> workers;
  for (std::size_t i = 0; i < WorkerRegistry::kDrainingWatchedMax + 10; ++i) {
    workers.push_back({WorkerId(i), kFilmTier, false, true});
  }
  Directory(workers);
  EXPECT_EQ(All<WatchWorker>().size(), WorkerRegistry::kDrainingWatchedMax + 1) << "and one hint";
  Directory({});
  EXPECT_EQ(All<UnwatchWorker>().size(), WorkerRegistry::kDrainingWatchedMax + 1);
  Directory(workers);
  EXPECT_EQ(All<WatchWorker>().size(), WorkerRegistry::kDrainingWatchedMax + 1)
      << "the bound is of those there";
}

// Started with a tier that the fleet does not have, it is reported unwell, and so in no directory, until
// somebody starts it again.
TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatServesAnUnknownTierForAWhileIsNotForgotten) {
  Directory({{kNearWorker, kFilmTier, true}});
  Say(kNearWorker, false, 0);
  now_ += 2 * WorkerRegistry::kHealedUnlistedMax;
  Say(kNearWorker, false, 0, kUnknownTier);
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
  ASSERT_EQ(Report().size(), 1u) << "or the controller would not name it to others when this router goes";
  EXPECT_FALSE(Report()[0].healthy);
  EXPECT_EQ(Report()[0].tier, kFilmTier);
  Directory({});
  EXPECT_TRUE(registry_.Own(kNearWorker)) << "nobody else would see it come back";
  now_ += Seconds(10);
  Say(kNearWorker, false, 0);
  EXPECT_EQ(All<WorkerListed>().size(), 1u);
  Directory({});  // of before its report
  EXPECT_TRUE(registry_.Own(kNearWorker));
  EXPECT_TRUE(Report().at(0).healthy);
}

TEST_F(WorkerRegistryTest, ATierThatAWorkerHadInAnotherFleetIsNotReported) {
  Directory({{kNearWorker, kFilmTier, true}});
  Say(kNearWorker, false, 0);
  EXPECT_EQ(Report().at(0).tier, kFilmTier);
  Do(TierResolved{kNearWorker, TierId()});
  ASSERT_EQ(Report().size(), 1u);
  EXPECT_FALSE(Report()[0].tier.valid());
}

// It was down when its own router went, and that router is forgotten before it is back.
TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatWasDownAllAlongIsKeptForAMinute) {
  Directory({{kNearWorker, kFilmTier, true}});
  Do(WatchEnded{kNearWorker, true});
  EXPECT_TRUE(Report().empty()) << "it has not been heard";
  now_ += WorkerRegistry::kAdoptedSilentMax - Seconds(1);
  Directory({});
  EXPECT_TRUE(All<WorkerUnlisted>().empty());
  EXPECT_TRUE(All<UnwatchWorker>().empty()) << "nobody else would see it come back";
  Say(kNearWorker, false, 0);
  Directory({});
  ASSERT_EQ(Report().size(), 1u);
  EXPECT_TRUE(Report()[0].healthy);
  EXPECT_TRUE(Report()[0].adopted);
}

TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatIsNeverHeardIsDroppedAfterAMinute) {
  Directory({{kNearWorker, kFilmTier, true}});
  Do(WatchEnded{kNearWorker, true});
  now_ += WorkerRegistry::kAdoptedSilentMax;
  Directory({});
  EXPECT_EQ(All<UnwatchWorker>().size(), 1u);
  EXPECT_FALSE(registry_.Own(kNearWorker));
}

// The minute begins anew with each adoption.
TEST_F(WorkerRegistryTest, AWorkerThatIsAdoptedAgainAndWasNeverHeardIsKeptForAMinuteFromThenOn) {
  Directory({{kNearWorker, kFilmTier, true}});
  Do(WatchEnded{kNearWorker, true});
  now_ += Seconds(50);
  Directory({{kNearWorker, kFilmTier, false}});
  Directory({{kNearWorker, kFilmTier, true}});
  now_ += Seconds(50);
  Directory({});
  EXPECT_TRUE(registry_.Own(kNearWorker));
  now_ += Seconds(10);
  Directory({});
  EXPECT_FALSE(registry_.Own(kNearWorker));
}

// What a router that once led knows of it is of no use when it adopts the worker later.
TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatWasHeardLongAgoIsKeptForAMinuteAllTheSame) {
  Do(LeadershipSeen{kFilmTier, true});
  Directory({{kNearWorker, kFilmTier}, {kFarWorker, kFilmTier}});
  Say(kNearWorker, false, 0);
  Say(kFarWorker, false, 0);
  Do(LeadershipSeen{kFilmTier, false});
  const WorkerId unwatched = All<UnwatchWorker>().at(0).worker;
  now_ += 2 * WorkerRegistry::kAdoptedSilentMax;
  Directory({{unwatched, kFilmTier, true}});
  Do(WatchEnded{unwatched, true});
  Directory({});
  EXPECT_TRUE(registry_.Own(unwatched));
  EXPECT_TRUE(Report().empty()) << "what it said then is out of date";
}

// Or a break of a tenth of a second would take it from every router of the region for two seconds.
TEST_F(WorkerRegistryTest, AWorkerIsReportedUnhealthyWhenItsStreamDoesNotOpenAgain) {
  Do(LocalWorkerNamed{kNearWorker});
  Say(kNearWorker, false, 0);
  Do(WatchEnded{kNearWorker, true});
  EXPECT_TRUE(Report().at(0).healthy);
  Say(kNearWorker, false, 0);
  Do(WatchEnded{kNearWorker, true});
  EXPECT_TRUE(Report().at(0).healthy) << "it was heard in between";
  Do(WatchEnded{kNearWorker, true});
  EXPECT_FALSE(Report().at(0).healthy);
  Say(kNearWorker, false, 0);
  EXPECT_TRUE(Report().at(0).healthy);
}

// The directory that leaves it out, by this router's own report, arrives when it is well again.
TEST_F(WorkerRegistryTest, AnAdoptedWorkerThatWasUnwellForAMomentIsNotLost) {
  Directory({{kFarWorker, kFilmTier, /*named_here=*/true}});
  Say(kFarWorker, false, 0);
  Say(kFarWorker, false, 0, kFilmTier, /*healthy=*/false);
  EXPECT_FALSE(Report().at(0).healthy);
  Say(kFarWorker, false, 0);
  Directory({});
  ASSERT_EQ(Report().size(), 1u) << "nobody else would say that it is well";
  EXPECT_TRUE(Report()[0].healthy);
  now_ += WorkerRegistry::kHealedUnlistedMax + Seconds(1);
  Directory({});
  EXPECT_TRUE(Report().empty()) << "the controller has heard of it, and does not list it";
}

TEST_F(WorkerRegistryTest, AHealthyAdoptedWorkerLeavesWithTheDirectory) {
  Directory({{kNearWorker, kFilmTier, true}});
  Say(kNearWorker, false, 0);
  Directory({});
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
}

TEST_F(WorkerRegistryTest, BusyTimeIsToldOnceAndNeverGuessedFar) {
  Do(LocalWorkerNamed{kNearWorker});
  Say(kNearWorker, true, 100);
  now_ += Seconds(1);
  EXPECT_EQ(Report()[0].busy_time, Seconds(1)) << "it is busy, and was heard a second ago";
  now_ += Seconds(60);
  EXPECT_EQ(Report()[0].busy_time, Seconds(1)) << "two seconds after its last word we know nothing";
  Say(kNearWorker, false, 101.5);
  EXPECT_EQ(Report()[0].busy_time, ZeroDuration()) << "half a second was told too much";
  Say(kNearWorker, false, 103);
  EXPECT_EQ(Report()[0].busy_time, Seconds(1));
  Say(kNearWorker, false, 1);
  EXPECT_EQ(Report()[0].busy_time, Seconds(1)) << "it has started again, and counts from zero";
}

// Heard again it is known as if it had said so, whatever it says.
TEST_F(WorkerRegistryTest, ARepeatSaysWhatTheSameWordsSayButToNobody) {
  WorkerRegistry repeated(1);
  std::vector<RegistryAction> unused;
  Rng rng(3);
  Do(LocalWorkerNamed{kNearWorker});
  repeated.Step(now_, LocalWorkerNamed{kNearWorker}, unused);
  double busy_s = 0;
  for (int i = 0; i < 500; ++i) {
    now_ += Seconds(3 * rng.Uniform());
    busy_s = rng.Chance(0.05) ? 0 : busy_s + rng.Uniform();
    const WorkerSaid said{.worker = kNearWorker,
                          .tier = rng.Chance(0.1) ? kPictureTier : kFilmTier,
                          .healthy = rng.Chance(0.9),
                          .draining = rng.Chance(0.2),
                          .busy = rng.Chance(0.5),
                          .busy_total = Seconds(busy_s)};
    Do(said);
    repeated.HearRepeat(now_, said);
    ASSERT_EQ(repeated.tier(kNearWorker), registry_.tier(kNearWorker));
    if (!rng.Chance(0.3)) continue;
    now_ += Seconds(rng.Uniform());
    std::vector<WorkerReported> report;
    repeated.Report(now_, report);
    const WorkerReported expected = Report().at(0);
    ASSERT_EQ(report.size(), 1u);
    ASSERT_EQ(report[0].busy_time, expected.busy_time) << i;
    ASSERT_EQ(report[0].busy, expected.busy) << i;
    ASSERT_EQ(report[0].healthy, expected.healthy) << i;
    ASSERT_EQ(report[0].draining, expected.draining) << i;
  }
}

TEST_F(WorkerRegistryTest, AWorkersOwnTierCountsMoreThanTheDirectorys) {
  Directory({{kNearWorker, kFilmTier}});
  Say(kNearWorker, false, 0, kPictureTier);
  ASSERT_EQ(All<WorkerListed>().size(), 1u);
  EXPECT_EQ(All<WorkerListed>()[0].tier, kPictureTier);
  Directory({{kNearWorker, kFilmTier}});
  EXPECT_TRUE(All<WorkerListed>().empty());
}

TEST_F(WorkerRegistryTest, OfAWorkerThatIsNotWatchedAnyMoreTheDirectorySaysTheTier) {
  Directory({{kFarWorker, kFilmTier}, {kNearWorker, kFilmTier}});
  Do(LeadershipSeen{kFilmTier, true});
  // Restarted by mistake with a tier that nobody leads here, and later as what it is.
  for (const WorkerId worker : {kFarWorker, kNearWorker}) {
    Say(worker, false, 0);
    Say(worker, false, 0, kUnknownTier);
  }
  const WorkerId worker = registry_.watched(kNearWorker) ? kFarWorker : kNearWorker;
  ASSERT_FALSE(registry_.watched(worker));
  ASSERT_FALSE(registry_.listed(worker));
  Directory({{kFarWorker, kFilmTier}, {kNearWorker, kFilmTier}});
  EXPECT_TRUE(registry_.listed(worker));
  EXPECT_TRUE(registry_.watched(worker)) << "of a tier that is led here";
}

TEST_F(WorkerRegistryTest, ATierThatTheFleetDoesNotHaveIsNotServedUntilAMapHasIt) {
  Directory({{kNearWorker, kUnknownTier}});
  EXPECT_EQ(All<TierNotServed>().size(), 1u);
  EXPECT_TRUE(All<WorkerListed>().empty());
  Do(TierResolved{kNearWorker, kPictureTier});
  ASSERT_EQ(All<WorkerListed>().size(), 1u);
  Do(TierResolved{kNearWorker, kUnknownTier});
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
}

TEST_F(WorkerRegistryTest, PoolWorkersFollowTheirFileAndTheirHealth) {
  Do(PoolGiven{kFilmTier, {kNearWorker, kFarWorker}});
  EXPECT_EQ(All<WorkerListed>().size(), 2u);
  EXPECT_TRUE(All<WatchWorker>().empty()) << "they announce nothing";
  Do(PoolWorkerChecked{kNearWorker, false});
  EXPECT_EQ(All<WorkerUnlisted>().size(), 1u);
  Do(PoolWorkerChecked{kNearWorker, true});
  EXPECT_EQ(All<WorkerListed>().size(), 1u);
  Do(PoolGiven{kFilmTier, {kNearWorker}});
  ASSERT_EQ(All<WorkerUnlisted>().size(), 1u);
  EXPECT_EQ(All<WorkerUnlisted>()[0].worker, kFarWorker);
  Do(PoolWorkerChecked{kFarWorker, true});
  EXPECT_TRUE(actions_.empty()) << "a check that ended late brings nobody back";
}

}  // namespace
}  // namespace ringway::router
