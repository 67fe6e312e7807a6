// Jobs with an idempotency key in the router's machine: nothing is asked of a worker before the key is
// claimed, nothing is answered before the end is on record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

once::Result Film() {
  return {.end = std::make_shared<const std::string>("end"),
          .bytes = std::make_shared<const std::string>("film")};
}

class OnceMode : public testing::Test {
 protected:
  explicit OnceMode(bool alone = true) : t_(SmallFleet(), 1, {.router = "home-0", .alone = alone}) {
    t_.ListWorkers(2);
  }
  void ArriveKeyed(std::size_t job, const std::string& key = "k", std::uint64_t fingerprint = 7) {
    JobFacts facts = t_.Facts();
    facts.keyed = true;
    facts.once = std::make_shared<OnceOptions>(OnceOptions{key, fingerprint});
    t_.Arrive(job, facts);
  }
  void Done(const OfferToWorker& offer) {
    t_.Step(AttemptEnded{.job = offer.job,
                         .attempt = offer.attempt,
                         .worker = offer.worker,
                         .outcome = Outcome::kDone,
                         .answered = true,
                         .result = Film()});
  }
  RouterOnTheTable t_;
};

TEST_F(OnceMode, TheSecondRequestWaitsForTheFirstAndGetsItsResult) {
  ArriveKeyed(0);
  const auto offer = t_.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  ArriveKeyed(1);
  EXPECT_FALSE(t_.Last<OfferToWorker>());
  t_.Accept(*offer);
  t_.now += Seconds(2);
  Done(*offer);
  std::vector<EndJob> ends;
  for (const RouterAction& action : t_.actions) {
    if (const auto* end = std::get_if<EndJob>(&action)) ends.push_back(*end);
  }
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].job, JobId(0));
  EXPECT_EQ(ends[0].outcome, Outcome::kDone);
  EXPECT_EQ(ends[0].trace.service, Seconds(2));
  EXPECT_EQ(ends[0].result.bytes, nullptr) << "its result has been streamed";
  EXPECT_EQ(ends[1].job, JobId(1));
  EXPECT_EQ(ends[1].outcome, Outcome::kDone);
  EXPECT_EQ(*ends[1].result.bytes, "film");
  EXPECT_EQ(ends[1].trace.route.reason, "record");
  EXPECT_EQ(t_.machine().jobs(), 0u);
  EXPECT_EQ(t_.machine().tier(kTier).held, 0u);
}

TEST_F(OnceMode, AfterItsEndAKeyIsAnsweredFromTheRecordHoweverShortTheDeadline) {
  ArriveKeyed(0);
  Done(*t_.Last<OfferToWorker>());
  JobFacts facts = t_.Facts();
  facts.deadline = t_.now + Milliseconds(50);  // no job of a second could still be run
  facts.once = std::make_shared<OnceOptions>(OnceOptions{"k", 7});
  t_.Arrive(1, facts);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kDone);
}

TEST_F(OnceMode, AFailedJobLeavesItsKeyFree) {
  ArriveKeyed(0);
  t_.Finish(*t_.Last<OfferToWorker>(), Outcome::kRejected);
  ASSERT_TRUE(t_.Last<EndJob>());
  ArriveKeyed(1);
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

TEST_F(OnceMode, AClientThatLeftFreesTheKeyWhenItsWorkerHasStopped) {
  ArriveKeyed(0);
  const auto offer = t_.Last<OfferToWorker>();
  t_.Accept(*offer);
  t_.Step(ClientGone{JobId(0)});
  ASSERT_TRUE(t_.Last<WithdrawAttempt>());
  ArriveKeyed(1);
  EXPECT_FALSE(t_.Last<OfferToWorker>()) << "two workers would run the key";
  t_.Finish(*offer, Outcome::kCancelled);
  ASSERT_TRUE(t_.Last<OfferToWorker>());
  EXPECT_EQ(t_.Last<OfferToWorker>()->job, JobId(1));
}

// It gets the payload after it has answered, so it cannot have begun.
TEST_F(OnceMode, AnOfferThatWasNotAnsweredDoesNotHoldTheKey) {
  ArriveKeyed(0);
  const auto unheard = t_.Last<OfferToWorker>();
  ASSERT_TRUE(unheard);
  t_.Step(ClientGone{JobId(0)});
  ASSERT_TRUE(t_.Last<WithdrawAttempt>());
  ArriveKeyed(1);
  EXPECT_FALSE(t_.Last<OfferToWorker>());
  t_.Finish(*unheard, Outcome::kTimeout, /*answered=*/false, /*started=*/false);
  ASSERT_TRUE(t_.Last<OfferToWorker>());
  EXPECT_EQ(t_.Last<OfferToWorker>()->job, JobId(1));
}

class OnceAmongMany : public OnceMode {
 protected:
  OnceAmongMany() : OnceMode(/*alone=*/false) {
    const once::ViewPtr view = once::MakeView({1, 1}, {"home-0", "home-1", "home-2"});
    for (std::size_t r = 0; r < 2; ++r) {
      t_.Step(RouterListed{RouterId(r), kHome, "home-" + std::to_string(r + 1)});
    }
    t_.Step(RoutersComplete{view});
    const std::vector<RouterAction> pulls = t_.actions;
    for (const RouterAction& action : pulls) {
      const auto* pull = std::get_if<AskReplica>(&action);
      if (pull != nullptr) t_.Step(OnceReplied{pull->to, pull->request, once::Reply{.since = view->id}});
    }
  }
  // Answers what replicas were asked in the last step, until nobody is asked.
  void Replicas(once::Verdict verdict) {
    for (int i = 0; i < 10; ++i) {
      const auto ask = t_.Last<AskReplica>();
      if (!ask) return;
      t_.Step(OnceReplied{ask->to, ask->request, once::Reply{.verdict = verdict}});
      if (t_.Last<OfferToWorker>() || t_.Last<EndJob>()) return;
    }
  }
};

TEST_F(OnceAmongMany, TheWorkerIsAskedAfterTheReplicasAndTheClientToldAfterThem) {
  ArriveKeyed(0);
  EXPECT_FALSE(t_.Last<OfferToWorker>());
  ASSERT_TRUE(t_.Last<AskReplica>());
  Replicas(once::Verdict::kOk);
  const auto offer = t_.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  t_.Accept(*offer);
  Done(*offer);
  EXPECT_FALSE(t_.Last<EndJob>()) << "the end is not on record yet";
  Replicas(once::Verdict::kOk);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kDone);
}

TEST_F(OnceAmongMany, WithoutReplicasItEndsInTimeAndInWords) {
  ArriveKeyed(0);
  for (int i = 0; i < 500 && !t_.Last<EndJob>(); ++i) {
    if (const auto ask = t_.Last<AskReplica>()) {
      t_.Step(OnceReplied{ask->to, ask->request, std::nullopt});
    } else {
      t_.AdvanceToWake();
    }
    ASSERT_FALSE(t_.Last<OfferToWorker>());
  }
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_THAT(t_.Last<EndJob>()->message, HasSubstr("nothing was started"));
}

class OnceBeforeAView : public OnceMode {
 protected:
  OnceBeforeAView() : OnceMode(/*alone=*/false) {}
};

TEST_F(OnceBeforeAView, NothingIsStartedAndTheClientIsToldWhenToAskAgain) {
  t_.Step(RoutersComplete{});
  ArriveKeyed(0);
  for (int i = 0; i < 500 && !t_.Last<EndJob>(); ++i) {
    t_.AdvanceToWake();
    ASSERT_FALSE(t_.Last<OfferToWorker>());
  }
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_THAT(t_.Last<EndJob>()->message, HasSubstr("no controller has told this router"));
  EXPECT_GT(t_.Last<EndJob>()->retry_after, ZeroDuration());
}

TEST_F(OnceAmongMany, AForwardedJobIsTheForwardersToClaim) {
  JobFacts facts = t_.Facts();
  facts.forwarded = true;
  facts.keyed = true;
  facts.once = std::make_shared<OnceOptions>(OnceOptions{"k", 7});
  t_.Arrive(0, facts);
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

}  // namespace
}  // namespace ringway::router
