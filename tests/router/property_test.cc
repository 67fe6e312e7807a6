// Thousands of random lives of a router, each watched by an independent checker.
#include <gtest/gtest.h>

#include <iterator>

#include "core/rng.h"
#include "tests/router/job_checker.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

constexpr std::size_t kWorkers = 6;
constexpr std::size_t kRouters = 4;
constexpr std::size_t kJobIds = 64;

Fleet RandomFleet(Rng& rng) {
  Fleet fleet = SmallFleet();
  DispatchSpec& spec = fleet.tiers[kTier].dispatch;
  spec.probes_per_round = 1 + static_cast<int>(rng.Below(6));
  spec.attempts_max = 1 + static_cast<int>(rng.Below(20));
  spec.waiting_max = rng.Chance(0.2) ? rng.Below(6) : 1000;
  spec.budget = {.share = rng.Uniform() * 6, .floor_per_second = rng.Chance(0.5) ? 0.0 : 20.0};
  spec.delay = {.busy_min = rng.Uniform(), .share_max = rng.Uniform(), .span = Milliseconds(300)};
  spec.backoff.base = rng.Chance(0.2) ? ZeroDuration() : Milliseconds(10);
  spec.backoff.full_jitter = rng.Chance(0.7);
  spec.mode = rng.Chance(0.5) ? DispatchMode::kLedger : DispatchMode::kProbe;
  spec.spill.share = rng.Chance(0.5) ? 0 : rng.Uniform();
  return fleet;
}

Row RandomRow(Rng& rng) {
  Row row;
  double left = 1;
  for (const RegionId target : {kHome, kNear, kFar}) {
    const double fraction = left * rng.Uniform();
    row.routes.push_back({.target = target, .fraction = fraction});
    left -= fraction;
  }
  row.shed_fraction = left;
  return row;
}

// One random life.
class Life {
 public:
  explicit Life(std::uint64_t seed)
      : rng_(seed), table_(RandomFleet(rng_), seed), checker_(table_.machine(), Settings(), table_.now) {}

  // Empty, or what was broken.
  std::string Run(int steps) {
    std::string broken;
    for (std::size_t r = 0; r < kRouters; ++r) table_.ListRouter(r, r < 2 ? kNear : kFar);
    table_.Step(ControllerWelcomed{});
    for (int i = 0; i < steps && broken.empty(); ++i) broken = Feed(RandomEvent());
    // Nothing new: everything must come to its end by itself.
    for (int i = 0; i < 100000 && broken.empty() && checker_.live_jobs() > 0; ++i) {
      Move(InfiniteDuration());
      broken = Feed(checker_.open().empty() || rng_.Chance(0.5) ? RouterEvent(TimePassed{}) : Reply());
    }
    if (broken.empty() && checker_.live_jobs() > 0) broken = "a job never ends";
    if (broken.empty() && table_.machine().tier(kTier).held != 0) broken = "a job is held that is not there";
    return broken;
  }
  const JobChecker& checker() const { return checker_; }

 private:
  const Tier& Settings() const { return table_.fleet().tiers[kTier]; }

  // Time passes, but never beyond the machine's own wake-up.
  void Move(Duration at_most) {
    const Time wake = table_.machine().NextWake();
    table_.now = std::min(table_.now + at_most, wake == InfiniteFuture() ? table_.now : wake);
  }

  std::string Feed(const RouterEvent& event) {
    checker_.Before(event);
    table_.Step(event);
    return checker_.After(table_.now, table_.actions);
  }

  RouterEvent Reply() {
    auto it = std::next(checker_.open().begin(), static_cast<long>(rng_.Below(checker_.open().size())));
    const auto& [attempt, open] = *it;
    if (!open.accepted && !open.withdrawn && rng_.Chance(0.4)) return AttemptAccepted{open.job, attempt};
    AttemptEnded end{.job = open.job, .attempt = attempt, .worker = open.worker, .router = open.router};
    end.outcome = open.accepted     ? (rng_.Chance(0.8) ? Outcome::kDone : Outcome::kFailed)
                  : open.withdrawn  ? Outcome::kCancelled
                  : rng_.Chance(.6) ? Outcome::kBusy
                                    : static_cast<Outcome>(rng_.Below(7));
    end.answered = end.outcome != Outcome::kFailed || rng_.Chance(0.3);
    const bool refused = end.outcome == Outcome::kBusy || end.outcome == Outcome::kShed;
    end.may_have_started = open.accepted || (!refused && rng_.Chance(0.5));
    end.retry_after = Milliseconds(static_cast<int>(rng_.Below(2000)));
    if (end.outcome != Outcome::kDone) end.message = "said so";
    return end;
  }

  RouterEvent Arrival() {
    const JobId job(rng_.Below(kJobIds));
    if (checker_.live(job) && checker_.forwarded(job) && rng_.Chance(0.5)) return JobWithdrawn{job};
    if (checker_.live(job)) return ClientGone{job};
    JobFacts facts = table_.Facts();
    facts.priority = static_cast<Priority>(rng_.Below(2));
    facts.forwarded = rng_.Chance(0.3);
    facts.keyed = rng_.Chance(0.5);
    facts.deadline = table_.now + Seconds(rng_.Uniform() * 5);
    return JobArrived{job, facts};
  }

  RouterEvent Fleetwise() {
    const WorkerId worker(rng_.Below(kWorkers));
    switch (rng_.Below(6)) {
      case 0:
        return WorkerUnlisted{worker};
      case 1:
        return RouterUnlisted{RouterId(rng_.Below(kRouters))};
      case 2:
        return RouterListed{RouterId(rng_.Below(kRouters)), rng_.Chance(0.5) ? kNear : kFar};
      case 3:
        return rng_.Chance(0.9) ? RouterEvent(DrainChanged{false}) : RouterEvent(DrainChanged{true});
      case 4: {
        auto table = std::make_shared<RoutingTable>();
        table->version = {1 + rng_.Below(3), rng_.Below(5)};
        for (std::size_t t = 0; t < 2; ++t) table->tiers.push_back(HomeTable(TierId(t), 3, 2));
        table->tiers[kTier].at(0, kHome) = RandomRow(rng_);
        return TableOffered{.table = table};
      }
      default:
        return WorkerListed{worker, kTier, rng_.Chance(0.4)};
    }
  }

  RouterEvent RandomEvent() {
    Move(rng_.Chance(0.5) ? ZeroDuration() : Seconds(rng_.Exponential() * 0.02));
    const double what = rng_.Uniform();
    if (what < 0.30) return Arrival();
    if (what < 0.70 && !checker_.open().empty()) return Reply();
    if (what < 0.80) {
      const auto state = static_cast<dispatch::WorkerState>(rng_.Below(4));
      return WorkerHeard{WorkerId(rng_.Below(kWorkers)), {.state = state, .draining = rng_.Chance(0.05)}};
    }
    if (what < 0.86) return Fleetwise();
    if (what < 0.90) return WorkerListed{WorkerId(rng_.Below(kWorkers)), kTier, rng_.Chance(0.4)};
    if (what < 0.92) return RepeatRuledOut{JobId(rng_.Below(kJobIds)), "too large"};
    return TimePassed{};
  }

  Rng rng_;
  RouterOnTheTable table_;
  JobChecker checker_;
};

TEST(RouterProperties, HoldForAnyLife) {
  std::size_t offers = 0;
  std::size_t restarts = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Life life(seed);
    ASSERT_EQ(life.Run(400), "") << "seed " << seed;
    offers += life.checker().offers();
    restarts += life.checker().restarts();
  }
  // The lives were worth watching.
  EXPECT_GT(offers, 50000u);
  EXPECT_GT(restarts, 500u);
}

TEST(RouterProperties, TheSameLifeTwiceIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Life a(seed);
    Life b(seed);
    ASSERT_EQ(a.Run(300), "");
    ASSERT_EQ(b.Run(300), "");
    EXPECT_EQ(a.checker().offers(), b.checker().offers());
    EXPECT_EQ(a.checker().arrived(), b.checker().arrived());
  }
}

}  // namespace
}  // namespace ringway::router
