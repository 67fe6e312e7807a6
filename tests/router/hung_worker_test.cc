// A worker that neither takes nor refuses an offer: the job goes elsewhere, the worker is left alone for a
// while.
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

TEST(HungWorker, TheOfferIsTakenBackAndTheJobGoesOn) {
  RouterOnTheTable t;
  t.ListWorkers(2);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  EXPECT_EQ(t.machine().NextWake(), t.now + Seconds(2));
  t.AdvanceToWake();
  const auto withdraw = t.Last<WithdrawAttempt>();
  ASSERT_TRUE(withdraw);
  EXPECT_EQ(withdraw->why, Outcome::kTimeout);
  EXPECT_FALSE(t.Last<OfferToWorker>()) << "not before the first is known to be over";
  EXPECT_FALSE(t.Last<EndJob>());
  EXPECT_TRUE(t.machine().workers().isolated(offer->worker));
  t.Finish(*offer, Outcome::kTimeout, /*answered=*/false, /*started=*/false);
  const auto second = t.Last<OfferToWorker>();
  ASSERT_TRUE(second);
  EXPECT_NE(second->worker, offer->worker);
}

TEST(HungWorker, AWorkerThatHasTakenTheJobHasUntilTheDeadline) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  t.Accept(*t.Last<OfferToWorker>());
  EXPECT_EQ(t.machine().NextWake(), t.now + Seconds(10));
}

TEST(HungWorker, AJobThatItMayHaveStartedIsNotStartedTwice) {
  RouterOnTheTable t;
  t.ListWorkers(2);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.AdvanceToWake();
  t.Accept(*offer);  // on its way when the offer was taken back
  t.Finish(*offer, Outcome::kTimeout, /*answered=*/false, /*started=*/true);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kFailed);
}

TEST(HungWorker, ItIsTriedAgainWithOneJob) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.AdvanceToWake();
  t.Finish(*offer, Outcome::kTimeout, false, false);
  ASSERT_FALSE(t.Last<OfferToWorker>());
  for (int i = 0; i < 200 && !t.Last<OfferToWorker>(); ++i) t.AdvanceToWake();
  ASSERT_TRUE(t.Last<OfferToWorker>()) << "half open: one job finds out";
  EXPECT_GE(t.now - FromUnixSeconds(1000), Seconds(3)) << "2 s of silence, 1 s left alone";
}

}  // namespace
}  // namespace ringway::router
