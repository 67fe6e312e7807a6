// Ledger messages: what goes in comes out, and what makes no sense is refused with the field's name.
#include "router/wire/ledger_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/router/two_workers.h"

namespace ringway::router {
namespace {

using testing::HasSubstr;

const Time kNow = FromUnixSeconds(5000);
const RouterId kFrom(7);
const Lease kLease{{3, 2}, 41};
const TwoWorkers kNames;
const TierId kOnly(0);

absl::StatusOr<ledger::LedgerEvent> ThroughUp(const ledger::LedgerEvent& event) {
  v1::LedgerUp copy;
  EXPECT_TRUE(copy.ParseFromString(EncodeUp(kNow, event, FleetOfTwo(), kOnly, kNames).SerializeAsString()));
  // The reader's clock shows another time.
  return DecodeUp(kNow + Hours(9), copy, kFrom, FleetOfTwo(), kOnly, kNames);
}

TEST(LedgerCodecTest, AnAskKeepsItsAgeItsRemainingTimeAndItsPriority) {
  const auto event = ThroughUp(ledger::Acquire{.key = {RouterId(0), 12, 1'000'000'000'000'000},
                                               .priority = 1,
                                               .arrived = kNow - Milliseconds(250),
                                               .deadline = kNow + Seconds(9),
                                               .expected = Seconds(2)});
  ASSERT_TRUE(event.ok()) << event.status();
  const auto& ask = std::get<ledger::Acquire>(*event);
  EXPECT_EQ(ask.key, (ledger::RequestKey{kFrom, 12, 1'000'000'000'000'000}));
  EXPECT_EQ(ask.priority, 1);
  EXPECT_EQ(ask.arrived, kNow + Hours(9) - Milliseconds(250));
  EXPECT_EQ(ask.deadline, kNow + Hours(9) + Seconds(9));
  EXPECT_EQ(ask.expected, Seconds(2));
  EXPECT_FALSE(ask.idle_only);
}

// A leader of the release before does not know the flag: it sees a job that would have to start now, and
// refuses it.
TEST(LedgerCodecTest, AnAskForAnIdleSlotOnlyIsRefusedByWhoDoesNotKnowIt) {
  const auto event = ThroughUp(ledger::Acquire{.key = {RouterId(0), 12, 7},
                                               .arrived = kNow,
                                               .deadline = kNow + Seconds(9),
                                               .expected = Seconds(2),
                                               .idle_only = true});
  ASSERT_TRUE(event.ok()) << event.status();
  const auto& ask = std::get<ledger::Acquire>(*event);
  EXPECT_TRUE(ask.idle_only);
  EXPECT_EQ(ask.expected, Seconds(9));
}

TEST(LedgerCodecTest, TimesBeyondSenseAreBounded) {
  const auto event = ThroughUp(ledger::Acquire{.key = {RouterId(0), 1, 1},
                                               .priority = 0,
                                               .arrived = InfinitePast(),
                                               .deadline = kNow - Seconds(1),
                                               .expected = InfiniteDuration()});
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(std::get<ledger::Acquire>(*event).deadline, kNow + Hours(9)) << "passed is passed";
}

TEST(LedgerCodecTest, TheOtherWordsOfARouterComeThrough) {
  const auto withdraw = ThroughUp(ledger::Withdraw{{RouterId(0), 3, 9}});
  ASSERT_TRUE(withdraw.ok());
  EXPECT_EQ(std::get<ledger::Withdraw>(*withdraw).key, (ledger::RequestKey{kFrom, 3, 9}));
  const auto renew = ThroughUp(ledger::Renew{RouterId(0), WorkerId(1), kLease});
  ASSERT_TRUE(renew.ok());
  EXPECT_EQ(std::get<ledger::Renew>(*renew).router, kFrom);
  EXPECT_EQ(std::get<ledger::Renew>(*renew).worker, WorkerId(1));
  EXPECT_EQ(std::get<ledger::Renew>(*renew).lease, kLease);
  for (const Outcome outcome : {Outcome::kDone, Outcome::kBusy, Outcome::kFailed, Outcome::kTimeout,
                                Outcome::kCancelled, Outcome::kShed, Outcome::kRejected}) {
    const auto release =
        ThroughUp(ledger::Release{WorkerId(0), kLease, outcome, Seconds(3), ledger::Contact::kBroke});
    ASSERT_TRUE(release.ok());
    EXPECT_EQ(std::get<ledger::Release>(*release).outcome, outcome);
    EXPECT_EQ(std::get<ledger::Release>(*release).retry_after, Seconds(3));
    EXPECT_EQ(std::get<ledger::Release>(*release).contact, ledger::Contact::kBroke);
  }
}

TEST(LedgerCodecTest, TheWordsOfALeaderComeThrough) {
  const ledger::RequestKey key{RouterId(90), 3, 9};
  const ledger::RequestKey own{kFrom, 3, 9};
  const auto through = [](const ledger::LedgerAction& action) {
    const auto read =
        DecodeDown(EncodeDown(action, FleetOfTwo().world, kNames), kFrom, FleetOfTwo().world, kNames);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.value_or(ledger::LedgerAction{});
  };
  const auto grant = std::get<ledger::Grant>(through(ledger::Grant{key, WorkerId(1), kLease, Seconds(2)}));
  EXPECT_EQ(grant.key, own);
  EXPECT_EQ(grant.worker, WorkerId(1));
  EXPECT_EQ(grant.lease, kLease);
  EXPECT_EQ(grant.waited, Seconds(2));
  using Reason = ledger::RefuseReason;
  for (const Reason reason :
       {Reason::kInfeasible, Reason::kLineFull, Reason::kNotLeader, Reason::kStale, Reason::kOutOfRange}) {
    const auto refuse = std::get<ledger::Refuse>(through(ledger::Refuse{key, reason}));
    EXPECT_EQ(refuse.key, own);
    EXPECT_EQ(refuse.reason, reason);
  }
  EXPECT_EQ(std::get<ledger::Withdrawn>(through(ledger::Withdrawn{key})).key, own);
  const auto lost =
      std::get<ledger::LeaseLost>(through(ledger::LeaseLost{RouterId(90), WorkerId(0), kLease}));
  EXPECT_EQ(lost.worker, WorkerId(0));
  EXPECT_EQ(lost.lease, kLease);
  EXPECT_EQ(EncodeHeartbeat({3, 2}, true).heartbeat().appointment(), 2u);
  EXPECT_TRUE(EncodeHeartbeat({3, 2}, true).heartbeat().redirects());
  const auto redirect = std::get<ledger::Redirect>(through(ledger::Redirect{key, RegionId(1)}));
  EXPECT_EQ(redirect.key, own);
  EXPECT_EQ(redirect.region, RegionId(1));
  const ledger::IdleHint hint{.appointment = {3, 2}, .sequence = 9, .idle = 4, .landings = 70};
  EXPECT_EQ(DecodeHint(EncodeHint(hint, 0).hint()), hint);
  EXPECT_EQ(EncodeHint(hint, 7).hint().answers(), 7u);
  EXPECT_EQ(EncodeHintWanted(7).hint_wanted().number(), 7u);
}

TEST(LedgerCodecTest, RegionsCrossByNameAndOneThatIsNotKnownIsNone) {
  ledger::Acquire acquire{.key = {RouterId(0), 12, 7},
                          .arrived = kNow,
                          .deadline = kNow + Seconds(9),
                          .expected = ZeroDuration()};
  acquire.may_leave = true;
  acquire.foreign = true;
  acquire.prefers = RegionId(1);
  acquire.refused_by = RegionId(0);
  const auto event = ThroughUp(acquire);
  ASSERT_TRUE(event.ok()) << event.status();
  const auto& read = std::get<ledger::Acquire>(*event);
  EXPECT_TRUE(read.may_leave);
  EXPECT_TRUE(read.foreign);
  EXPECT_EQ(read.prefers, RegionId(1));
  EXPECT_EQ(read.refused_by, RegionId(0));
  v1::LedgerUp message = EncodeUp(kNow, acquire, FleetOfTwo(), kOnly, kNames);
  message.mutable_acquire()->set_prefers("elsewhere");
  const auto unknown = DecodeUp(kNow, message, kFrom, FleetOfTwo(), kOnly, kNames);
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE(std::get<ledger::Acquire>(*unknown).prefers.valid());
  v1::LedgerDown down;
  down.mutable_redirect()->set_region("elsewhere");
  EXPECT_TRUE(absl::IsNotFound(DecodeDown(down, kFrom, FleetOfTwo().world, kNames).status()));
}

TEST(LedgerCodecTest, AGreetingFromAnotherRegionSaysSo) {
  const LedgerGreeting said{
      .router = "r", .tier = "animate", .region = "there", .hint_period = Milliseconds(100)};
  const auto read = DecodeGreeting(EncodeGreeting(said));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->region, "there");
  EXPECT_EQ(read->hint_period, Milliseconds(100));
  v1::LedgerUp wrong = EncodeGreeting(said);
  wrong.mutable_hello()->set_hint_period_s(-1);
  EXPECT_THAT(DecodeGreeting(wrong).status().message(), HasSubstr("LedgerHello.hint_period_s"));
}

TEST(LedgerCodecTest, WhatMakesNoSenseIsRefusedAndAnUnknownWorkerIsNobody) {
  const auto refused = [](const std::function<void(v1::LedgerUp&)>& make) {
    v1::LedgerUp message;
    make(message);
    return DecodeUp(kNow, message, kFrom, FleetOfTwo(), kOnly, kNames).status();
  };
  const auto sound = [](v1::LedgerUp& m) {
    m.mutable_acquire()->set_generation(1);
    m.mutable_acquire()->set_deadline_s(1);
  };
  EXPECT_TRUE(refused(sound).ok());
  struct Case {
    const char* says;
    std::function<void(v1::LedgerUp&)> make;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Case cases[] = {
      {"neither acquire", [](auto&) {}},
      {"neither acquire", [](auto& m) { m.mutable_hello(); }},
      {"generation", [](auto& m) { m.mutable_acquire(); }},
      {"LedgerAcquire.age_s", [&](auto& m) { sound(m), m.mutable_acquire()->set_age_s(-1); }},
      {"LedgerAcquire.deadline_s", [&](auto& m) { sound(m), m.mutable_acquire()->set_deadline_s(nan); }},
      {"LedgerAcquire.expected_s", [&](auto& m) { sound(m), m.mutable_acquire()->set_expected_s(1e9); }},
      {"no lease", [](auto& m) { m.mutable_renew()->set_worker("a:1"); }},
      {"worker: is 0 bytes", [](auto& m) { m.mutable_renew()->set_lease("L1-2-3"); }},
      {"outcome: is 'fine'", [](auto& m) { m.mutable_release()->set_outcome("fine"); }},
  };
  for (const Case& c : cases) {
    const absl::Status status = refused(c.make);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
  }
  EXPECT_EQ(refused([](auto& m) {
              m.mutable_renew()->set_lease("L1-2-3");
              m.mutable_renew()->set_worker("elsewhere:1");
            }).code(),
            absl::StatusCode::kNotFound);
}

TEST(LedgerCodecTest, APriorityThatTheTierDoesNotHaveIsItsLast) {
  v1::LedgerUp message;
  message.mutable_acquire()->set_generation(1);
  message.mutable_acquire()->set_priority("urgent");
  const auto event = DecodeUp(kNow, message, kFrom, FleetOfTwo(), kOnly, kNames);
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(std::get<ledger::Acquire>(*event).priority, 1);
}

TEST(LedgerCodecTest, AGreetingNamesRouterAndTier) {
  const auto greeting = DecodeGreeting(EncodeGreeting({"oslo-1", "animate"}));
  ASSERT_TRUE(greeting.ok());
  EXPECT_EQ(greeting->router, "oslo-1");
  EXPECT_EQ(greeting->tier, "animate");
  EXPECT_FALSE(DecodeGreeting(v1::LedgerUp()).ok());
  EXPECT_FALSE(DecodeGreeting(EncodeGreeting({"", "animate"})).ok());
  EXPECT_FALSE(DecodeGreeting(EncodeGreeting({"oslo-1", std::string(300, 't')})).ok());
}

}  // namespace
}  // namespace ringway::router
