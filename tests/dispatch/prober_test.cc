// The prober on its own: rounds, sleep, tokens, and who gets a worker that falls free.
#include "router/dispatch/prober.h"

#include <gtest/gtest.h>

#include <vector>

namespace ringway::dispatch {
namespace {

const TierId kProbed(0);

DispatchSpec NoJitter() {
  DispatchSpec spec;
  spec.delay.share_max = 0;
  spec.backoff = {.base = Milliseconds(10), .multiplier = 2, .full_jitter = false};
  spec.budget = {.share = 8, .floor_per_second = 50};
  return spec;
}

class ProberTest : public testing::Test {
 protected:
  void Use(const DispatchSpec& spec) { prober_ = Prober(kProbed, spec); }
  void ListWorkers(std::size_t count, std::size_t local = 0) {
    for (std::size_t i = 0; i < count; ++i) workers_.List(WorkerId(i), kProbed, i < local);
  }
  SlotTurn Turn() { return {now_, workers_, rng_, Seconds(1)}; }
  SlotRequest Request(int offers_made = 0) const {
    return {
        .arrived = now_, .deadline = now_ + Seconds(10), .expected = Seconds(1), .offers_made = offers_made};
  }
  static WorkerId Granted(const Prober::Found& found) {
    const auto* granted = std::get_if<SlotGranted>(&found);
    return granted == nullptr ? WorkerId() : granted->worker;
  }
  static std::optional<NoSlot> Refused(const Prober::Found& found) {
    const auto* refused = std::get_if<SlotRefused>(&found);
    return refused == nullptr ? std::nullopt : std::optional(refused->why);
  }
  // A job that has found nobody and sleeps.
  void Asleep(std::size_t job, Priority priority = 0) {
    SlotRequest request = Request();
    request.priority = priority;
    ASSERT_FALSE(Granted(prober_.Begin(Turn(), JobId(job), request, false)).valid());
    ASSERT_TRUE(prober_.Waits(JobId(job)));
  }

  Time now_ = FromUnixSeconds(1000);
  WorkerView workers_;
  Rng rng_{1};
  Prober prober_{kProbed, NoJitter()};
};

TEST_F(ProberTest, ARoundGoesThroughDistinctWorkersAndThenTheJobSleeps) {
  ListWorkers(8);
  prober_.OnArrival(now_);
  std::vector<WorkerId> asked = {Granted(prober_.Begin(Turn(), JobId(3), Request(), false))};
  for (int offers = 1; offers < 4; ++offers) {
    const WorkerId next = Granted(prober_.Again(Turn(), JobId(3), Request(offers), true));
    ASSERT_TRUE(next.valid());
    EXPECT_EQ(std::count(asked.begin(), asked.end(), next), 0);
    asked.push_back(next);
  }
  EXPECT_FALSE(prober_.Waits(JobId(3)));
  EXPECT_FALSE(Granted(prober_.Again(Turn(), JobId(3), Request(4), true)).valid());
  EXPECT_TRUE(prober_.Waits(JobId(3)));
  EXPECT_EQ(prober_.NextWake(), now_ + Milliseconds(10));
  now_ = prober_.NextWake();
  ASSERT_TRUE(prober_.Due(now_));
  EXPECT_EQ(prober_.TakeDue(), JobId(3));
  EXPECT_FALSE(prober_.Waits(JobId(3)));
  EXPECT_TRUE(Granted(prober_.Look(Turn(), JobId(3))).valid());
}

TEST_F(ProberTest, TokensComeBackWhenAJobStartsOrStops) {
  ListWorkers(8);
  Use([] {
    DispatchSpec spec = NoJitter();
    spec.budget.floor_per_second = 0;
    return spec;
  }());
  prober_.OnArrival(now_);
  prober_.OnArrival(now_);
  const double saved = prober_.balance();
  ASSERT_TRUE(Granted(prober_.Begin(Turn(), JobId(0), Request(), false)).valid());
  EXPECT_EQ(prober_.balance(), saved - 3) << "a round of four, the first of which is free";
  prober_.Started(JobId(0));
  EXPECT_EQ(prober_.balance(), saved);
  ASSERT_TRUE(Granted(prober_.Begin(Turn(), JobId(1), Request(), false)).valid());
  ASSERT_TRUE(Granted(prober_.Again(Turn(), JobId(1), Request(1), true)).valid());
  prober_.Forget(JobId(1));
  EXPECT_EQ(prober_.balance(), saved - 1) << "what was asked is spent";
}

TEST_F(ProberTest, AJobWithoutATokenKeepsItsPlaceAndSaysSo) {
  Use([] {
    DispatchSpec spec = NoJitter();
    spec.budget = {.share = 0, .floor_per_second = 0};
    return spec;
  }());
  ListWorkers(2);
  ASSERT_TRUE(Granted(prober_.Begin(Turn(), JobId(0), Request(), false)).valid()) << "the first is free";
  EXPECT_FALSE(Granted(prober_.Again(Turn(), JobId(0), Request(1), true)).valid());
  EXPECT_TRUE(prober_.Waits(JobId(0)));
  EXPECT_EQ(prober_.broke(JobId(0)), 1);
  EXPECT_EQ(prober_.TakeFor(Turn(), WorkerId(0)), JobId(0));
}

TEST_F(ProberTest, RefusalsSayWhy) {
  DispatchSpec spec = NoJitter();
  spec.attempts_max = 2;
  Use(spec);
  ListWorkers(4);
  prober_.OnArrival(now_);
  ASSERT_TRUE(Granted(prober_.Begin(Turn(), JobId(0), Request(), false)).valid());
  ASSERT_TRUE(Granted(prober_.Again(Turn(), JobId(0), Request(1), true)).valid());
  EXPECT_EQ(Refused(prober_.Again(Turn(), JobId(0), Request(2), true)), NoSlot::kOffersSpent);
  spec.waiting_max = 0;
  Use(spec);
  workers_ = WorkerView();
  EXPECT_EQ(Refused(prober_.Begin(Turn(), JobId(1), Request(), true)), NoSlot::kMayNotWait);
  Use(NoJitter());
  SlotRequest late = Request();
  late.deadline = now_ + late.expected;
  EXPECT_EQ(Refused(prober_.Begin(Turn(), JobId(2), late, false)), NoSlot::kTooLate);
  SlotRequest idle = Request();
  idle.idle_only = true;
  EXPECT_EQ(Refused(prober_.Begin(Turn(), JobId(3), idle, false)), NoSlot::kNoneIdle);
  ListWorkers(4, 1);
  workers_.Hear(WorkerId(0), {.state = WorkerState::kIdle}, now_);
  EXPECT_EQ(Granted(prober_.Begin(Turn(), JobId(3), idle, false)), WorkerId(0));
}

TEST_F(ProberTest, AFreedWorkerIsForTheMostImportantThatWaitedLongest) {
  Asleep(0, 1);
  Asleep(1, 0);
  Asleep(2, 0);
  ListWorkers(3, 3);
  EXPECT_EQ(prober_.TakeFor(Turn(), WorkerId(0)), JobId(1));
  const SlotGranted granted = prober_.Invite(JobId(1), WorkerId(0), true);
  EXPECT_EQ(granted.worker, WorkerId(0));
  EXPECT_FALSE(prober_.Waits(JobId(1)));
  EXPECT_EQ(prober_.TakeFor(Turn(), WorkerId(1)), JobId(2));
  EXPECT_EQ(prober_.TakeFor(Turn(), WorkerId(2)), JobId(0));
  EXPECT_FALSE(prober_.TakeFor(Turn(), WorkerId(2)).valid()) << "nobody sleeps";
}

TEST_F(ProberTest, RoutersThatWereForestalledTakeTurns) {
  Asleep(0);
  Asleep(1);
  ListWorkers(1, 1);
  workers_.Hear(WorkerId(0), {.state = WorkerState::kIdle}, now_);
  EXPECT_FALSE(prober_.PutOff(Turn(), WorkerId(0))) << "nobody else was met so far";
  ASSERT_EQ(prober_.TakeFor(Turn(), WorkerId(0)), JobId(0));
  prober_.Invite(JobId(0), WorkerId(0), /*local=*/true);
  prober_.Busy(JobId(0));
  EXPECT_TRUE(prober_.PutOff(Turn(), WorkerId(0)));
  EXPECT_FALSE(prober_.TakeTurn(Turn()).valid()) << "too early";
  now_ += FreedTurn::kWindowMax;
  EXPECT_EQ(prober_.TakeTurn(Turn()), WorkerId(0));
  EXPECT_FALSE(prober_.TakeTurn(Turn()).valid()) << "once";
}

TEST_F(ProberTest, UnderPressureAJobIsDelayedOnceAndNotBeyondItsLastMoment) {
  DispatchSpec spec = NoJitter();
  spec.delay = {.busy_min = 0, .share_max = 1, .span = Seconds(1)};
  Use(spec);
  ListWorkers(2);
  for (const std::size_t w : {0, 1}) workers_.Hear(WorkerId(w), {.state = WorkerState::kBusy}, now_);
  EXPECT_FALSE(Granted(prober_.Begin(Turn(), JobId(0), Request(), true)).valid());
  EXPECT_TRUE(prober_.Waits(JobId(0)));
  EXPECT_GT(prober_.delay(JobId(0)), ZeroDuration());
  EXPECT_EQ(prober_.NextWake(), now_ + prober_.delay(JobId(0)));
  SlotRequest soon = Request();
  soon.deadline = now_ + soon.expected;
  EXPECT_FALSE(Granted(prober_.Begin(Turn(), JobId(1), soon, true)).valid());
  EXPECT_EQ(prober_.NextWake(), now_);
}

// Random requests, ends and times: a job waits or has an answer, never both, and no token is lost.
TEST_F(ProberTest, EveryRequestIsAnsweredOrWaits) {
  DispatchSpec spec = NoJitter();
  spec.budget = {.share = 4, .floor_per_second = 0};
  spec.backoff.full_jitter = true;
  Use(spec);
  ListWorkers(4, 2);
  constexpr std::size_t kJobs = 8;
  enum class Has { kNothing, kRequest, kGrant };
  std::vector<Has> state(kJobs, Has::kNothing);
  const auto take = [&](JobId job, const Prober::Found& found) {
    ASSERT_NE(prober_.Waits(job), !std::holds_alternative<std::monostate>(found));
    state[job.index()] = Granted(found).valid()       ? Has::kGrant
                         : Refused(found).has_value() ? Has::kNothing
                                                      : Has::kRequest;
    if (Refused(found)) prober_.Forget(job);
  };
  Rng dice(7);
  for (int i = 0; i < 20000; ++i) {
    const JobId job(dice.Below(kJobs));
    Has& has = state[job.index()];
    if (has == Has::kNothing) {
      prober_.OnArrival(now_);
      take(job, prober_.Begin(Turn(), job, Request(), dice.Below(2) == 0));
    } else if (has == Has::kGrant && dice.Below(3) == 0) {
      prober_.Started(job);
      prober_.Forget(job);
      has = Has::kNothing;
    } else if (has == Has::kGrant) {
      take(job, prober_.Again(Turn(), job, Request(1 + static_cast<int>(dice.Below(9))), dice.Below(2) == 0));
    } else if (dice.Below(4) == 0) {
      prober_.Forget(job);
      has = Has::kNothing;
      ASSERT_FALSE(prober_.Waits(job));
    }
    now_ += Milliseconds(dice.Below(5));
    while (prober_.Due(now_)) {
      const JobId due = prober_.TakeDue();
      ASSERT_EQ(state[due.index()], Has::kRequest);
      take(due, prober_.Look(Turn(), due));
    }
  }
  now_ += Hours(1);  // what arrivals deposited has faded
  for (std::size_t j = 0; j < kJobs; ++j) prober_.Forget(JobId(j));
  EXPECT_GE(prober_.balance(), 0);
}

}  // namespace
}  // namespace ringway::dispatch
