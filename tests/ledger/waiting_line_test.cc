#include "router/dispatch/ledger/waiting_line.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::ledger {
namespace {

Time At(double s) { return UnixEpoch() + Seconds(s); }

Waiter Waits(double since_s, double start_by_s, Priority priority = 0) {
  return {priority, At(since_s), At(since_s), At(start_by_s)};
}

std::vector<Ticket> Drain(WaitingLine& line, Priority priority) {
  std::vector<Ticket> order;
  while (const auto ticket = line.Next()) {
    order.push_back(*ticket);
    line.Remove(*ticket, priority);
  }
  return order;
}

TEST(WaitingLine, ServesWhoMustStartSoonestAndThenTheOlder) {
  WaitingLine line(10);
  line.Add(0, Waits(2, 30));
  line.Add(1, Waits(1, 30));
  line.Add(2, Waits(3, 10));
  line.Add(3, Waits(0, 60));
  EXPECT_EQ(Drain(line, 0), (std::vector<Ticket>{2, 1, 0, 3}));
}

// Equal deadlines, and an estimate that moves with every job that ends.
TEST(WaitingLine, EqualJobsAreServedInOrderWhateverTheirEstimatesSay) {
  Rng rng(7);
  WaitingLine line(10);
  for (Ticket t = 0; t < 10; ++t) {
    const double expected_s = t == 0 ? 4 : 3.1 + 1.8 * rng.Uniform();
    Waiter waiter = Waits(0.1 * t, 60 + 0.1 * t - expected_s);
    waiter.expected = Seconds(expected_s);
    line.Add(t, waiter);
  }
  EXPECT_EQ(Drain(line, 0), (std::vector<Ticket>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(WaitingLine, AJobThatTakesMuchLongerGoesEarlier) {
  WaitingLine line(10);
  for (Ticket t = 0; t < 3; ++t) {
    const double expected_s = t == 2 ? 20 : 4;
    Waiter waiter = Waits(t, 60 + t - expected_s);
    waiter.expected = Seconds(expected_s);
    line.Add(t, waiter);
  }
  EXPECT_EQ(Drain(line, 0), (std::vector<Ticket>{2, 0, 1}));
}

// Its own latest start counts, not the one that it is compared by.
TEST(WaitingLine, NeverOffersWhoCannotStartInTime) {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    WaitingLine line(64, round % 2 == 0 ? WaitingLine::kHopeless : 0.0);
    std::vector<double> start_by_s(32);
    for (Ticket t = 0; t < start_by_s.size(); ++t) {
      const double expected_s = 1 + 9 * rng.Uniform();
      start_by_s[t] = 20 + 5 * rng.Uniform() - expected_s;
      Waiter waiter = Waits(rng.Uniform(), start_by_s[t]);
      waiter.expected = Seconds(expected_s);
      line.Add(t, waiter);
    }
    for (double now_s = 5; !line.empty(); now_s += 0.2 * rng.Uniform()) {
      line.Reconsider(At(now_s));
      while (const auto gone = line.TakeInfeasible(At(now_s))) EXPECT_LT(start_by_s[*gone], now_s);
      const auto next = line.Next();
      if (!next) break;
      EXPECT_GE(start_by_s[*next], now_s - 1e-6);
      EXPECT_GT(line.NextInfeasible(), At(now_s));
      EXPECT_LE(line.NextInfeasible(), At(start_by_s[*next]) + Microseconds(1));
      if (rng.Uniform() < 0.3) line.Remove(*next, 0);
    }
  }
}

TEST(WaitingLine, AMoreImportantPriorityGoesFirst) {
  WaitingLine line(10);
  line.Add(0, Waits(0, 5, 2));
  line.Add(1, Waits(4, 50, 1));
  EXPECT_EQ(line.Next(), Ticket{1});
  line.Remove(1, 1);
  EXPECT_EQ(line.Next(), Ticket{0});
}

TEST(WaitingLine, FlipsToNewestFirstWhenTheHeadHasUsedMostOfItsPatience) {
  WaitingLine line(10);
  for (Ticket t = 0; t < 4; ++t) line.Add(t, Waits(t, 10 + t));
  line.Reconsider(At(7.4));
  EXPECT_EQ(line.Next(), Ticket{0});
  line.Reconsider(At(7.6));
  EXPECT_TRUE(line.newest_first(0));
  EXPECT_EQ(line.Next(), Ticket{3});
}

TEST(WaitingLine, AgeFromElsewhereIsNoSignOfACrowd) {
  WaitingLine line(10);
  line.Add(0, {.priority = 0, .arrived = At(0), .joined = At(8), .start_by = At(10)});
  line.Reconsider(At(8.1));
  EXPECT_FALSE(line.newest_first(0)) << "it used its patience in another line";
}

TEST(WaitingLine, ReturnsToOldestFirstWhenTheHeadHasHalfItsPatience) {
  WaitingLine line(10);
  line.Add(0, Waits(0, 10));
  line.Add(1, Waits(2, 12));
  line.Add(2, Waits(6, 16));
  line.Reconsider(At(9));
  ASSERT_TRUE(line.newest_first(0));
  line.Remove(0, 0);
  line.Reconsider(At(9));
  EXPECT_TRUE(line.newest_first(0)) << "the next has used 7 of 10 s";
  line.Remove(1, 0);
  line.Reconsider(At(9));
  EXPECT_FALSE(line.newest_first(0)) << "the last has used 3 of 10 s";
}

TEST(WaitingLine, TakesWhoCannotStartInTimeAnyMore) {
  WaitingLine line(10);
  line.Add(0, Waits(0, 10));
  line.Add(1, Waits(1, 11));
  EXPECT_EQ(line.TakeInfeasible(At(10)), std::nullopt) << "its latest start has not passed yet";
  EXPECT_EQ(line.TakeInfeasible(At(10.5)), Ticket{0});
  EXPECT_EQ(line.TakeInfeasible(At(10.5)), std::nullopt);
  EXPECT_EQ(line.size(), 1u);
}

TEST(WaitingLine, FlipsEachPriorityAlone) {
  WaitingLine line(10);
  line.Add(0, Waits(0, 10));
  line.Add(1, Waits(0, 20, 1));
  line.Reconsider(At(9));
  EXPECT_TRUE(line.newest_first(0));
  EXPECT_FALSE(line.newest_first(1));
}

TEST(WaitingLine, GivesUpWhoWouldBeServedLast) {
  WaitingLine line(2);
  line.Add(0, Waits(0, 10));
  line.Add(1, Waits(1, 11, 1));
  line.Add(2, Waits(2, 12, 1));
  EXPECT_EQ(line.TakeOverflow(), Ticket{2}) << "the newest of the least important";
  EXPECT_EQ(line.TakeOverflow(), std::nullopt);
  line.Add(3, Waits(3, 13));
  EXPECT_EQ(line.TakeOverflow(), Ticket{1}) << "an important newcomer displaces a less important one";
}

TEST(WaitingLine, WhenHopelessItGivesUpTheOldest) {
  WaitingLine line(2);
  line.Add(0, Waits(0, 10));
  line.Add(1, Waits(1, 11));
  line.Reconsider(At(9));
  line.Add(2, Waits(9, 19));
  EXPECT_EQ(line.TakeOverflow(), Ticket{0});
}

TEST(WaitingLine, WakesJustAfterTheFirstLatestStart) {
  WaitingLine line(10);
  EXPECT_EQ(line.NextInfeasible(), InfiniteFuture());
  line.Add(0, Waits(0, 10, 1));
  line.Add(1, Waits(0, 20));
  const Time wake = line.NextInfeasible();
  EXPECT_GT(wake, At(10));
  EXPECT_LE(wake, At(10) + Milliseconds(1));
  EXPECT_EQ(line.TakeInfeasible(wake), Ticket{0});
}

// Against a line that is kept by sorting everything anew each time.
TEST(WaitingLine, OldestFirstOrderAgreesWithSorting) {
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    struct Known {
      Priority priority;
      double start_by;
      double arrived;
      Ticket ticket;
    };
    std::vector<Known> known;
    WaitingLine line(64);
    for (Ticket t = 0; t < 40; ++t) {
      const auto priority = static_cast<Priority>(rng.Below(kMaxPriorities));
      const double arrived = static_cast<double>(rng.Below(8));
      const double start_by = 10 + static_cast<double>(rng.Below(8));
      line.Add(t, Waits(arrived, start_by, priority));
      known.push_back({priority, start_by, arrived, t});
    }
    std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) {
      return std::tie(a.priority, a.start_by, a.arrived, a.ticket) <
             std::tie(b.priority, b.start_by, b.arrived, b.ticket);
    });
    for (const Known& expected : known) {
      ASSERT_EQ(line.Next(), expected.ticket);
      line.Remove(expected.ticket, expected.priority);
    }
    EXPECT_TRUE(line.empty());
  }
}

}  // namespace
}  // namespace ringway::ledger
