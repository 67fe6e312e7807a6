// One machine and its peers by hand: what a request with a key hears in each situation.
#include "router/once/once_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ringway::router::once {
namespace {

using ::testing::HasSubstr;

const Time kNow = FromUnixSeconds(1000);
const Time kDeadline = kNow + Seconds(10);

template <class T>
std::vector<T> Take(OnceMachine& machine) {
  std::vector<T> taken;
  for (const OnceAction& action : machine.actions()) {
    if (const T* match = std::get_if<T>(&action)) taken.push_back(*match);
  }
  machine.actions().clear();
  return taken;
}

TEST(OnceMachine, AloneEverythingIsDecidedAtOnce) {
  OnceMachine machine({.router = "r0"});
  machine.Begin(kNow, JobId(1), "k", 7, kDeadline);
  EXPECT_EQ(Take<Granted>(machine).size(), 1u);
  machine.Begin(kNow, JobId(2), "k", 7, kDeadline);
  EXPECT_EQ(Take<Attached>(machine).size(), 1u) << "it waits for the first";
  machine.Settle(kNow, JobId(1), {.end = std::make_shared<const std::string>("x")});
  EXPECT_EQ(machine.actions().size(), 2u);
  EXPECT_EQ(Take<Answered>(machine).size(), 1u) << "and gets its answer";
  machine.Begin(kNow, JobId(3), "k", 7, kDeadline);
  const auto answered = Take<Answered>(machine);
  ASSERT_EQ(answered.size(), 1u);
  EXPECT_EQ(*answered[0].result.end, "x");
  EXPECT_EQ(machine.requests(), 0u);
}

TEST(OnceMachine, AKeyOfAnotherRequestIsRejected) {
  OnceMachine machine({.router = "r0"});
  machine.Begin(kNow, JobId(1), "k", 7, kDeadline);
  machine.Begin(kNow, JobId(2), "k", 8, kDeadline);
  const auto refused = Take<Refused>(machine);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].outcome, Outcome::kRejected);
  EXPECT_THAT(refused[0].message, HasSubstr("another request"));
}

TEST(OnceMachine, WhatWasGivenUpMayBeTriedAgainOnceItsWorkerHasStopped) {
  OnceMachine machine({.router = "r0"});
  machine.Begin(kNow, JobId(1), "k", 7, kDeadline);
  machine.Drop(kNow, JobId(1), /*attempt=*/5);
  (void)Take<Granted>(machine);
  machine.Begin(kNow, JobId(2), "k", 7, kDeadline);
  EXPECT_TRUE(Take<Granted>(machine).empty()) << "the first may still run";
  machine.AttemptOver(kNow, 5);
  EXPECT_EQ(Take<Granted>(machine).size(), 1u);
}

ViewPtr View3(std::uint64_t version, const std::string& last = "r2") {
  return MakeView({1, version}, {"r0", "r1", last});
}

class TwoOfThree : public testing::Test {
 protected:
  TwoOfThree() {
    desk_.List(kNow, RouterId(1), "r1");
    desk_.List(kNow, RouterId(2), "r2");
    desk_.UseView(kNow, View3(1));
    const Reply empty;
    for (const SendRequest& pull : Take<SendRequest>(desk_))
      desk_.Replied(kNow, pull.to, pull.request, &empty);
  }
  // The asks sent so far, newest last.
  std::vector<SendRequest> Sent() { return Take<SendRequest>(desk_); }
  OnceMachine desk_{{.router = "r0", .alone = false}};
};

TEST_F(TwoOfThree, ASilentOwnerIsNotTakenOver) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  const Record others{
      .key = "k", .fingerprint = 7, .claim = {1, StableHash("r1"), 1, 1}, .until = kNow + Seconds(5)};
  std::optional<Refused> refused;
  for (int step = 0; step < 20 && !refused; ++step) {
    for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
      if (const auto* end = std::get_if<Refused>(&action)) refused = *end;
      const auto* send = std::get_if<SendRequest>(&action);
      if (send == nullptr) continue;
      const Reply taken{.verdict = Verdict::kTaken, .records = {others}};
      const bool claim = std::holds_alternative<ClaimRequest>(send->request.what);
      desk_.Replied(kNow, send->to, send->request, claim && send->to == RouterId(2) ? &taken : nullptr);
    }
  }
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->outcome, Outcome::kFailed);
  EXPECT_THAT(refused->message, HasSubstr("outcome unknown: router r1"));
  EXPECT_EQ(refused->retry_after, Seconds(5));
  EXPECT_EQ(desk_.requests(), 0u);
}

// The rank of a key's replicas: one whose first is another router, and this one comes last.
std::string KeyWithThisRouterLast() {
  for (int i = 0;; ++i) {
    std::string key = "k" + std::to_string(i);
    Membership members("r0", Minutes(10));
    members.Use(kNow, View3(1));
    if (members.ReplicasOf(key).back().mark == StableHash("r0")) return key;
  }
}

// The first agrees; the second is waited for in vain, long enough for the first to have died and come back
// without its memory. Without the second look two routers' claims could stand at two replicas each.
TEST_F(TwoOfThree, WhoAgreedBeforeASilenceIsAskedAgain) {
  const std::string key = KeyWithThisRouterLast();
  desk_.Begin(kNow, JobId(1), key, 7, kDeadline);
  const Reply ok;
  const auto first = Sent();
  ASSERT_EQ(first.size(), 1u);
  desk_.Replied(kNow, first[0].to, first[0].request, &ok);
  const auto second = Sent();
  ASSERT_EQ(second.size(), 1u);
  desk_.Replied(kNow + Seconds(1), second[0].to, second[0].request, nullptr);
  EXPECT_TRUE(std::holds_alternative<SendRequest>(desk_.actions().front()));
  bool granted = false, asked_again = false;
  for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
    granted |= std::holds_alternative<Granted>(action);
    const auto* send = std::get_if<SendRequest>(&action);
    if (send == nullptr || send->to != first[0].to) continue;
    asked_again = std::holds_alternative<ClaimRequest>(send->request.what);
    desk_.Replied(kNow + Seconds(1.01), send->to, send->request, &ok);
  }
  EXPECT_FALSE(granted);
  ASSERT_TRUE(asked_again);
  EXPECT_EQ(Take<Granted>(desk_).size(), 1u);
}

// As above, but it was this router that stood still.
TEST_F(TwoOfThree, WhoAgreedLongAgoIsAskedAgain) {
  const std::string key = KeyWithThisRouterLast();
  desk_.Begin(kNow, JobId(1), key, 7, kDeadline);
  const Reply ok;
  const auto first = Sent();
  desk_.Replied(kNow, first.at(0).to, first.at(0).request, &ok);
  const auto second = Sent();
  const Time late = kNow + Seconds(5);
  desk_.Replied(late, second.at(0).to, second.at(0).request, &ok);
  std::set<RouterId> again;
  for (int step = 0; step < 2; ++step) {
    for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
      ASSERT_FALSE(std::holds_alternative<Granted>(action));
      const auto* send = std::get_if<SendRequest>(&action);
      ASSERT_NE(send, nullptr);
      again.insert(send->to);
      desk_.Replied(late, send->to, send->request, &ok);
    }
  }
  EXPECT_EQ(again, (std::set<RouterId>{RouterId(1), RouterId(2)}));
  EXPECT_EQ(Take<Granted>(desk_).size(), 1u);
}

// Begins a request with `key` at a router that is none of its three replicas, and gives the asks that follow
// from one reply.
class Outside : public testing::Test {
 protected:
  Outside() {
    const std::vector<std::string> names = {"r0", "r1", "r2", "r3"};
    for (std::uint32_t i = 1; i < names.size(); ++i) machine_.List(kNow, RouterId(i), names[i]);
    machine_.UseView(kNow, MakeView({1, 1}, names));
    const Reply empty;
    for (const SendRequest& pull : Take<SendRequest>(machine_))
      machine_.Replied(kNow, pull.to, pull.request, &empty);
    Membership members("r0", Minutes(10));
    members.Use(kNow, MakeView({1, 1}, names));
    const auto own = [&](const Replica& replica) { return replica.mark == StableHash("r0"); };
    for (int i = 0; key_.empty(); ++i) {
      const std::string key = "k" + std::to_string(i);
      const std::vector<Replica> replicas = members.ReplicasOf(key);
      if (std::none_of(replicas.begin(), replicas.end(), own)) key_ = key;
    }
  }
  std::vector<SendRequest> After(const SendRequest& ask, const Reply* reply) {
    machine_.Replied(kNow, ask.to, ask.request, reply);
    return Sent();
  }
  std::vector<SendRequest> Sent() {
    std::vector<SendRequest> asks;
    for (const OnceAction& action : std::exchange(machine_.actions(), {})) {
      answered_ |= std::holds_alternative<Answered>(action);
      const auto* send = std::get_if<SendRequest>(&action);
      if (send != nullptr && send->request.ticket != 0) asks.push_back(*send);
    }
    return asks;
  }
  OnceMachine machine_{{.router = "r0", .alone = false}};
  std::string key_;
  bool answered_ = false;
};

Reply Done(const std::string& key, const ClaimId& claim, const ViewId& voted_in, Verdict verdict) {
  return {.verdict = verdict,
          .records = {{.key = key, .fingerprint = 7, .claim = claim, .done = true, .voted_in = voted_in}}};
}

TEST_F(Outside, AnEndThatAQuorumHasAcceptedIsToldAtOnce) {
  const Reply vote = Done(key_, {1, StableHash("r1"), 1, 1}, machine_.view(), Verdict::kTaken);
  machine_.Begin(kNow, JobId(1), key_, 7, kDeadline);
  const auto second = After(Sent().at(0), &vote);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_FALSE(answered_) << "one replica alone says nothing";
  EXPECT_TRUE(After(second[0], &vote).empty());
  EXPECT_TRUE(answered_);
}

// One replica has the end of the first round, the next promises the claim: the end is told, and as that of
// the claim. Under its own round an end of the second round, which the third may have, would outrank it.
TEST_F(Outside, AnEndThatWasFoundIsRecordedAsThatOfTheClaimThatFoundIt) {
  const ClaimId first_round{1, StableHash("r1"), 1, 1};
  const Reply copy = Done(key_, first_round, {}, Verdict::kTaken);
  const Reply promised = Done(key_, first_round, {}, Verdict::kOk);
  const Reply ok;
  machine_.Begin(kNow, JobId(1), key_, 7, kDeadline);
  const auto again = After(Sent().at(0), &copy);
  ASSERT_EQ(again.size(), 1u) << "nobody will vote, so it outbids the end at once";
  EXPECT_EQ(std::get<ClaimRequest>(again[0].request.what).claim.round, 2u);
  const auto second = After(again[0], &promised);
  ASSERT_EQ(second.size(), 1u);
  const auto ends = After(second[0], &ok);
  ASSERT_EQ(ends.size(), 3u) << "a quorum has promised: all are told";
  for (const SendRequest& end : ends) {
    const Record& record = std::get<SettleRequest>(end.request.what).record;
    EXPECT_EQ(record.claim, std::get<ClaimRequest>(again[0].request.what).claim);
  }
  (void)After(ends[0], &ok);
  EXPECT_FALSE(answered_);
  (void)After(ends[1], &ok);
  EXPECT_TRUE(answered_) << "two replicas have the end";
}

// Somebody outbid the claim before its end was recorded. What was answered to it counts nothing for the next.
TEST_F(Outside, ALateAnswerToAnEarlierClaimIsNotCounted) {
  const ClaimId first_round{1, StableHash("r1"), 1, 1};
  const Reply copy = Done(key_, first_round, {}, Verdict::kTaken);
  const Reply promised = Done(key_, first_round, {}, Verdict::kOk);
  const Reply outbid{.verdict = Verdict::kTaken,
                     .records = {{.key = key_, .fingerprint = 7, .claim = {9, StableHash("r2"), 1, 1}}}};
  const Reply ok;
  machine_.Begin(kNow, JobId(1), key_, 7, kDeadline);
  const auto again = After(Sent().at(0), &copy);
  const auto ends = After(After(again.at(0), &promised).at(0), &promised);
  ASSERT_EQ(ends.size(), 3u);
  (void)After(ends[1], &outbid);
  (void)After(ends[2], &outbid);
  (void)After(ends[0], &ok);
  EXPECT_FALSE(answered_);
  machine_.Wake(machine_.NextWake());
  const auto third = Sent();
  ASSERT_EQ(third.size(), 1u) << "everything is asked again";
  EXPECT_GT(std::get<ClaimRequest>(third[0].request.what).claim.round, 2u);
  const auto confirming = After(After(third[0], &promised).at(0), &promised);
  ASSERT_EQ(confirming.size(), 3u);
  (void)After(ends[0], &ok);
  (void)After(confirming[0], &ok);
  EXPECT_FALSE(answered_) << "one replica, heard twice";
  (void)After(confirming[1], &ok);
  EXPECT_TRUE(answered_);
}

// The owner of a claim is silent, and one replica knows its end: nothing of it can run any more.
TEST_F(Outside, AClaimWhoseEndIsKnownGivesWay) {
  const ClaimId gone{1, StableHash("r9"), 1, 1};
  const Reply claimed{.verdict = Verdict::kTaken,
                      .records = {{.key = key_, .fingerprint = 7, .claim = gone, .until = kDeadline}}};
  machine_.Begin(kNow, JobId(1), key_, 7, kDeadline);
  const auto silent =
      After(Sent().at(0), &claimed);  // asks all with a second round, for its owner is unknown
  ASSERT_EQ(silent.size(), 1u);
  const Reply promised = Done(key_, gone, {}, Verdict::kOk);
  const auto third = After(After(silent[0], &claimed).at(0), &promised);
  ASSERT_EQ(third.size(), 1u);
  const auto over = After(third[0], nullptr);
  ASSERT_EQ(over.size(), 1u);
  const auto& request = std::get<ClaimRequest>(over[0].request.what);
  EXPECT_THAT(request.over, ::testing::Contains(gone));
  EXPECT_GT(request.claim.round, 2u)
      << "than what was given up for it, or replicas would send it round and round";
  const Reply ok;
  EXPECT_EQ(After(After(over[0], &ok).at(0), &promised).size(), 3u);
}

TEST_F(TwoOfThree, WithoutAQuorumNothingStarts) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  std::optional<Refused> refused;
  Time now = kNow;
  for (int step = 0; step < 200 && !refused; ++step) {
    for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
      ASSERT_FALSE(std::holds_alternative<Granted>(action));
      if (const auto* end = std::get_if<Refused>(&action)) refused = *end;
      if (const auto* send = std::get_if<SendRequest>(&action))
        desk_.Replied(now, send->to, send->request, nullptr);
    }
    if (desk_.actions().empty() && !refused) {
      ASSERT_NE(desk_.NextWake(), InfiniteFuture());
      now = desk_.NextWake();
      desk_.Wake(now);
    }
  }
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("by 1 of 2 routers"));
  EXPECT_THAT(refused->message, HasSubstr("nothing was started"));
}

TEST_F(TwoOfThree, ACompletionThatCannotBeRecordedIsNotDelivered) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  bool granted = false;
  for (int step = 0; step < 10 && !granted; ++step) {
    for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
      granted |= std::holds_alternative<Granted>(action);
      const Reply ok;
      if (const auto* send = std::get_if<SendRequest>(&action))
        desk_.Replied(kNow, send->to, send->request, &ok);
    }
  }
  ASSERT_TRUE(granted);
  desk_.Settle(kNow, JobId(1), {.end = std::make_shared<const std::string>("x")});
  for (const SendRequest& send : Sent()) desk_.Replied(kNow, send.to, send.request, nullptr);
  const auto unsettled = Take<Unsettled>(desk_);
  ASSERT_EQ(unsettled.size(), 1u);
  EXPECT_THAT(unsettled[0].message, HasSubstr("not delivered"));
}

Verdict AskClaim(OnceMachine& machine, const ViewId& view, const std::string& key = "k") {
  machine.Asked(kNow, 1,
                {.view = view, .what = ClaimRequest{.key = key, .claim = {1, 5, 1, 1}, .hold = Seconds(1)}});
  return Take<AnswerCall>(machine).at(0).reply.verdict;
}

TEST(OnceMachine, ARouterThatStartsLearnsBeforeItGrants) {
  OnceMachine machine({.router = "r0", .alone = false});
  machine.List(kNow, RouterId(1), "r1");
  EXPECT_EQ(AskClaim(machine, {}), Verdict::kNotReady) << "it knows of no view";
  const ViewPtr view = MakeView({1, 1}, {"r0", "r1"});
  machine.UseView(kNow, view);
  const auto pulls = Take<SendRequest>(machine);
  ASSERT_EQ(pulls.size(), 1u);
  EXPECT_FALSE(machine.ready());
  EXPECT_EQ(AskClaim(machine, view->id), Verdict::kNotReady);
  const Reply knows{.records = {{.key = "k", .claim = {1, 9, 1, 1}, .until = kDeadline}}, .since = view->id};
  machine.Replied(kNow, RouterId(1), pulls[0].request, &knows);
  EXPECT_TRUE(machine.ready());
  EXPECT_EQ(AskClaim(machine, view->id), Verdict::kTaken);
}

TEST_F(TwoOfThree, AReplicaAnswersInItsOwnViewOnly) {
  ASSERT_TRUE(desk_.ready());
  EXPECT_EQ(AskClaim(desk_, View3(1)->id, "a"), Verdict::kOk);
  EXPECT_EQ(AskClaim(desk_, {}, "b"), Verdict::kOk) << "an earlier release names none";
  EXPECT_EQ(AskClaim(desk_, View3(2, "r3")->id, "c"), Verdict::kNotReady) << "of one that it does not know";
  desk_.Asked(kNow, 1, {.what = PullRequest{.replica = StableHash("r3"), .view = View3(2, "r3")}});
  EXPECT_EQ(desk_.view(), View3(2, "r3")->id) << "who reads takes those that are read along";
  desk_.actions().clear();
  EXPECT_EQ(AskClaim(desk_, View3(1)->id, "c"), Verdict::kOldView);
  EXPECT_EQ(AskClaim(desk_, View3(2, "r3")->id, "c"), Verdict::kNotReady) << "nobody has been read";
}

TEST_F(TwoOfThree, ARefusalInAnOldViewTellsTheNewOne) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  Reply old{.verdict = Verdict::kOldView, .view = View3(2, "r3")->id, .views = {{.view = View3(2, "r3")}}};
  for (const SendRequest& send : Sent()) {
    if (std::holds_alternative<ClaimRequest>(send.request.what)) {
      desk_.Replied(kNow, send.to, send.request, &old);
    }
  }
  EXPECT_EQ(desk_.view(), View3(2, "r3")->id);
}

TEST_F(TwoOfThree, TheSameRoutersUnderAHigherNumberNeedNoReading) {
  desk_.UseView(kNow, MakeView({2, 1}, {"r0", "r1", "r2"}));
  EXPECT_TRUE(desk_.ready());
  EXPECT_TRUE(Sent().empty());
  EXPECT_EQ(AskClaim(desk_, View3(1)->id), Verdict::kOldView);
}

TEST_F(TwoOfThree, AnOlderViewChangesNothing) {
  desk_.UseView(kNow, View3(3, "r3"));
  desk_.UseView(kNow, View3(2, "r4"));
  EXPECT_EQ(desk_.view(), View3(3, "r3")->id);
}

}  // namespace
}  // namespace ringway::router::once
