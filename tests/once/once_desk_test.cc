// One desk and its peers by hand: what a request with a key hears in each situation.
#include "router/once/once_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace ringway::router::once {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1000);
const absl::Time kDeadline = kNow + absl::Seconds(10);

template <class T>
std::vector<T> Take(OnceDesk& desk) {
  std::vector<T> taken;
  for (const DeskAction& action : desk.actions()) {
    if (const T* match = std::get_if<T>(&action)) taken.push_back(*match);
  }
  desk.actions().clear();
  return taken;
}

TEST(OnceDesk, AloneEverythingIsDecidedAtOnce) {
  OnceDesk desk({.router = "r0"});
  desk.Begin(kNow, JobId(1), "k", 7, kDeadline);
  EXPECT_EQ(Take<Granted>(desk).size(), 1u);
  desk.Begin(kNow, JobId(2), "k", 7, kDeadline);
  EXPECT_EQ(Take<Attached>(desk).size(), 1u) << "it waits for the first";
  desk.Settle(kNow, JobId(1), {.end = std::make_shared<const std::string>("x")});
  EXPECT_EQ(desk.actions().size(), 2u);
  EXPECT_EQ(Take<Answered>(desk).size(), 1u) << "and gets its answer";
  desk.Begin(kNow, JobId(3), "k", 7, kDeadline);
  const auto answered = Take<Answered>(desk);
  ASSERT_EQ(answered.size(), 1u);
  EXPECT_EQ(*answered[0].result.end, "x");
  EXPECT_EQ(desk.courses(), 0u);
}

TEST(OnceDesk, AKeyOfAnotherRequestIsRejected) {
  OnceDesk desk({.router = "r0"});
  desk.Begin(kNow, JobId(1), "k", 7, kDeadline);
  desk.Begin(kNow, JobId(2), "k", 8, kDeadline);
  const auto refused = Take<Refused>(desk);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].outcome, Outcome::kRejected);
  EXPECT_THAT(refused[0].message, HasSubstr("another request"));
}

TEST(OnceDesk, WhatWasGivenUpMayBeTriedAgainOnceItsWorkerHasStopped) {
  OnceDesk desk({.router = "r0"});
  desk.Begin(kNow, JobId(1), "k", 7, kDeadline);
  desk.Drop(kNow, JobId(1), /*attempt=*/5);
  (void)Take<Granted>(desk);
  desk.Begin(kNow, JobId(2), "k", 7, kDeadline);
  EXPECT_TRUE(Take<Granted>(desk).empty()) << "the first may still run";
  desk.AttemptOver(kNow, 5);
  EXPECT_EQ(Take<Granted>(desk).size(), 1u);
}

class TwoOfThree : public testing::Test {
 protected:
  TwoOfThree() {
    desk_.List(RouterId(1), "r1");
    desk_.List(RouterId(2), "r2");
    // A key that this router does not keep first, so that both others are asked.
  }
  // The asks sent so far, newest last.
  std::vector<SendAsk> Sent() { return Take<SendAsk>(desk_); }
  OnceDesk desk_{{.router = "r0"}};
};

TEST_F(TwoOfThree, ASilentOwnerIsNotTakenOver) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  const Record others{
      .key = "k", .fingerprint = 7, .claim = {1, StableHash("r1"), 1, 1}, .until = kNow + absl::Seconds(5)};
  std::optional<Refused> refused;
  for (int step = 0; step < 20 && !refused; ++step) {
    for (const DeskAction& action : std::exchange(desk_.actions(), {})) {
      if (const auto* end = std::get_if<Refused>(&action)) refused = *end;
      const auto* send = std::get_if<SendAsk>(&action);
      if (send == nullptr) continue;
      const Reply taken{.verdict = Verdict::kTaken, .records = {others}};
      const bool claim = std::holds_alternative<ClaimAsk>(send->ask.what);
      desk_.Replied(kNow, send->to, send->ask, claim && send->to == RouterId(2) ? &taken : nullptr);
    }
  }
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->outcome, Outcome::kFailed);
  EXPECT_THAT(refused->message, HasSubstr("outcome unknown: router r1"));
  EXPECT_EQ(refused->retry_after, absl::Seconds(5));
  EXPECT_EQ(desk_.courses(), 0u);
}

TEST_F(TwoOfThree, WithoutAQuorumNothingStarts) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  std::optional<Refused> refused;
  absl::Time now = kNow;
  for (int step = 0; step < 200 && !refused; ++step) {
    for (const DeskAction& action : std::exchange(desk_.actions(), {})) {
      ASSERT_FALSE(std::holds_alternative<Granted>(action));
      if (const auto* end = std::get_if<Refused>(&action)) refused = *end;
      if (const auto* send = std::get_if<SendAsk>(&action)) desk_.Replied(now, send->to, send->ask, nullptr);
    }
    if (desk_.actions().empty() && !refused) {
      ASSERT_NE(desk_.NextWake(), absl::InfiniteFuture());
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
    for (const DeskAction& action : std::exchange(desk_.actions(), {})) {
      granted |= std::holds_alternative<Granted>(action);
      const Reply ok;
      if (const auto* send = std::get_if<SendAsk>(&action)) desk_.Replied(kNow, send->to, send->ask, &ok);
    }
  }
  ASSERT_TRUE(granted);
  desk_.Settle(kNow, JobId(1), {.end = std::make_shared<const std::string>("x")});
  for (const SendAsk& send : Sent()) desk_.Replied(kNow, send.to, send.ask, nullptr);
  const auto unsettled = Take<Unsettled>(desk_);
  ASSERT_EQ(unsettled.size(), 1u);
  EXPECT_THAT(unsettled[0].message, HasSubstr("not delivered"));
}

TEST(OnceDesk, ARouterThatStartsLearnsBeforeItGrants) {
  OnceDesk desk({.router = "r0", .alone = false});
  desk.List(RouterId(1), "r1");
  desk.ViewComplete(kNow);
  const auto pulls = Take<SendAsk>(desk);
  ASSERT_EQ(pulls.size(), 1u);
  EXPECT_FALSE(desk.ready());
  desk.Asked(kNow, 1, {.what = ClaimAsk{.key = "k", .claim = {1, 5, 1, 1}, .hold = absl::Seconds(1)}});
  EXPECT_EQ(Take<AnswerCall>(desk).at(0).reply.verdict, Verdict::kNotReady);
  const Reply knows{.records = {{.key = "k", .claim = {1, 9, 1, 1}, .until = kDeadline}}};
  desk.Replied(kNow, RouterId(1), pulls[0].ask, &knows);
  EXPECT_TRUE(desk.ready());
  desk.Asked(kNow, 2, {.what = ClaimAsk{.key = "k", .claim = {1, 5, 1, 1}, .hold = absl::Seconds(1)}});
  EXPECT_EQ(Take<AnswerCall>(desk).at(0).reply.verdict, Verdict::kTaken);
}

TEST(OnceDesk, WhenARouterLeavesTheNextInRankGetsACopy) {
  OnceDesk desk({.router = "r0"});
  for (std::size_t r = 1; r < 4; ++r) desk.List(RouterId(r), "r" + std::to_string(r));
  for (int k = 0; k < 100; ++k) {
    SettleAsk end;
    end.record = {.key = "key" + std::to_string(k), .claim = {1, 5, 1, 1}};
    desk.Asked(kNow, 1, {.what = end});
  }
  desk.actions().clear();
  desk.Unlist(kNow, RouterId(1));
  std::size_t copies = 0;
  for (absl::Time now = kNow; desk.NextWake() < kNow + absl::Minutes(1); now = desk.NextWake()) {
    desk.Wake(now);
    copies += Take<SendAsk>(desk).size();
  }
  EXPECT_GT(copies, 20u);
  EXPECT_LT(copies, 100u) << "only of keys that the one that left has kept";
}

}  // namespace
}  // namespace ringway::router::once
