// Jobs of a tier in ledger mode: they ask the leader, and probe only while there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "core/rng.h"
#include "router/dispatch/ledger/slot_ledger.h"
#include "router/dispatch/service_estimate.h"
#include "tests/router/job_checker.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

constexpr Fence kFence{1, 1};
const RouterId kLeader(0);

Fleet LedgerFleet() {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.mode = DispatchMode::kLedger;
  return fleet;
}

class LedgerMode : public testing::Test {
 protected:
  void SetUp() override { t_.ListWorkers(2); }
  void Seat() { t_.Step(LeaderAppointed{kTier, {kLeader, kFence}}); }
  // What the last step told the leader.
  template <class T>
  std::optional<T> Told() const {
    for (const RouterAction& action : t_.actions) {
      const auto* tell = std::get_if<TellLedger>(&action);
      if (tell == nullptr) continue;
      if (const T* match = std::get_if<T>(&tell->event)) return *match;
    }
    return std::nullopt;
  }
  // Arrives, asks, and is granted a worker.
  OfferToWorker Granted(std::size_t job, std::size_t worker) {
    t_.Arrive(job);
    const auto ask = Told<ledger::Acquire>();
    EXPECT_TRUE(ask);
    t_.Step(LeaderAnswered{kTier, ledger::Grant{ask->key, WorkerId(worker), {kFence, ++serial_}, {}}});
    const auto offer = t_.Last<OfferToWorker>();
    EXPECT_TRUE(offer);
    return offer.value_or(OfferToWorker{});
  }

  RouterOnTheTable t_{LedgerFleet()};
  std::uint64_t serial_ = 0;
};

TEST_F(LedgerMode, WithoutALeaderJobsAreProbedFor) {
  t_.Arrive(0);
  ASSERT_TRUE(t_.Last<OfferToWorker>());
  EXPECT_EQ(t_.Last<OfferToWorker>()->lease, Lease{});
}

TEST_F(LedgerMode, AJobAsksAndIsOfferedWhereItWasGranted) {
  Seat();
  t_.Arrive(3);
  EXPECT_FALSE(t_.Last<OfferToWorker>());
  const auto ask = Told<ledger::Acquire>();
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->key.slot, 3u);
  EXPECT_EQ(ask->deadline, t_.now + Seconds(10));
  EXPECT_EQ(ask->expected, Seconds(1));
  t_.Step(LeaderAnswered{kTier, ledger::Grant{ask->key, WorkerId(1), {kFence, 8}, {}}});
  const auto offer = t_.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->worker, WorkerId(1));
  EXPECT_EQ(offer->lease, (Lease{kFence, 8}));
  t_.Accept(*offer);
  t_.Finish(*offer, Outcome::kDone);
  ASSERT_TRUE(Told<ledger::Release>());
  EXPECT_EQ(Told<ledger::Release>()->outcome, Outcome::kDone);
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kDone);
}

TEST_F(LedgerMode, ABusyWorkerSendsTheJobBackIntoTheLine) {
  Seat();
  const OfferToWorker offer = Granted(0, 1);
  t_.Finish(offer, Outcome::kBusy, true, false);
  ASSERT_TRUE(Told<ledger::Release>());
  EXPECT_EQ(Told<ledger::Release>()->outcome, Outcome::kBusy);
  EXPECT_TRUE(Told<ledger::Acquire>());
  EXPECT_FALSE(t_.Last<OfferToWorker>());
}

// The router may not turn the ledger's grants down: nothing would ever end that.
TEST_F(LedgerMode, AGrantOfAWorkerThatFailedOftenIsUsed) {
  Seat();
  for (std::size_t job = 0; job < 6; ++job) {
    const OfferToWorker offer = Granted(job, 1);
    EXPECT_EQ(offer.worker, WorkerId(1)) << "after " << job << " failures";
    t_.Finish(offer, Outcome::kFailed);
    ASSERT_TRUE(Told<ledger::Release>());
    EXPECT_EQ(Told<ledger::Release>()->outcome, Outcome::kFailed) << "whose fault it is, the ledger judges";
  }
}

TEST_F(LedgerMode, AGrantOfAWorkerThatLeftAnOfferUnansweredIsUsed) {
  Seat();
  const OfferToWorker offer = Granted(0, 1);
  for (int i = 0; i < 10; ++i) {
    t_.now += Milliseconds(200);
    t_.Step(LeaderHeard{kTier});
  }
  ASSERT_TRUE(t_.Last<WithdrawAttempt>());
  t_.Finish(offer, Outcome::kTimeout, /*answered=*/false, /*started=*/false);
  EXPECT_EQ(Granted(1, 1).worker, WorkerId(1));
}

TEST_F(LedgerMode, AFailedLeaseTellsHowFarItGot) {
  Seat();
  const auto contact = [&](std::size_t job, bool answered, bool started) {
    const OfferToWorker offer = Granted(job, 1);
    t_.Finish(offer, Outcome::kFailed, answered, started);
    return Told<ledger::Release>()->contact;
  };
  EXPECT_EQ(contact(0, true, true), ledger::Contact::kAnswered);
  EXPECT_EQ(contact(1, false, true), ledger::Contact::kBroke);
  EXPECT_EQ(contact(2, false, false), ledger::Contact::kUnreached);
}

// A GET may be sent again, and a key allows it once; but a job that killed two workers is not sent to a
// third, and the second is not blamed for it.
TEST_F(LedgerMode, AJobThatTwoWorkersFailWithIsBlamedForIt) {
  Seat();
  t_.ListWorkers(3);
  JobFacts facts = t_.Facts();
  facts.safe = true;
  t_.Arrive(0, facts);
  for (std::size_t worker = 0; worker < 2; ++worker) {
    const auto ask = Told<ledger::Acquire>();
    ASSERT_TRUE(ask);
    t_.Step(LeaderAnswered{kTier, ledger::Grant{ask->key, WorkerId(worker), {kFence, ++serial_}, {}}});
    ASSERT_TRUE(t_.Last<OfferToWorker>());
    t_.Finish(*t_.Last<OfferToWorker>(), Outcome::kFailed, /*answered=*/false, /*started=*/true);
    EXPECT_EQ(Told<ledger::Release>()->outcome, worker == 0 ? Outcome::kFailed : Outcome::kCancelled);
  }
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kFailed);
  EXPECT_THAT(t_.Last<EndJob>()->message, testing::HasSubstr("2 workers failed with this job"));
}

TEST_F(LedgerMode, BusyAnswersToGrantsAreBounded) {
  Seat();
  t_.Arrive(0);
  int offers = 0;
  while (!t_.Last<EndJob>() && offers < 100) {
    for (int i = 0; i < 100 && !Told<ledger::Acquire>() && !t_.Last<EndJob>(); ++i) {
      t_.now = std::min(t_.machine().NextWake(), t_.now + Milliseconds(200));
      t_.Step(LeaderHeard{kTier});
    }
    if (t_.Last<EndJob>()) break;
    const auto ask = Told<ledger::Acquire>();
    ASSERT_TRUE(ask);
    t_.Step(LeaderAnswered{kTier, ledger::Grant{ask->key, WorkerId(offers % 2), {kFence, ++serial_}, {}}});
    ASSERT_TRUE(t_.Last<OfferToWorker>());
    ++offers;
    t_.Finish(*t_.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  }
  EXPECT_EQ(offers, kBusyAnswersMax);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t_.Last<EndJob>()->message, testing::HasSubstr("were answered BUSY"));
}

TEST_F(LedgerMode, ARefusalEndsTheJobAndSaysWhy) {
  Seat();
  t_.Arrive(0);
  t_.Step(
      LeaderAnswered{kTier, ledger::Refuse{Told<ledger::Acquire>()->key, ledger::RefuseReason::kLineFull}});
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t_.Last<EndJob>()->message, testing::HasSubstr("line of tier animate in home is full"));
}

TEST(LedgerModeWithoutWaiting, AJobMayAskThoughNobodyMayWait) {
  Fleet fleet = LedgerFleet();
  fleet.tiers[kTier].dispatch.waiting_max = 0;
  RouterOnTheTable t(fleet);
  t.ListWorkers(2);
  t.Step(LeaderAppointed{kTier, {kLeader, kFence}});
  t.Arrive(0);
  ASSERT_TRUE(t.Last<TellLedger>());
  const auto ask = std::get<ledger::Acquire>(t.Last<TellLedger>()->event);
  EXPECT_EQ(t.machine().jobs(), 1u);
  t.Step(LeaderAnswered{kTier, ledger::Refuse{ask.key, ledger::RefuseReason::kLineFull}});
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t.Last<EndJob>()->message, testing::HasSubstr("do not wait"));
}

TEST_F(LedgerMode, AJobIsRefusedInTimeEvenIfTheLeaderSaysNothing) {
  Seat();
  t_.Arrive(0);
  // Its signs of life keep the job in the line.
  for (int i = 0; i < 45; ++i) {
    t_.now += Milliseconds(200);
    t_.Step(LeaderHeard{kTier});
    if (t_.Last<EndJob>()) break;
  }
  EXPECT_EQ(t_.machine().jobs(), 1u) << "nine of ten seconds have passed, and it takes one";
  t_.AdvanceToWake();
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kTimeout);
  EXPECT_TRUE(Told<ledger::Withdraw>());
}

// The estimate of a service moves while a job waits; the refusal moves with it.
TEST_F(LedgerMode, AJobIsRefusedByWhatIsKnownThenNotByWhatWasKnownWhenItCame) {
  Seat();
  const OfferToWorker slow = Granted(0, 1);
  t_.Accept(slow);
  t_.Arrive(1);
  const Time deadline = t_.now + Seconds(10);
  const auto wait_until = [this](Time until) {
    while (t_.now < until && !t_.Last<EndJob>()) {
      t_.now = std::min({until, t_.machine().NextWake(), t_.now + Milliseconds(200)});
      t_.Step(LeaderHeard{kTier});
    }
  };
  wait_until(t_.now + Seconds(4));
  t_.Finish(slow, Outcome::kDone);  // four times as long as the tier expects
  t_.Step(LeaderHeard{kTier});
  wait_until(deadline);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kTimeout);
  dispatch::ServiceEstimate estimate(Seconds(1));
  estimate.Learn({}, Seconds(4));
  const Duration takes = estimate.Within({});
  EXPECT_GT(takes, Milliseconds(1100));
  EXPECT_GE(t_.now, deadline - takes);
  EXPECT_LE(t_.now, deadline - takes + takes / 16);
}

TEST_F(LedgerMode, ASilentLeaderIsLeftForProbes) {
  Seat();
  t_.Arrive(0);
  t_.AdvanceToWake();
  ASSERT_TRUE(t_.Last<OfferToWorker>());
  EXPECT_EQ(t_.Last<OfferToWorker>()->lease, Lease{});
}

TEST_F(LedgerMode, ANewLeaderIsAskedAnewAndToldOfTheLeasesHeld) {
  Seat();
  Granted(0, 1);
  t_.Arrive(1);
  t_.Step(LeaderAppointed{kTier, {RouterId(2), {1, 2}}});
  ASSERT_TRUE(Told<ledger::Acquire>());
  EXPECT_EQ(Told<ledger::Acquire>()->key.slot, 1u);
  ASSERT_TRUE(Told<ledger::Renew>());
  EXPECT_EQ(Told<ledger::Renew>()->lease, (Lease{kFence, 1}));
}

TEST_F(LedgerMode, AClientThatLeavesTheLineIsWithdrawn) {
  Seat();
  t_.Arrive(0);
  t_.Step(ClientGone{JobId(0)});
  EXPECT_TRUE(Told<ledger::Withdraw>());
  t_.Arrive(0);
  EXPECT_TRUE(Told<ledger::Acquire>()) << "its number may be used again at once";
}

TEST_F(LedgerMode, ALeaseThatWasCalledBackStopsTheJobAndItsEndDecides) {
  Seat();
  const OfferToWorker offer = Granted(0, 1);
  t_.Accept(offer);
  t_.Step(LeaderAnswered{kTier, ledger::LeaseLost{RouterId(0), WorkerId(1), offer.lease}});
  EXPECT_TRUE(t_.Last<WithdrawAttempt>());
  EXPECT_FALSE(t_.Last<EndJob>());
  t_.Finish(offer, Outcome::kCancelled);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kFailed);
}

// One random life of a router in ledger mode, with a real leader whose messages come late and out of order,
// some in the very turn of an alarm, and with another region where jobs may spill.
class LedgerLife {
 public:
  explicit LedgerLife(std::uint64_t seed)
      : rng_(seed, 9), table_(SpillingFleet(), seed), checker_(table_.machine(), Settings(), table_.now) {
    ledger_settings_.start_margin = ZeroDuration();
    ledger_settings_.waiting_max = 4;
    ledger_ = ledger::SlotLedger(ledger_settings_);
  }

  std::string Run(int steps) {
    table_.ListWorkers(kWorkers);
    table_.ListRouter(kNearRouter, kNear);
    std::string broken = Reappoint();
    for (int i = 0; i < steps && broken.empty(); ++i) broken = Turn();
    for (int i = 0; i < 100000 && broken.empty() && checker_.live_jobs() > 0; ++i) {
      broken = rng_.Chance(0.5) ? Move(InfiniteDuration()) : Hear();
    }
    if (broken.empty() && checker_.live_jobs() > 0) broken = "a job never ends";
    if (broken.empty() && table_.machine().tier(kTier).held != 0) broken = "a job is held that is not there";
    return broken;
  }
  std::size_t leased() const { return leased_; }
  std::size_t probed() const { return probed_; }
  std::size_t spilled() const { return spilled_; }

 private:
  static constexpr std::size_t kWorkers = 3;
  static constexpr std::size_t kNearRouter = 7;
  static Fleet SpillingFleet() {
    Fleet fleet = LedgerFleet();
    fleet.tiers[kTier].dispatch.spill.share = 0.3;
    return fleet;
  }
  const Tier& Settings() const { return table_.fleet().tiers[kTier]; }

  std::string Feed(const RouterEvent& event) {
    checker_.Before(event);
    table_.Step(event);
    for (const RouterAction& action : table_.actions) {
      if (const auto* tell = std::get_if<TellLedger>(&action)) to_leader_.push_back(tell->event);
      if (const auto* offer = std::get_if<OfferToWorker>(&action)) {
        ++(offer->lease == Lease{} ? probed_ : leased_);
      }
      spilled_ += std::holds_alternative<ForwardToRouter>(action);
    }
    return checker_.After(table_.now, table_.actions);
  }
  std::string Move(Duration at_most) {
    const Time wake = table_.machine().NextWake();
    if (wake != InfiniteFuture()) table_.now = std::min(table_.now + at_most, wake);
    Leader(ledger::Wake{});
    return Feed(TimePassed{});
  }
  void Leader(const ledger::LedgerEvent& event) {
    std::vector<ledger::LedgerAction> said;
    ledger_.Step(table_.now, event, said);
    for (const ledger::LedgerAction& action : said) {
      if (const auto* grant = std::get_if<ledger::Grant>(&action))
        granted_ = std::max(granted_, grant->lease.serial);
    }
    to_router_.insert(to_router_.end(), said.begin(), said.end());
  }
  void Announce(WorkerId worker) {
    bool busy = false;
    for (const auto& [attempt, open] : checker_.open()) busy |= open.worker == worker;
    if (busy) return;
    Leader(ledger::Announce{worker, ++sequence_, ledger::WorkerStatus::kIdle, {fence_, granted_}, {}});
  }
  std::string Reappoint() {
    ++fence_.appointment;
    granted_ = 0;
    Leader(ledger::Appointed{fence_});
    return Feed(LeaderAppointed{kTier, {RouterId(rng_.Below(2)), fence_}});
  }
  // The next message, one way or the other, not always in order.
  std::string Hear() {
    for (WorkerId worker(0); worker.index() < kWorkers; worker = WorkerId(worker.index() + 1))
      Announce(worker);
    for (std::uint64_t n = rng_.Below(8); n > 0 && !to_leader_.empty(); --n) {
      const std::size_t at = rng_.Below(std::min<std::size_t>(to_leader_.size(), 3));
      const ledger::LedgerEvent event = to_leader_[at];
      to_leader_.erase(to_leader_.begin() + static_cast<std::ptrdiff_t>(at));
      Leader(event);
    }
    if (!to_router_.empty() && rng_.Chance(0.7)) {
      const ledger::LedgerAction answer = to_router_.front();
      to_router_.pop_front();
      const Time wake = table_.machine().NextWake();
      if (rng_.Chance(0.1) && wake != InfiniteFuture()) table_.now = wake;
      return Feed(LeaderAnswered{kTier, answer});
    }
    return checker_.open().empty() ? std::string() : Feed(Reply());
  }
  RouterEvent Reply() {
    const auto it =
        std::next(checker_.open().begin(), static_cast<std::ptrdiff_t>(rng_.Below(checker_.open().size())));
    const auto& [attempt, open] = *it;
    if (!open.accepted && !open.withdrawn && rng_.Chance(0.5)) return AttemptAccepted{open.job, attempt};
    AttemptEnded end{.job = open.job, .attempt = attempt, .worker = open.worker, .router = open.router};
    end.outcome = open.accepted ? Outcome::kDone : open.withdrawn ? Outcome::kCancelled : Outcome::kBusy;
    end.answered = true;
    end.may_have_started = open.accepted;
    if (end.outcome != Outcome::kDone) end.message = "said so";
    return end;
  }
  std::string Turn() {
    const double what = rng_.Uniform();
    if (what < 0.15) return Move(Seconds(rng_.Exponential() * 0.05));
    if (what < 0.17) return Reappoint();
    if (what < 0.25) return Feed(LeaderHeard{kTier, rng_.Chance(0.3)});
    if (what > 0.5) return Hear();
    const JobId job(rng_.Below(16));
    if (checker_.live(job)) return rng_.Chance(0.1) ? Feed(ClientGone{job}) : std::string();
    JobFacts facts = table_.Facts();
    facts.keyed = rng_.Chance(0.5);
    facts.deadline = table_.now + Seconds(0.5 + rng_.Uniform() * 4);
    return Feed(JobArrived{job, facts});
  }

  Rng rng_;
  RouterOnTheTable table_;
  JobChecker checker_;
  ledger::LedgerSettings ledger_settings_;
  ledger::SlotLedger ledger_{ledger_settings_};
  std::deque<ledger::LedgerEvent> to_leader_;
  std::deque<ledger::LedgerAction> to_router_;
  Fence fence_{1, 0};
  std::uint64_t granted_ = 0;  // the last lease under it: workers have seen all
  std::uint64_t sequence_ = 0;
  std::size_t leased_ = 0;
  std::size_t probed_ = 0;
  std::size_t spilled_ = 0;
};

TEST(LedgerModeProperties, HoldForAnyLife) {
  std::size_t leased = 0;
  std::size_t probed = 0;
  std::size_t spilled = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    LedgerLife life(seed);
    ASSERT_EQ(life.Run(400), "") << "seed " << seed;
    leased += life.leased();
    probed += life.probed();
    spilled += life.spilled();
  }
  EXPECT_GT(leased, 10000u);
  EXPECT_GT(probed, 1000u);
  EXPECT_GT(spilled, 1000u);
}

}  // namespace
}  // namespace ringway::router
