// Workers for an amount of work, who helps whom, and where the overflow goes.
#include "controller/scale/staffing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/rng.h"
#include "tests/scale/scaled_fleet.h"

namespace ringway::scale {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<const World> Shared(int regions) { return LineOf(regions); }

TEST(StaffingTest, TheLeastNumberThatCarriesTheWork) {
  struct Case {
    double work;
    double wait;
    double busy_max;
    int workers;
  };
  // Ceilings of planner/ceiling.h at a mean wait of 0.3: .324 with one worker, .68 with 3, .88 with 10.
  for (const Case& c :
       {Case{0, 0.3, 1, 0}, Case{0.3, 0.3, 1, 1}, Case{0.4, 0.3, 1, 2}, Case{2, 0.3, 1, 3},
        Case{8.75, 0.3, 1, 10}, Case{8.9, 0.3, 1, 11}, Case{8, 0.3, 0.5, 16}, Case{5000, 0.3, 0.8, 6250}}) {
    EXPECT_EQ(Staffing(c.wait, c.busy_max).WorkersFor(c.work, c.work), c.workers) << c.work;
  }
  Staffing staffing(0.1, 0.9);
  EXPECT_EQ(staffing.WorkersFor(std::nan(""), std::nan("")), 0);
  EXPECT_EQ(staffing.WorkersFor(-3, -3), 0);
}

// Busy at most with what is expected, and the wait with the most that may come: each margin once.
TEST(StaffingTest, ASurpriseIsWaitedForAndNotProvidedForTwice) {
  Staffing staffing(0.3, 0.8);
  EXPECT_EQ(staffing.WorkersFor(80, 80), 100);
  EXPECT_EQ(staffing.WorkersFor(80, 90), 100) << "they carry 90 with a shorter wait than that";
  EXPECT_EQ(staffing.WorkersFor(20, 90), Staffing(0.3, 1).WorkersFor(90, 90)) << "the wait decides";
  EXPECT_GT(staffing.WorkersFor(80, 110), 110);
}

TEST(StaffingTest, MoreWorkNeverTakesFewer) {
  Staffing staffing(0.1, 0.95);
  int before = 0;
  for (double work = 0; work < 600; work += 0.37) {
    const int workers = staffing.WorkersFor(work, work);
    ASSERT_GE(workers, before) << work;
    ASSERT_GE(workers, work) << work;
    if (workers > 1) {
      const int less = workers - 1;
      ASSERT_LT(less * std::min(0.95, planner::CeilingOf(std::min(less, 512), 0.1)), work) << work;
    }
    before = workers;
  }
}

TEST(StaffingTest, SigmasAreThoseOfTheNormalLaw) {
  EXPECT_NEAR(Sigmas(0.5), 0, 1e-9);
  EXPECT_NEAR(Sigmas(0.158655254), 1, 1e-6);
  EXPECT_NEAR(Sigmas(0.01), 2.326348, 1e-6);
  EXPECT_NEAR(Sigmas(0.001), 3.090232, 1e-6);
}

TEST(PoolTest, TheNearestFourThatTakeItsJobs) {
  const auto world = Shared(8);
  const auto ids = [](const std::vector<RegionId>& pool) {
    std::vector<std::size_t> numbers;
    for (const RegionId id : pool) numbers.push_back(id.index());
    return numbers;
  };
  auto tier = TierOf(8, 10);
  const auto pool = [&](std::size_t region) {
    return ids(PoolOf(RegionId(region), *tier, planner::Reach(world, *tier)));
  };
  EXPECT_THAT(pool(3), ElementsAre(3, 2, 4, 1, 5));
  tier->route.rings = {{"near", 30, 0.8}};
  EXPECT_THAT(pool(3), ElementsAre(3, 2, 4)) << "the last ring bounds it";
  tier->route.rings.clear();
  tier->residency_forbidden.resize(8);
  tier->residency_forbidden[RegionId(3)] = {RegionId(2)};
  EXPECT_THAT(pool(3), ElementsAre(3, 4, 1, 5, 0));
  tier->regions[RegionId(4)].workers = 0;
  EXPECT_THAT(pool(3), ElementsAre(3, 1, 5, 0, 6)) << "nobody helps without workers";
  // A trip of 20 ms against a wait of a tenth of 100 ms.
  tier->service_mean = Milliseconds(100);
  EXPECT_THAT(pool(3), ElementsAre(3));
  tier->service_mean = Seconds(5);
  tier->dispatch.mode = DispatchMode::kProbe;
  EXPECT_THAT(pool(3), ElementsAre(3)) << "no hints of idle workers where jobs probe";
  tier->dispatch.mode = DispatchMode::kLedger;
  tier->dispatch.spill.share = 0;
  EXPECT_THAT(pool(3), ElementsAre(3));
}

TEST(OverflowTest, GoesToTheNearestWithRoomAndNothingIsLost) {
  const auto world = Shared(4);
  const auto tier = TierOf(4, 10);
  const planner::Reach reach(world, *tier);
  const auto moved = [&](std::vector<double> workers, std::vector<double> room) {
    IdVector<RegionId, double> w, r;
    for (const double x : workers) w.push_back(x);
    for (const double x : room) r.push_back(x);
    const double homeless = Overflow(reach, r, w);
    std::vector<double> out(w.begin(), w.end());
    out.push_back(homeless);
    return out;
  };
  EXPECT_THAT(moved({14, 8, 3, 3}, {10, 10, 10, 10}), ElementsAre(10, 10, 5, 3, 0));
  EXPECT_THAT(moved({4, 8, 3, 3}, {0, 10, 10, 10}), ElementsAre(0, 10, 5, 3, 0)) << "a drained region";
  EXPECT_THAT(moved({14, 10, 9, 12}, {10, 10, 10, 10}), ElementsAre(10, 10, 10, 10, 5));
  Rng rng(7);
  for (int k = 0; k < 1000; ++k) {
    std::vector<double> workers, room;
    for (int i = 0; i < 4; ++i) {
      workers.push_back(rng.Uniform() * 20);
      room.push_back(static_cast<double>(rng.Below(20)));
    }
    const std::vector<double> out = moved(workers, room);
    EXPECT_NEAR(std::accumulate(out.begin(), out.end(), 0.0),
                std::accumulate(workers.begin(), workers.end(), 0.0), 1e-9);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(out[i], room[i] + 1e-9);
  }
}

}  // namespace
}  // namespace ringway::scale
