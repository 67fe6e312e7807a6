// Which source finds a slot, and what happens when the leader goes, comes, or grants what cannot be used.
#include "router/jobs/slot_source.h"

#include <gtest/gtest.h>

#include <vector>

#include "router/jobs/spill_line.h"

namespace ringway::router {
namespace {

const TierId kSourceTier(0);
const RouterId kLeaderRouter(7);

class SlotSourceTest : public testing::Test {
 protected:
  static DispatchSpec Spec() {
    DispatchSpec spec;
    spec.mode = DispatchMode::kLedger;
    spec.delay.share_max = 0;
    spec.backoff.full_jitter = false;
    return spec;
  }
  SlotTurn Turn() { return {now_, workers_, rng_, Seconds(1)}; }
  void ListWorkers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) workers_.List(WorkerId(i), kSourceTier, true);
  }
  void Appoint(std::uint64_t appointment = 1) { source_.Follow(now_, {kLeaderRouter, {1, appointment}}); }
  void Acquire(std::size_t job) {
    source_.Acquire(Turn(), JobId(job),
                    {.arrived = now_, .deadline = now_ + Seconds(20), .expected = Seconds(1)});
  }
  // As the machine reads them: a job whose round is due looks on.
  bool Next(SlotSource::Answer& answer) {
    while (const SlotSource::Answer* const next = source_.Next(Turn())) {
      answer = *next;
      const auto* due = std::get_if<dispatch::RoundDue>(&answer);
      if (due == nullptr) return true;
      source_.Look(Turn(), due->job);
    }
    return false;
  }
  std::vector<SlotSource::Answer> Answers() {
    std::vector<SlotSource::Answer> all;
    SlotSource::Answer answer;
    while (Next(answer)) all.push_back(answer);
    return all;
  }
  template <class A>
  static std::vector<A> Of(const std::vector<SlotSource::Answer>& answers) {
    std::vector<A> of;
    for (const SlotSource::Answer& answer : answers) {
      if (const auto* a = std::get_if<A>(&answer)) of.push_back(*a);
    }
    return of;
  }
  // The key under which the leader was asked last.
  static ledger::RequestKey KeyIn(const std::vector<SlotSource::Answer>& answers) {
    ledger::RequestKey key;
    for (const auto& tell : Of<ledger::TellLeader>(answers)) {
      if (const auto* acquire = std::get_if<ledger::Acquire>(&tell.event)) key = acquire->key;
    }
    return key;
  }

  Time now_ = FromUnixSeconds(1000);
  dispatch::WorkerView workers_;
  Rng rng_{1};
  SlotSource source_{kSourceTier, Spec(), FromUnixSeconds(1)};
};

TEST_F(SlotSourceTest, WithoutALeaderItProbes) {
  ListWorkers(2);
  Acquire(0);
  EXPECT_EQ(Of<dispatch::SlotGranted>(Answers()).size(), 1u);
}

TEST_F(SlotSourceTest, ASilentLeadersJobsAreProbedForAndAskTheNextOne) {
  Appoint();
  Acquire(0);
  EXPECT_EQ(Of<ledger::TellLeader>(Answers()).size(), 1u);
  EXPECT_TRUE(source_.Waits(JobId(0)));
  now_ = source_.NextWake();
  EXPECT_TRUE(Of<dispatch::SlotGranted>(Answers()).empty()) << "no worker: it sleeps";
  EXPECT_TRUE(source_.Waits(JobId(0)));
  Appoint(2);
  now_ = source_.NextWake();
  const auto answers = Answers();
  EXPECT_EQ(KeyIn(answers).slot, 0u) << "at its next wake-up it stands in the line again";
  EXPECT_TRUE(source_.Waits(JobId(0)));
}

TEST_F(SlotSourceTest, TwoJobsThatAreDueTogetherDoNotGetOneWorker) {
  Acquire(0);
  Acquire(1);
  ASSERT_TRUE(Of<dispatch::SlotGranted>(Answers()).empty());
  ListWorkers(1);
  now_ += Milliseconds(100);
  SlotSource::Answer answer;
  std::size_t granted = 0;
  while (Next(answer)) {
    if (const auto* slot = std::get_if<dispatch::SlotGranted>(&answer)) {
      workers_.Claim(slot->worker, ++granted);
    }
  }
  EXPECT_EQ(granted, 1u);
  EXPECT_NE(source_.Waits(JobId(0)), source_.Waits(JobId(1)));
}

TEST_F(SlotSourceTest, AWorkerThatTheDirectoryDoesNotNameIsGivenBack) {
  Appoint();
  Acquire(0);
  const ledger::RequestKey key = KeyIn(Answers());
  source_.Hear(now_, ledger::Grant{.key = key, .worker = WorkerId(5), .lease = {{1, 1}, 1}, .waited = {}});
  const auto answers = Answers();
  EXPECT_TRUE(Of<dispatch::SlotGranted>(answers).empty());
  EXPECT_EQ(Of<ledger::TellLeader>(answers).size(), 2u) << "released, and requested anew";
  EXPECT_FALSE(source_.HoldsLease(JobId(0)));
  EXPECT_TRUE(source_.Waits(JobId(0)));
}

TEST_F(SlotSourceTest, AfterManyBusyAnswersTheJobIsRefused) {
  Appoint();
  ListWorkers(1);
  const dispatch::SlotRequest request{
      .arrived = now_, .deadline = now_ + Seconds(20), .expected = Seconds(1)};
  source_.Retry(Turn(), JobId(0), request, {.leased = true, .refused = true, .busy_answers = 3});
  EXPECT_TRUE(Answers().empty()) << "a pause";
  EXPECT_TRUE(source_.Waits(JobId(0)));
  now_ = source_.NextWake();
  EXPECT_FALSE(Of<ledger::TellLeader>(Answers()).empty());
  source_.Forget(JobId(0), Outcome::kCancelled, ZeroDuration());
  Answers();
  source_.Retry(Turn(), JobId(0), request,
                {.leased = true, .refused = true, .busy_answers = kBusyAnswersMax});
  const auto refused = Of<dispatch::SlotRefused>(Answers());
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].why, dispatch::NoSlot::kBusyAnswers);
}

TEST_F(SlotSourceTest, WhoLeavesTheProbersLineIsOutAtOnceAndTheLeadersWhenItSaysSo) {
  Acquire(0);
  Answers();
  source_.Leave(Turn(), JobId(0));
  EXPECT_EQ(Of<dispatch::LineLeft>(Answers()).size(), 1u);
  Appoint();
  Acquire(1);
  const ledger::RequestKey key = KeyIn(Answers());
  source_.Leave(Turn(), JobId(1));
  EXPECT_TRUE(Of<dispatch::LineLeft>(Answers()).empty());
  source_.Hear(now_, ledger::Withdrawn{.key = key});
  EXPECT_EQ(Of<dispatch::LineLeft>(Answers()).size(), 1u);
}

class SpillLineTest : public testing::Test {
 protected:
  void SetUp() override {
    line_.Aim({{RegionId(1), Milliseconds(80), 0, 2}});
    for (int i = 0; i < 100; ++i) line_.OnArrival(now_);
    while (line_.NextDue(now_).valid()) {
    }
  }
  Time now_ = FromUnixSeconds(1000);
  SpillLine line_{SpillSpec{.share = 0.1}};
};

TEST_F(SpillLineTest, OneAlarmForTheFirstOfEachPriority) {
  line_.Join(now_, JobId(0), 1, now_);
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(80));
  line_.Join(now_, JobId(1), 1, now_ - Milliseconds(60));
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(20)) << "it joined later and has waited longer";
  line_.Join(now_, JobId(3), 1, now_ - Milliseconds(40));
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(20)) << "not the first of its priority";
  line_.Join(now_, JobId(2), 0, now_ - Milliseconds(50));
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(20));
  now_ += Milliseconds(40);
  EXPECT_EQ(line_.NextDue(now_), JobId(2)) << "the more important first";
  EXPECT_EQ(line_.NextDue(now_), JobId(1));
  EXPECT_EQ(line_.NextDue(now_), JobId(3));
  EXPECT_FALSE(line_.NextDue(now_).valid());
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(40));
  now_ += Milliseconds(40);
  EXPECT_EQ(line_.NextDue(now_), JobId(0));
  EXPECT_FALSE(line_.NextDue(now_).valid());
  EXPECT_EQ(line_.NextWake(), InfiniteFuture());
}

TEST_F(SpillLineTest, WhoIsSentIsCountedAgainstTheCapUntilItComesBack) {
  const Duration waited = Milliseconds(100);
  for (int i = 0; i < 2; ++i) ASSERT_NE(line_.Send(now_, waited, Seconds(9)), nullptr);
  EXPECT_EQ(line_.Send(now_, waited, Seconds(9)), nullptr);
  line_.Join(now_, JobId(0), 0, now_);
  EXPECT_EQ(line_.NextWake(), InfiniteFuture()) << "nobody may leave";
  line_.Came(now_, RegionId(1), ZeroDuration(), /*served=*/true);
  EXPECT_EQ(line_.NextWake(), now_);
  EXPECT_FALSE(line_.NextDue(now_).valid()) << "it has not waited long enough";
  EXPECT_EQ(line_.NextWake(), now_ + Milliseconds(80));
  line_.Leave(JobId(0));
  EXPECT_EQ(line_.NextWake(), InfiniteFuture());
}

}  // namespace
}  // namespace ringway::router
