// One machine and its peers by hand: what a request with a key hears in each situation.
#include "router/once/once_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace ringway::router::once {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1000);
const absl::Time kDeadline = kNow + absl::Seconds(10);

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

class TwoOfThree : public testing::Test {
 protected:
  TwoOfThree() {
    desk_.List(RouterId(1), "r1");
    desk_.List(RouterId(2), "r2");
    // A key that this router does not keep first, so that both others are asked.
  }
  // The asks sent so far, newest last.
  std::vector<SendRequest> Sent() { return Take<SendRequest>(desk_); }
  OnceMachine desk_{{.router = "r0"}};
};

TEST_F(TwoOfThree, ASilentOwnerIsNotTakenOver) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  const Record others{
      .key = "k", .fingerprint = 7, .claim = {1, StableHash("r1"), 1, 1}, .until = kNow + absl::Seconds(5)};
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
  EXPECT_EQ(refused->retry_after, absl::Seconds(5));
  EXPECT_EQ(desk_.requests(), 0u);
}

TEST_F(TwoOfThree, WithoutAQuorumNothingStarts) {
  desk_.Begin(kNow, JobId(1), "k", 7, kDeadline);
  std::optional<Refused> refused;
  absl::Time now = kNow;
  for (int step = 0; step < 200 && !refused; ++step) {
    for (const OnceAction& action : std::exchange(desk_.actions(), {})) {
      ASSERT_FALSE(std::holds_alternative<Granted>(action));
      if (const auto* end = std::get_if<Refused>(&action)) refused = *end;
      if (const auto* send = std::get_if<SendRequest>(&action))
        desk_.Replied(now, send->to, send->request, nullptr);
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

TEST(OnceMachine, ARouterThatStartsLearnsBeforeItGrants) {
  OnceMachine machine({.router = "r0", .alone = false});
  machine.List(RouterId(1), "r1");
  machine.ViewComplete(kNow);
  const auto pulls = Take<SendRequest>(machine);
  ASSERT_EQ(pulls.size(), 1u);
  EXPECT_FALSE(machine.ready());
  machine.Asked(kNow, 1, {.what = ClaimRequest{.key = "k", .claim = {1, 5, 1, 1}, .hold = absl::Seconds(1)}});
  EXPECT_EQ(Take<AnswerCall>(machine).at(0).reply.verdict, Verdict::kNotReady);
  const Reply knows{.records = {{.key = "k", .claim = {1, 9, 1, 1}, .until = kDeadline}}};
  machine.Replied(kNow, RouterId(1), pulls[0].request, &knows);
  EXPECT_TRUE(machine.ready());
  machine.Asked(kNow, 2, {.what = ClaimRequest{.key = "k", .claim = {1, 5, 1, 1}, .hold = absl::Seconds(1)}});
  EXPECT_EQ(Take<AnswerCall>(machine).at(0).reply.verdict, Verdict::kTaken);
}

TEST(OnceMachine, WhenARouterLeavesTheNextInRankGetsACopy) {
  OnceMachine machine({.router = "r0"});
  for (std::size_t r = 1; r < 4; ++r) machine.List(RouterId(r), "r" + std::to_string(r));
  for (int k = 0; k < 100; ++k) {
    SettleRequest end;
    end.record = {.key = "key" + std::to_string(k), .claim = {1, 5, 1, 1}};
    machine.Asked(kNow, 1, {.what = end});
  }
  machine.actions().clear();
  machine.Unlist(kNow, RouterId(1));
  std::size_t copies = 0;
  for (absl::Time now = kNow; machine.NextWake() < kNow + absl::Minutes(1); now = machine.NextWake()) {
    machine.Wake(now);
    copies += Take<SendRequest>(machine).size();
  }
  EXPECT_GT(copies, 20u);
  EXPECT_LT(copies, 100u) << "only of keys that the one that left has kept";
}

}  // namespace
}  // namespace ringway::router::once
