#include "router/dispatch/ledger/ask_book.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "worker/lease_gate.h"

namespace ringway::ledger {
namespace {

constexpr Fence kFirstFence{3, 1};
constexpr Fence kSecondFence{3, 2};
const RouterId kSelf(4);
const RouterId kHolder(0);
const RouterId kNextHolder(1);

class AskBookTest : public testing::Test {
 protected:
  static absl::Time At(double s) { return absl::FromUnixSeconds(1000) + absl::Seconds(s); }
  void Seat(double at_s, RouterId holder = kHolder, Fence fence = kFirstFence) {
    actions_.clear();
    book_.Seat(At(at_s), {holder, fence}, actions_);
  }
  void Begin(double at_s, std::size_t job) {
    actions_.clear();
    book_.Begin(At(at_s), JobId(job), {0, At(at_s), At(at_s + 10), absl::Seconds(1)}, actions_);
  }
  template <class Message>
  void Hear(double at_s, const Message& message) {
    actions_.clear();
    book_.On(At(at_s), message, actions_);
  }
  template <class T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const AskAction& action : actions_) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  // What was told to the holder.
  template <class T>
  std::vector<T> Told() const {
    std::vector<T> found;
    for (const TellHolder& tell : All<TellHolder>()) {
      if (const T* match = std::get_if<T>(&tell.event)) found.push_back(*match);
    }
    return found;
  }
  // Asks for the job and has it granted worker 7.
  Grant Granted(double at_s, std::size_t job, std::uint64_t number = 1) {
    Begin(at_s, job);
    const Grant grant{Told<Ask>().at(0).key, WorkerId(7), {kFirstFence, number}, absl::ZeroDuration()};
    Hear(at_s, grant);
    return grant;
  }

  AskBook book_{kSelf, At(0), AskSettings{.renew_period = absl::Seconds(1.5)}};
  std::vector<AskAction> actions_;
};

TEST_F(AskBookTest, WithoutAHolderAJobIsProbedFor) {
  Begin(1, 0);
  EXPECT_EQ(All<NoHolder>().size(), 1u);
  EXPECT_EQ(book_.open(), 0u);
}

TEST_F(AskBookTest, AGrantIsUsedOnceAndGivenBackOnce) {
  Seat(1);
  const Grant grant = Granted(1, 5);
  ASSERT_EQ(All<SlotGranted>().size(), 1u);
  EXPECT_EQ(All<SlotGranted>()[0].job, JobId(5));
  Hear(1.1, grant);
  EXPECT_TRUE(actions_.empty()) << "said twice";
  actions_.clear();
  book_.End(JobId(5), Outcome::kDone, absl::ZeroDuration(), actions_);
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kDone);
  actions_.clear();
  book_.End(JobId(5), Outcome::kDone, absl::ZeroDuration(), actions_);
  EXPECT_TRUE(actions_.empty());
  Hear(1.2, grant);
  ASSERT_EQ(Told<Release>().size(), 1u) << "the first one seems to be lost";
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kDone);
}

TEST_F(AskBookTest, ALateGrantNobodyWaitsForIsGivenBackUnused) {
  Seat(1);
  Begin(1, 5);
  const AskKey key = Told<Ask>()[0].key;
  actions_.clear();
  book_.Wake(At(2), actions_);
  ASSERT_EQ(All<NoHolder>().size(), 1u) << "the holder was silent for a second";
  EXPECT_EQ(Told<Withdraw>().size(), 1u);
  Hear(2.1, Grant{key, WorkerId(7), {kFirstFence, 1}, absl::ZeroDuration()});
  EXPECT_TRUE(All<SlotGranted>().empty());
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kShed);
}

TEST_F(AskBookTest, AGrantOfAnEarlierLifeIsNotCalledUnused) {
  Seat(1);
  Hear(1, Grant{{kSelf, 5, 17}, WorkerId(7), {kFirstFence, 1}, absl::ZeroDuration()});
  ASSERT_EQ(Told<Release>().size(), 1u);
  EXPECT_EQ(Told<Release>()[0].outcome, Outcome::kCancelled) << "its job may run";
}

TEST_F(AskBookTest, SilenceIsMeasuredFromTheLastSignOfLife) {
  Seat(1);
  Begin(1, 0);
  book_.Heard(At(1.4));
  actions_.clear();
  book_.Wake(book_.NextWake(), actions_);
  EXPECT_GT(book_.NextWake(), At(1.9));
  EXPECT_EQ(All<NoHolder>().size(), 1u);
}

TEST_F(AskBookTest, ANewSeatIsAskedAnewAndOldGrantsAreVoid) {
  Seat(1);
  Begin(1, 5);
  const AskKey old_key = Told<Ask>()[0].key;
  Granted(1, 6);
  Seat(2, kNextHolder, kSecondFence);
  ASSERT_EQ(Told<Ask>().size(), 1u);
  EXPECT_GT(Told<Ask>()[0].key.generation, old_key.generation);
  ASSERT_EQ(Told<Renew>().size(), 1u) << "the lease held is presented";
  EXPECT_EQ(All<TellHolder>()[0].holder, kNextHolder);
  Hear(2.1, Grant{old_key, WorkerId(3), {kFirstFence, 9}, absl::ZeroDuration()});
  EXPECT_TRUE(actions_.empty());
  Seat(3, kHolder, kFirstFence);
  EXPECT_TRUE(actions_.empty()) << "a lower seat is old news";
}

TEST_F(AskBookTest, LeavingIsAnsweredOnceEvenIfAGrantCrosses) {
  Seat(1);
  Begin(1, 5);
  const AskKey key = Told<Ask>()[0].key;
  actions_.clear();
  book_.Leave(At(1.1), JobId(5), actions_);
  EXPECT_EQ(Told<Withdraw>().size(), 1u);
  Hear(1.2, Grant{key, WorkerId(7), {kFirstFence, 1}, absl::ZeroDuration()});
  EXPECT_TRUE(actions_.empty()) << "the withdrawal voids it";
  Hear(1.3, Withdrawn{key});
  EXPECT_EQ(All<AskLeft>().size(), 1u);
  Hear(1.4, Withdrawn{key});
  EXPECT_TRUE(actions_.empty());
}

TEST_F(AskBookTest, AStaleRefusalIsAskedAnew) {
  Seat(1);
  Begin(1, 5);
  const AskKey key = Told<Ask>()[0].key;
  Hear(1.1, Refuse{key, RefuseReason::kStale});
  ASSERT_EQ(Told<Ask>().size(), 1u);
  EXPECT_EQ(Told<Ask>()[0].key.generation, key.generation + 1);
  Hear(1.2, Refuse{key, RefuseReason::kInfeasible});
  EXPECT_TRUE(actions_.empty()) << "an answer to the earlier ask";
  Hear(1.3, Refuse{{kSelf, 5, key.generation + 1}, RefuseReason::kInfeasible});
  EXPECT_EQ(All<SlotRefused>().size(), 1u);
}

TEST_F(AskBookTest, LeasesThatOutliveARoundAreRenewedInEverySecond) {
  Seat(1);
  Granted(1, 5, 1);
  const auto wake = [&](double at_s) {
    actions_.clear();
    book_.Wake(At(at_s), actions_);
    std::vector<std::uint64_t> renewed;
    for (const Renew& renew : Told<Renew>()) renewed.push_back(renew.lease.serial);
    return renewed;
  };
  EXPECT_EQ(book_.NextWake(), At(2.5));
  EXPECT_TRUE(wake(2.5).empty()) << "a lease of one period is young";
  book_.Heard(At(3));
  Granted(3, 6, 2);
  EXPECT_EQ(wake(4), std::vector<std::uint64_t>{1});
  EXPECT_EQ(wake(5.5), std::vector<std::uint64_t>{2});
  EXPECT_EQ(wake(7), std::vector<std::uint64_t>{1});
  actions_.clear();
  book_.End(JobId(5), Outcome::kDone, {}, actions_);
  book_.End(JobId(6), Outcome::kDone, {}, actions_);
  book_.Wake(At(8.5), actions_);
  EXPECT_EQ(book_.NextWake(), absl::InfiniteFuture());
}

TEST_F(AskBookTest, ALostLeaseStopsItsJob) {
  Seat(1);
  const Grant grant = Granted(1, 5);
  Hear(2, LeaseLost{kSelf, grant.worker, grant.lease});
  ASSERT_EQ(All<SlotLost>().size(), 1u);
  EXPECT_EQ(All<SlotLost>()[0].job, JobId(5));
  EXPECT_FALSE(book_.HoldsLease(JobId(5)));
}

TEST(LeaseGate, OpensForRisingLeasesOnlyAndNumbersAnnouncementsAcrossRestarts) {
  LeaseGate gate(absl::FromUnixSeconds(100));
  EXPECT_TRUE(gate.Pass({kFirstFence, 4}));
  EXPECT_FALSE(gate.Pass({kFirstFence, 4}));
  EXPECT_FALSE(gate.Pass({kFirstFence, 3}));
  gate.Raise({kSecondFence, 0});
  EXPECT_FALSE(gate.Pass({kFirstFence, 5}));
  EXPECT_TRUE(gate.Pass({kSecondFence, 1}));
  gate.Raise({kFirstFence, 9});
  EXPECT_EQ(gate.fence(), (Lease{kSecondFence, 1}));
  const std::uint64_t last = gate.NextSequence();
  LeaseGate restarted(absl::FromUnixSeconds(101));
  EXPECT_GT(restarted.NextSequence(), last);
}

// A router that starts anew with a clock that was set back by an hour asks with numbers that the holder has
// seen.
TEST_F(AskBookTest, NumbersThatAnEarlierLifeUsedAreLeftBehindSoon) {
  Seat(1);
  Begin(1, 3);
  const std::uint64_t seen = Told<Ask>().at(0).key.generation + 3'600'000'000;
  int refused = 0;
  while (Told<Ask>().at(0).key.generation <= seen) {
    ASSERT_LT(++refused, 64);
    Hear(1.1, Refuse{Told<Ask>().at(0).key, RefuseReason::kStale});
    ASSERT_EQ(Told<Ask>().size(), 1u);
  }
  Begin(1.2, 5);
  EXPECT_GT(Told<Ask>().at(0).key.generation, seen) << "other jobs need not learn it again";
}

}  // namespace
}  // namespace ringway::ledger
