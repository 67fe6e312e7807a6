// The transport solver against a plain one (cheapest_placement.h): ties, full targets, groups that fill each
// other to the brim, arcs that come later, supplies that do not fit.
#include "controller/planner/transport.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "tests/planner/cheapest_placement.h"

namespace ringway::planner {
namespace {

constexpr double kNoArc = std::numeric_limits<double>::infinity();

struct Problem {
  std::vector<double> supply, room;
  std::vector<std::vector<double>> cost;
};

Transport WithArcs(const Problem& problem) {
  Transport transport(problem.supply, problem.room);
  for (std::uint32_t s = 0; s < problem.supply.size(); ++s) {
    for (std::uint32_t t = 0; t < problem.room.size(); ++t) {
      if (problem.cost[s][t] < kNoArc) transport.AddArc(s, t, problem.cost[s][t]);
    }
  }
  return transport;
}

double Cost(const Problem& problem, const Transport& transport) {
  double cost = 0;
  for (const Transport::Flow& flow : transport.Flows())
    cost += flow.rate * problem.cost[flow.source][flow.target];
  return cost;
}

// All that is supplied is placed, and no target holds more than its room, but for rounding.
void ExpectSound(const Problem& problem, const Transport& transport) {
  std::vector<double> placed(problem.supply.size()), held(problem.room.size());
  double total = 0;
  for (const double rate : problem.supply) total += rate;
  for (const Transport::Flow& flow : transport.Flows()) {
    EXPECT_LT(problem.cost[flow.source][flow.target], kNoArc);
    EXPECT_GT(flow.rate, 0);
    placed[flow.source] += flow.rate;
    held[flow.target] += flow.rate;
  }
  for (std::size_t s = 0; s < placed.size(); ++s) EXPECT_NEAR(placed[s], problem.supply[s], 1e-9 * total);
  for (std::size_t t = 0; t < held.size(); ++t) EXPECT_LE(held[t], problem.room[t] + 1e-9 * total);
}

// The prices prove the cost: no placement can be cheaper than the dual says.
double Dual(const Problem& problem, const Transport& transport) {
  double dual = 0;
  for (std::uint32_t t = 0; t < problem.room.size(); ++t) {
    EXPECT_GE(transport.RoomPrice(t), 0);
    dual -= problem.room[t] * transport.RoomPrice(t);
  }
  for (std::uint32_t s = 0; s < problem.supply.size(); ++s)
    dual += problem.supply[s] * transport.LeastCost(s);
  return dual;
}

TEST(Transport, MakesRoomAtTheNearTargetForWhoHasNoOther) {
  const Problem problem = {{1, 1}, {1, 5}, {{1, 3}, {2, 100}}};
  Transport transport = WithArcs(problem);
  ASSERT_TRUE(transport.Solve());
  ExpectSound(problem, transport);
  EXPECT_NEAR(Cost(problem, transport), 3 + 2, 1e-6);
  EXPECT_GE(transport.RoomPrice(0), 2 - 1e-6) << "a unit more there would save the detour";
  EXPECT_NEAR(transport.RoomPrice(1), 0, 1e-6);
}

TEST(Transport, SaysThatSomethingFindsNoRoom) {
  EXPECT_FALSE(WithArcs({{2, 1}, {1, 1.5}, {{1, 1}, {1, 1}}}).Solve());
  EXPECT_FALSE(WithArcs({{1, 1}, {1, 5}, {{1, kNoArc}, {1, kNoArc}}}).Solve());
  EXPECT_FALSE(WithArcs({{1}, {5}, {{kNoArc}}}).Solve());
  EXPECT_FALSE(WithArcs({{1}, {0}, {{1}}}).Solve());
}

TEST(Transport, PlacesWhatFitsToTheBrim) {
  const Problem problem = {{1, 2}, {2, 1}, {{5, 1}, {1, 5}}};
  Transport transport = WithArcs(problem);
  ASSERT_TRUE(transport.Solve());
  ExpectSound(problem, transport);
  EXPECT_NEAR(Cost(problem, transport), 3, 1e-6);
}

TEST(Transport, HasNothingToDoForNobody) {
  Transport transport({}, {1, 2});
  EXPECT_TRUE(transport.Solve());
  EXPECT_TRUE(transport.Flows().empty());
}

TEST(Transport, GoesOnWithArcsThatComeLater) {
  const Problem problem = {{1, 1}, {2, 1, 1}, {{9, 1, 2}, {9, 1, 7}}};
  Transport transport(problem.supply, problem.room);
  transport.AddArc(0, 0, 9);
  EXPECT_FALSE(transport.Solve()) << "the second has no arc yet";
  transport.AddArc(1, 0, 9);
  ASSERT_TRUE(transport.Solve());
  EXPECT_NEAR(Cost(problem, transport), 18, 1e-6);
  transport.AddArc(0, 1, 1);
  transport.AddArc(1, 1, 1);
  transport.AddArc(0, 2, 2);
  transport.AddArc(1, 2, 7);
  ASSERT_TRUE(transport.Solve());
  ExpectSound(problem, transport);
  EXPECT_NEAR(Cost(problem, transport), 3, 1e-6);
}

// Whole numbers make ties and targets that are full to the unit: the degenerate pivots that could cycle.
Problem RandomProblem(Rng& rng) {
  const std::size_t sources = 1 + rng.Below(8), targets = 1 + rng.Below(8);
  const bool whole = rng.Chance(0.5);
  const auto amount = [&] {
    return whole ? 1.0 + static_cast<double>(rng.Below(3)) : 0.01 + 3 * rng.Uniform();
  };
  Problem problem;
  for (std::size_t s = 0; s < sources; ++s) problem.supply.push_back(amount());
  for (std::size_t t = 0; t < targets; ++t) problem.room.push_back(rng.Chance(0.1) ? 0 : 1.5 * amount());
  problem.cost.resize(sources);
  for (std::vector<double>& row : problem.cost) {
    for (std::size_t t = 0; t < targets; ++t) {
      row.push_back(rng.Chance(0.2) ? kNoArc
                    : whole         ? static_cast<double>(rng.Below(4))
                                    : 200 * rng.Uniform());
    }
  }
  return problem;
}

TEST(Transport, IsTheCheapestOfRandomProblemsAndItsPricesProveIt) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = RandomProblem(rng);
    const double least = CheapestPlacement(problem.supply, problem.room, problem.cost);
    Transport transport = WithArcs(problem);
    ASSERT_EQ(transport.Solve(), least >= 0);
    if (least < 0) continue;
    ++solved;
    ExpectSound(problem, transport);
    const double tolerance = 1e-6 * (1 + least);
    ASSERT_NEAR(Cost(problem, transport), least, tolerance);
    ASSERT_LE(Dual(problem, transport), least + tolerance);
    ASSERT_NEAR(Dual(problem, transport), least, 1e-4 * (1 + least));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(solved, 5'000);
  EXPECT_LT(solved, 19'000) << "some must not fit";
}

TEST(Transport, EndsTheSameWithArcsInAnyPortions) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = RandomProblem(rng);
    Transport at_once = WithArcs(problem);
    const bool fits = at_once.Solve();
    Transport portions(problem.supply, problem.room);
    for (std::uint32_t t = 0; t < problem.room.size(); ++t) {
      for (std::uint32_t s = 0; s < problem.supply.size(); ++s) {
        if (problem.cost[s][t] < kNoArc) portions.AddArc(s, t, problem.cost[s][t]);
      }
      if (rng.Chance(0.5)) portions.Solve();
    }
    ASSERT_EQ(portions.Solve(), fits);
    if (!fits) continue;
    ASSERT_NEAR(Cost(problem, portions), Cost(problem, at_once), 1e-6 * (1 + Cost(problem, at_once)));
  }
}

}  // namespace
}  // namespace ringway::planner
