#include "router/dispatch/ledger/ledger_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <variant>
#include <vector>

#include "worker/lease_gate.h"

namespace ringway::ledger {
namespace {

constexpr Fence kFirstFence{3, 1};
constexpr Fence kSecondFence{3, 2};
const RouterId kSelf(4);
const RouterId kLeader(0);
const RouterId kNextLeader(1);

class LedgerClientTest : public testing::Test {
 protected:
  static Time At(double s) { return FromUnixSeconds(1000) + Seconds(s); }
  void Follow(double at_s, RouterId leader = kLeader, Fence fence = kFirstFence) {
    actions_.clear();
    client_.Follow(At(at_s), {leader, fence}, actions_);
  }
  void Begin(double at_s, std::size_t job) {
    actions_.clear();
    client_.Begin(At(at_s), JobId(job), {0, At(at_s), At(at_s + 10), Seconds(1)}, actions_);
  }
  template <class Message>
  void Hear(double at_s, const Message& message) {
    actions_.clear();
    client_.On(At(at_s), message, actions_);
  }
  template <class T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const ClientAction& action : actions_) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  // What was told to the leader.
  template <class T>
  std::vector<T> Told() const {
    std::vector<T> found;
    for (const TellLeader& tell : All<TellLeader>()) {
      if (const T* match = std::get_if<T>(&tell.event)) found.push_back(*match);
    }
    return found;
  }
  // Asks for the job and has it granted worker 7.
  Grant Granted(double at_s, std::size_t job, std::uint64_t number = 1) {
    Begin(at_s, job);
    const Grant grant{Told<Acquire>().at(0).key, WorkerId(7), {kFirstFence, number}, ZeroDuration()};
    Hear(at_s, grant);
    return grant;
  }

  LedgerClient client_{kSelf, At(0), ClientSettings{.renew_period = Seconds(1.5)}};
  std::vector<ClientAction> actions_;
};

TEST_F(LedgerClientTest, WithoutALeaderAJobIsProbedFor) {
  Begin(1, 0);
  EXPECT_EQ(All<NoLeader>().size(), 1u);
  EXPECT_EQ(client_.open(), 0u);
}

TEST_F(LedgerClientTest, AGrantIsUsedOnceAndGivenBackOnce) {
  Follow(1);
  const Grant grant = Granted(1, 5);
  ASSERT_EQ(All<SlotGranted>().size(), 1u);
  EXPECT_EQ(All<SlotGranted>()[0].job, JobId(5));
  Hear(1.1, grant);
  EXPECT_TRUE(actions_.empty()) << "said twice";
  actions_.clear();
  client_.End(JobId(5), Outcome::kDone, ZeroDuration(), actions_);
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kDone);
  actions_.clear();
  client_.End(JobId(5), Outcome::kDone, ZeroDuration(), actions_);
  EXPECT_TRUE(actions_.empty());
  Hear(1.2, grant);
  ASSERT_EQ(Told<Release>().size(), 1u) << "the first one seems to be lost";
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kDone);
}

// What was given back just before the connection broke may not have arrived, and of a worker that announces
// nothing nobody else would ever tell.
TEST_F(LedgerClientTest, AfterABreakTheNewestLeasesGivenBackAreSaidAgain) {
  Follow(1);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t serial = 1; serial <= LedgerClient::kRepeatedMax + 3; ++serial) {
    (void)Granted(1, 2, serial);
    actions_.clear();
    client_.End(JobId(2), Outcome::kFailed, Seconds(3), actions_, Contact::kBroke);
    if (serial > 3) expected.push_back(serial);
  }
  actions_.clear();
  client_.Reconnect(At(2), actions_);
  std::vector<std::uint64_t> said;
  for (const Release& release : Told<Release>()) {
    said.push_back(release.lease.serial);
    EXPECT_EQ(release.outcome, Outcome::kFailed);
    EXPECT_EQ(release.retry_after, Seconds(3));
    EXPECT_EQ(release.contact, Contact::kBroke);
  }
  EXPECT_THAT(said, testing::UnorderedElementsAreArray(expected));
  Follow(3, kNextLeader, kSecondFence);
  EXPECT_TRUE(Told<Release>().empty()) << "these are no leases of the next leader's";
}

TEST_F(LedgerClientTest, WhatEndsWhileNobodyLeadsIsSaidToTheSameLeaderLater) {
  Follow(1);
  const Grant grant = Granted(1, 2);
  Begin(1, 3);
  const RequestKey given_up = Told<Acquire>().at(0).key;
  Follow(2, RouterId());
  client_.End(JobId(2), Outcome::kDone, ZeroDuration(), actions_);
  EXPECT_TRUE(All<TellLeader>().empty()) << "there is nobody to tell";
  Follow(3);
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].lease, grant.lease);
  ASSERT_EQ(Told<Withdraw>().size(), 1u) << "it may have been granted in the moment of the break";
  EXPECT_EQ(Told<Withdraw>()[0].key, given_up);
}

TEST_F(LedgerClientTest, ALateGrantNobodyWaitsForIsGivenBackUnused) {
  Follow(1);
  Begin(1, 5);
  const RequestKey key = Told<Acquire>()[0].key;
  actions_.clear();
  client_.Wake(At(2), actions_);
  ASSERT_EQ(All<NoLeader>().size(), 1u) << "the leader was silent for a second";
  EXPECT_EQ(Told<Withdraw>().size(), 1u);
  Hear(2.1, Grant{key, WorkerId(7), {kFirstFence, 1}, ZeroDuration()});
  EXPECT_TRUE(All<SlotGranted>().empty());
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kShed);
}

TEST_F(LedgerClientTest, AGrantOfAnEarlierLifeIsNotCalledUnused) {
  Follow(1);
  Hear(1, Grant{{kSelf, 5, 17}, WorkerId(7), {kFirstFence, 1}, ZeroDuration()});
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kCancelled) << "its job may run";
}

TEST_F(LedgerClientTest, SilenceIsMeasuredFromTheLastSignOfLife) {
  Follow(1);
  Begin(1, 0);
  client_.Heard(At(1.4));
  actions_.clear();
  client_.Wake(client_.NextWake(), actions_);
  EXPECT_GT(client_.NextWake(), At(1.9));
  EXPECT_EQ(All<NoLeader>().size(), 1u);
}

TEST_F(LedgerClientTest, ANewLeaderIsAskedAnewAndOldGrantsAreVoid) {
  Follow(1);
  Begin(1, 5);
  const RequestKey old_key = Told<Acquire>()[0].key;
  Granted(1, 6);
  Follow(2, kNextLeader, kSecondFence);
  ASSERT_EQ(Told<Acquire>().size(), 1u);
  EXPECT_GT(Told<Acquire>()[0].key.generation, old_key.generation);
  ASSERT_EQ(Told<Renew>().size(), 1u) << "the lease held is presented";
  EXPECT_EQ(All<TellLeader>()[0].leader, kNextLeader);
  Hear(2.1, Grant{old_key, WorkerId(3), {kFirstFence, 9}, ZeroDuration()});
  EXPECT_TRUE(actions_.empty());
  Follow(3, kLeader, kFirstFence);
  EXPECT_TRUE(actions_.empty()) << "a lower leader is old news";
}

TEST_F(LedgerClientTest, LeavingIsAnsweredOnceEvenIfAGrantCrosses) {
  Follow(1);
  Begin(1, 5);
  const RequestKey key = Told<Acquire>()[0].key;
  actions_.clear();
  client_.Leave(At(1.1), JobId(5), actions_);
  EXPECT_EQ(Told<Withdraw>().size(), 1u);
  Hear(1.2, Grant{key, WorkerId(7), {kFirstFence, 1}, ZeroDuration()});
  EXPECT_TRUE(actions_.empty()) << "the withdrawal voids it";
  Hear(1.3, Withdrawn{key});
  EXPECT_EQ(All<LineLeft>().size(), 1u);
  Hear(1.4, Withdrawn{key});
  EXPECT_TRUE(actions_.empty());
}

TEST_F(LedgerClientTest, AStaleRefusalIsAskedAnew) {
  Follow(1);
  Begin(1, 5);
  const RequestKey key = Told<Acquire>()[0].key;
  Hear(1.1, Refuse{key, RefuseReason::kStale});
  ASSERT_EQ(Told<Acquire>().size(), 1u);
  EXPECT_EQ(Told<Acquire>()[0].key.generation, key.generation + 1);
  Hear(1.2, Refuse{key, RefuseReason::kInfeasible});
  EXPECT_TRUE(actions_.empty()) << "an answer to the earlier ask";
  Hear(1.3, Refuse{{kSelf, 5, key.generation + 1}, RefuseReason::kInfeasible});
  EXPECT_EQ(All<SlotRefused>().size(), 1u);
}

TEST_F(LedgerClientTest, LeasesThatOutliveARoundAreRenewedInEverySecond) {
  Follow(1);
  Granted(1, 5, 1);
  const auto wake = [&](double at_s) {
    actions_.clear();
    client_.Wake(At(at_s), actions_);
    std::vector<std::uint64_t> renewed;
    for (const Renew& renew : Told<Renew>()) renewed.push_back(renew.lease.serial);
    return renewed;
  };
  EXPECT_EQ(client_.NextWake(), At(2.5));
  EXPECT_TRUE(wake(2.5).empty()) << "a lease of one period is young";
  client_.Heard(At(3));
  Granted(3, 6, 2);
  EXPECT_EQ(wake(4), std::vector<std::uint64_t>{1});
  EXPECT_EQ(wake(5.5), std::vector<std::uint64_t>{2});
  EXPECT_EQ(wake(7), std::vector<std::uint64_t>{1});
  actions_.clear();
  client_.End(JobId(5), Outcome::kDone, {}, actions_);
  client_.End(JobId(6), Outcome::kDone, {}, actions_);
  client_.Wake(At(8.5), actions_);
  EXPECT_EQ(client_.NextWake(), InfiniteFuture());
}

TEST_F(LedgerClientTest, ALostLeaseStopsItsJob) {
  Follow(1);
  const Grant grant = Granted(1, 5);
  Hear(2, LeaseLost{kSelf, grant.worker, grant.lease});
  ASSERT_EQ(All<SlotLost>().size(), 1u);
  EXPECT_EQ(All<SlotLost>()[0].job, JobId(5));
  EXPECT_FALSE(client_.HoldsLease(JobId(5)));
}

TEST(LeaseGate, OpensForRisingLeasesOnlyAndNumbersAnnouncementsAcrossRestarts) {
  LeaseGate gate(FromUnixSeconds(100));
  EXPECT_TRUE(gate.Pass({kFirstFence, 4}));
  EXPECT_FALSE(gate.Pass({kFirstFence, 4}));
  EXPECT_FALSE(gate.Pass({kFirstFence, 3}));
  gate.Raise({kSecondFence, 0});
  EXPECT_FALSE(gate.Pass({kFirstFence, 5}));
  EXPECT_TRUE(gate.Pass({kSecondFence, 1}));
  gate.Raise({kFirstFence, 9});
  EXPECT_EQ(gate.fence(), (Lease{kSecondFence, 1}));
  const std::uint64_t last = gate.NextSequence();
  LeaseGate restarted(FromUnixSeconds(101));
  EXPECT_GT(restarted.NextSequence(), last);
}

// A router that starts anew with a clock that was set back by an hour asks with numbers that the leader has
// seen.
TEST_F(LedgerClientTest, NumbersThatAnEarlierLifeUsedAreLeftBehindSoon) {
  Follow(1);
  Begin(1, 3);
  const std::uint64_t seen = Told<Acquire>().at(0).key.generation + 3'600'000'000;
  int refused = 0;
  while (Told<Acquire>().at(0).key.generation <= seen) {
    ASSERT_LT(++refused, 64);
    Hear(1.1, Refuse{Told<Acquire>().at(0).key, RefuseReason::kStale});
    ASSERT_EQ(Told<Acquire>().size(), 1u);
  }
  Begin(1.2, 5);
  EXPECT_GT(Told<Acquire>().at(0).key.generation, seen) << "other jobs need not learn it again";
}

}  // namespace
}  // namespace ringway::ledger
