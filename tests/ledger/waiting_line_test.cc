#include "router/dispatch/ledger/waiting_line.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::ledger {
namespace {

absl::Time At(double s) { return absl::UnixEpoch() + absl::Seconds(s); }

std::vector<Ticket> Drain(WaitingLine& line, Priority priority, absl::Time now) {
  std::vector<Ticket> order;
  while (const auto ticket = line.Next()) {
    order.push_back(*ticket);
    line.Remove(*ticket, priority, now);
  }
  return order;
}

TEST(WaitingLine, ServesWhoMustStartSoonestAndThenTheOlder) {
  WaitingLine line(10);
  line.Add(0, {0, At(2), At(30)});
  line.Add(1, {0, At(1), At(30)});
  line.Add(2, {0, At(3), At(10)});
  line.Add(3, {0, At(0), At(60)});
  EXPECT_EQ(Drain(line, 0, At(4)), (std::vector<Ticket>{2, 1, 0, 3}));
}

TEST(WaitingLine, AMoreImportantPriorityGoesFirst) {
  WaitingLine line(10);
  line.Add(0, {2, At(0), At(5)});
  line.Add(1, {1, At(4), At(50)});
  EXPECT_EQ(line.Next(), Ticket{1});
  line.Remove(1, 1, At(4));
  EXPECT_EQ(line.Next(), Ticket{0});
}

TEST(WaitingLine, FlipsToNewestFirstWhenAWaiterRanOutOfTime) {
  WaitingLine line(10);
  for (Ticket t = 0; t < 4; ++t) line.Add(t, {0, At(t), At(10 + t)});
  EXPECT_EQ(line.Next(), Ticket{0});
  EXPECT_EQ(line.TakeInfeasible(At(10)), std::nullopt) << "its latest start has not passed yet";
  EXPECT_EQ(line.TakeInfeasible(At(10.5)), Ticket{0});
  EXPECT_EQ(line.TakeInfeasible(At(10.5)), std::nullopt);
  EXPECT_TRUE(line.newest_first(0));
  EXPECT_EQ(line.Next(), Ticket{3});
}

TEST(WaitingLine, ReturnsToOldestFirstWhenTheHeadHasHalfItsPatience) {
  WaitingLine line(10);
  line.Add(0, {0, At(0), At(10)});
  line.Add(1, {0, At(8), At(18)});
  line.Add(2, {0, At(9), At(19)});
  line.Add(3, {0, At(9), At(19.5)});
  ASSERT_EQ(line.TakeInfeasible(At(13.5)), Ticket{0});
  ASSERT_TRUE(line.newest_first(0)) << "less than half of ten seconds is left to the head";
  line.Remove(1, 0, At(13.6));
  EXPECT_FALSE(line.newest_first(0)) << "the new head has more than half left";
  EXPECT_EQ(line.Next(), Ticket{2});
}

TEST(WaitingLine, FlipsEachPriorityAlone) {
  WaitingLine line(10);
  line.Add(0, {0, At(0), At(10)});
  line.Add(1, {0, At(1), At(11)});
  line.Add(2, {1, At(0), At(20)});
  line.Add(3, {1, At(1), At(21)});
  ASSERT_EQ(line.TakeInfeasible(At(10.1)), Ticket{0});
  EXPECT_TRUE(line.newest_first(0));
  EXPECT_FALSE(line.newest_first(1));
}

TEST(WaitingLine, GivesUpWhoWouldBeServedLast) {
  WaitingLine line(2);
  line.Add(0, {0, At(0), At(10)});
  line.Add(1, {1, At(1), At(11)});
  line.Add(2, {1, At(2), At(12)});
  EXPECT_EQ(line.TakeOverflow(At(2)), Ticket{2}) << "the newest of the least important";
  EXPECT_EQ(line.TakeOverflow(At(2)), std::nullopt);
  line.Add(3, {0, At(3), At(13)});
  EXPECT_EQ(line.TakeOverflow(At(3)), Ticket{1}) << "an important newcomer displaces a less important one";
}

TEST(WaitingLine, WhenHopelessItGivesUpTheOldest) {
  WaitingLine line(2);
  line.Add(0, {0, At(0), At(10)});
  line.Add(1, {0, At(1), At(11)});
  line.Add(2, {0, At(2), At(12)});
  ASSERT_EQ(line.TakeInfeasible(At(10.5)), Ticket{0});
  ASSERT_TRUE(line.newest_first(0));
  line.Add(3, {0, At(10.5), At(20.5)});
  EXPECT_EQ(line.TakeOverflow(At(10.5)), Ticket{1});
}

TEST(WaitingLine, WakesJustAfterTheFirstLatestStart) {
  WaitingLine line(10);
  EXPECT_EQ(line.NextInfeasible(), absl::InfiniteFuture());
  line.Add(0, {1, At(0), At(10)});
  line.Add(1, {0, At(0), At(20)});
  const absl::Time wake = line.NextInfeasible();
  EXPECT_GT(wake, At(10));
  EXPECT_LE(wake, At(10) + absl::Milliseconds(1));
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
      line.Add(t, {priority, At(arrived), At(start_by)});
      known.push_back({priority, start_by, arrived, t});
    }
    std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) {
      return std::tie(a.priority, a.start_by, a.arrived, a.ticket) <
             std::tie(b.priority, b.start_by, b.arrived, b.ticket);
    });
    for (const Known& expected : known) {
      ASSERT_EQ(line.Next(), expected.ticket);
      line.Remove(expected.ticket, expected.priority, At(9));
    }
    EXPECT_TRUE(line.empty());
  }
}

}  // namespace
}  // namespace ringway::ledger
