// The checkers judge every simulation, so they are tested on event streams that are wrong on purpose: each
// planted bug must be caught, and a sound stream must not be.
#include "sim/observers/checkers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::sim::checkers_test {
namespace {

using testing::HasSubstr;

Time At(double s) { return UnixEpoch() + Seconds(s); }

const WorkerId kWorker(0), kOther(1);
const RouterId kRouter(0), kOtherRouter(1);

OfferNote Job(JobSerial serial) { return {.payload = {.serial = serial, .service_ns = 1}}; }

class CheckersTest : public testing::Test {
 protected:
  void Submit(JobSerial serial) {
    checkers_.OnSubmitted(At(1), {.serial = serial, .tier = TierId(0), .region = RegionId(0)});
  }
  void SubmitKeyed(JobSerial serial) {
    checkers_.OnSubmitted(
        At(1), {.serial = serial, .tier = TierId(0), .region = RegionId(0), .key = 7, .entry = kRouter});
  }
  void StartKeyed(WorkerId worker, JobSerial serial, Time deadline, RouterId router = kRouter,
                  Time at = At(3)) {
    OfferNote job = Job(serial);
    job.deadline = deadline;
    job.caller.router = router;
    checkers_.OnStarted(at, worker, job);
  }
  void End(JobSerial serial, Outcome outcome = Outcome::kDone) {
    Ending ending;
    ending.serial = serial;
    ending.outcome = outcome;
    checkers_.OnEnded(At(4), ending);
  }
  void RunAt(WorkerId worker, JobSerial serial) {
    checkers_.OnStarted(At(3), worker, Job(serial));
    checkers_.OnFreed(At(3), worker, Job(serial), true);
  }
  void ExpectViolation(const char* what) {
    ASSERT_FALSE(checkers_.violations().empty()) << "not caught: " << what;
    EXPECT_THAT(checkers_.violations().front(), HasSubstr(what));
  }
  static RoutingTable Table(std::uint64_t version, double home) {
    RoutingTable table;
    table.version = {1, version};
    table.tiers.push_back(HomeTable(TierId(0), 2, 1));
    table.tiers[TierId(0)].at(0, RegionId(0)).routes[0].fraction = home;
    return table;
  }

  Checkers checkers_{2, 2};
};

TEST_F(CheckersTest, ASoundLifeIsNotAViolation) {
  for (JobSerial serial = 1; serial <= 3; ++serial) Submit(serial);
  RunAt(kWorker, 1);
  End(1);
  End(2, Outcome::kShed);
  checkers_.OnStarted(At(4), kWorker, Job(3));
  checkers_.OnWorkerDied(At(5), kWorker);
  checkers_.OnStarted(At(5), kOther, Job(3));
  checkers_.OnFreed(At(6), kOther, Job(3), true);
  Ending last;
  last.serial = 3;
  checkers_.OnEnded(At(7), last);
  checkers_.OnTableActive(At(8), kRouter, Table(1, 1));
  checkers_.OnTableActive(At(9), kRouter, Table(2, 1));
  checkers_.OnSecond(At(10));
  checkers_.CheckDrained(At(11));
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
}

TEST_F(CheckersTest, CatchesADoubleGrant) {
  Submit(1);
  Submit(2);
  checkers_.OnStarted(At(2), kWorker, Job(1));
  checkers_.OnStarted(At(2), kWorker, Job(2));
  ExpectViolation("a slot was granted twice");
}

// A leader that grants a slot whose lease is still in use, as one that has lost its table would.
TEST_F(CheckersTest, CatchesASecondGrantOfALivingLease) {
  Submit(1);
  checkers_.OnGranted(At(1), kWorker, {{1, 1}, 1});
  OfferNote job = Job(1);
  job.lease = {{1, 1}, 1};
  checkers_.OnStarted(At(2), kWorker, job);
  checkers_.OnGranted(At(2), kWorker, {{1, 1}, 1});  // said again
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
  checkers_.OnGranted(At(3), kWorker, {{1, 1}, 2});
  ExpectViolation("two living leases");
}

// A leader that was stopped while another was appointed grants what is void, until it hears of it.
TEST_F(CheckersTest, AGrantOfADeposedLeaderIsVoidUnlessAWorkerObeysIt) {
  Submit(1);
  Submit(2);
  checkers_.OnGranted(At(1), kWorker, {{1, 2}, 1});
  OfferNote job = Job(1);
  job.lease = {{1, 2}, 1};
  checkers_.OnStarted(At(2), kWorker, job);
  checkers_.OnGranted(At(3), kWorker, {{1, 1}, 9});
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
  checkers_.OnFreed(At(4), kWorker, job, true);
  job = Job(2);
  job.lease = {{1, 1}, 9};
  checkers_.OnStarted(At(5), kWorker, job);
  ExpectViolation("started lease");
}

TEST_F(CheckersTest, CatchesALeaseThatNobodyGranted) {
  Submit(1);
  checkers_.OnGranted(At(1), kWorker, {{1, 1}, 1});
  OfferNote job = Job(1);
  job.lease = {{1, 1}, 2};
  checkers_.OnStarted(At(2), kWorker, job);
  ExpectViolation("which nobody granted");
}

TEST_F(CheckersTest, CatchesAnOldLeaseThatIsObeyedAgain) {
  Submit(1);
  Submit(2);
  checkers_.OnGranted(At(1), kWorker, {{1, 1}, 1});
  for (const JobSerial serial : {1, 2}) {
    OfferNote job = Job(serial);
    job.lease = {{1, 1}, 1};
    checkers_.OnStarted(At(2), kWorker, job);
    checkers_.OnFreed(At(2), kWorker, job, true);
  }
  ExpectViolation("started lease");
}

TEST_F(CheckersTest, CatchesOneJobAtTwoWorkers) {
  Submit(1);
  checkers_.OnStarted(At(2), kWorker, Job(1));
  checkers_.OnStarted(At(2), kOther, Job(1));
  ExpectViolation("runs at two workers");
}

TEST_F(CheckersTest, CatchesADoubleExecution) {
  Submit(1);
  RunAt(kWorker, 1);
  RunAt(kOther, 1);
  ExpectViolation("executed twice");
}

TEST_F(CheckersTest, CatchesALostJob) {
  Submit(1);
  checkers_.CheckDrained(At(5));
  ExpectViolation("never ended");
}

TEST_F(CheckersTest, CatchesAJobThatEndsTwice) {
  Submit(1);
  RunAt(kWorker, 1);
  End(1);
  End(1);
  ExpectViolation("ended twice");
}

TEST_F(CheckersTest, CatchesAResultThatNobodyMade) {
  Submit(1);
  End(1);
  ExpectViolation("no worker finished it");
}

TEST_F(CheckersTest, CatchesARowThatDoesNotSumToOne) {
  checkers_.OnTableActive(At(1), kRouter, Table(1, 0.9));
  ExpectViolation("sums to 0.9");
}

TEST_F(CheckersTest, CatchesATableThatRoutersWouldRefuse) {
  checkers_.OnTablePublished(At(1), Table(1, 0.9));
  ExpectViolation("sums to 0.9");
}

TEST_F(CheckersTest, CatchesASecondRunOfAKey) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  StartKeyed(kWorker, 1, At(10));
  StartKeyed(kOther, 2, At(10));
  ExpectViolation("of the same key 7");
}

TEST_F(CheckersTest, AKeyMayRunAgainWhenTheFirstRunIsOver) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  StartKeyed(kWorker, 1, At(10));
  checkers_.OnFreed(At(3), kWorker, Job(1), false);
  StartKeyed(kOther, 2, At(10));
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
}

// The key is free from the deadline on, and the worker notices at its next step.
TEST_F(CheckersTest, ARunBeyondItsDeadlineHoldsNoKey) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  StartKeyed(kWorker, 1, At(3));
  StartKeyed(kOther, 2, At(10));
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
}

TEST_F(CheckersTest, AnOwnerThatHasStartedAnewGivesItsKeyAway) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  StartKeyed(kWorker, 1, At(10), kOtherRouter);
  checkers_.OnRouterDied(At(3), kRouter);
  checkers_.OnRouterStarted(At(3), kRouter);
  StartKeyed(kOther, 2, At(10), kOtherRouter);
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
}

TEST_F(CheckersTest, AnOwnerThatIsDeadDoesNot) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  StartKeyed(kWorker, 1, At(10), kOtherRouter);
  checkers_.OnRouterDied(At(3), kRouter);
  StartKeyed(kOther, 2, At(10), kOtherRouter);
  ExpectViolation("of the same key 7");
}

// A router that has started is without its records until it has read them, which a partition can put off for
// long; another that dies meanwhile had the only others.
TEST_F(CheckersTest, TwoRoutersWithoutTheirRecordsAtATimeExcuseAKey) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  checkers_.OnRouterDied(At(4), kOtherRouter);
  checkers_.OnRouterStarted(At(5), kOtherRouter);
  for (int s = 6; s < 30; ++s) checkers_.OnRouterReading(At(s), kOtherRouter);
  StartKeyed(kWorker, 1, At(100), kOtherRouter, At(29));
  checkers_.OnRouterDied(At(30), kRouter);
  StartKeyed(kOther, 2, At(100), kOtherRouter, At(31));
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
}

// A view that changes long after is no loss.
TEST_F(CheckersTest, ARouterThatReadsForALaterViewHasItsRecords) {
  SubmitKeyed(1);
  SubmitKeyed(2);
  checkers_.OnRouterDied(At(4), kOtherRouter);
  checkers_.OnRouterStarted(At(5), kOtherRouter);
  checkers_.OnRouterReading(At(28), kOtherRouter);
  StartKeyed(kWorker, 1, At(100), kOtherRouter, At(29));
  checkers_.OnRouterDied(At(30), kRouter);
  StartKeyed(kOther, 2, At(100), kOtherRouter, At(31));
  ExpectViolation("of the same key 7");
}

TEST_F(CheckersTest, CatchesAnOlderTable) {
  checkers_.OnTableActive(At(1), kRouter, Table(2, 1));
  checkers_.OnTableActive(At(2), kRouter, Table(1, 1));
  ExpectViolation("older table");
}

TEST_F(CheckersTest, CatchesTimeRunningBackwards) {
  checkers_.OnTableActive(At(2), kRouter, Table(1, 1));
  checkers_.OnTableActive(At(1), kRouter, Table(2, 1));
  ExpectViolation("backwards");
}

TEST_F(CheckersTest, AViolationTellsWhatHappenedBefore) {
  Submit(7);
  checkers_.CheckDrained(At(5));
  EXPECT_THAT(checkers_.violations().front(), HasSubstr("submitted job, user 7 0"));
}

TEST_F(CheckersTest, CatchesAClaimThatAsksAReplicaWithoutEnd) {
  router::once::ClaimId claim{.round = 1, .owner = 5, .life = 1, .serial = 3};
  for (int i = 0; i < Checkers::kClaimAsksMax; ++i) {
    checkers_.OnClaimAsked(At(1), kRouter, claim);
    checkers_.OnClaimAsked(At(1), kOtherRouter, claim);
  }
  ++claim.serial;
  checkers_.OnClaimAsked(At(1), kRouter, claim);
  EXPECT_THAT(checkers_.violations(), testing::IsEmpty());
  --claim.serial;
  checkers_.OnClaimAsked(At(1), kRouter, claim);
  ExpectViolation("router 0 was asked more than 8 times to record one claim");
}

}  // namespace
}  // namespace ringway::sim::checkers_test
