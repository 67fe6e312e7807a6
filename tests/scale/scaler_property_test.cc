// What holds whatever the fleet and the demand: bounds, monotony, calm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scale/scaled_fleet.h"

namespace ringway::scale {
namespace {

struct RandomCase {
  int regions;
  std::vector<int> workers;
  ScalingSpec scaling;
  std::vector<double> rps;
};

RandomCase MakeCase(std::uint64_t seed) {
  Rng rng(seed, 11);
  RandomCase c;
  c.regions = 1 + static_cast<int>(rng.Below(6));
  c.scaling.risk = std::pow(10.0, -1 - 2 * rng.Uniform());
  c.scaling.wait_target = 0.02 + rng.Uniform();
  c.scaling.start_up = Seconds(static_cast<double>(30 + rng.Below(900)));
  c.scaling.stable_for = Seconds(static_cast<double>(rng.Below(1200)));
  c.scaling.workers_min = static_cast<int>(rng.Below(3));
  for (int i = 0; i < c.regions; ++i) {
    c.workers.push_back(3 + static_cast<int>(rng.Below(60)));
    c.rps.push_back(6 * rng.Uniform());
  }
  return c;
}

ScaledFleet RandomFleet(const RandomCase& c, std::uint64_t seed) {
  auto tier = TierOf(c.regions, 0, c.scaling);
  for (std::size_t i = 0; i < c.workers.size(); ++i) tier->regions[RegionId(i)].workers = c.workers[i];
  return ScaledFleet(LineOf(c.regions), tier, seed);
}

TEST(ScalerPropertyTest, NeverBelowTheMinimumOrWhatIsBusyNeverAboveTheMaximum) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomCase c = MakeCase(seed);
    ScaledFleet fleet = RandomFleet(c, seed);
    Rng rng(seed, 12);
    for (int round = 0; round < 40; ++round) {
      std::vector<double> factor;
      for (std::size_t r = 0; r < c.workers.size(); ++r) {
        factor.push_back(rng.Chance(0.2) ? 4 * rng.Uniform() : 1);
        fleet.busy[r] = rng.Uniform() * c.workers[r];
        fleet.draining[r] = rng.Chance(0.1);
      }
      fleet.Run(120, [&](std::size_t r, double) { return c.rps[r] * factor[r]; });
      for (std::size_t r = 0; r < c.workers.size(); ++r) {
        ASSERT_GE(fleet.wanted(r), std::min(c.scaling.workers_min, c.workers[r])) << "seed " << seed;
        ASSERT_LE(fleet.wanted(r), c.workers[r]) << "seed " << seed;
        ASSERT_GE(fleet.wanted(r), std::floor(fleet.busy[r])) << "seed " << seed;
      }
    }
  }
}

// The same past, twice as much demand of one region: more there, and more in all.
TEST(ScalerPropertyTest, MoreDemandNeverMeansFewerWorkers) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomCase c = MakeCase(seed);
    ScaledFleet less = RandomFleet(c, seed);
    less.Run(
        kHourS, [&](std::size_t r, double) { return c.rps[r]; }, false);
    Rng rng(seed, 13);
    const std::size_t grows = rng.Below(c.rps.size());
    c.rps[grows] *= 1 + rng.Uniform();
    ScaledFleet more = RandomFleet(c, seed);
    more.Run(
        kHourS, [&](std::size_t r, double) { return c.rps[r]; }, false);
    EXPECT_GE(more.wanted(grows), less.wanted(grows)) << "seed " << seed;
    // Shares of a pool are rounded up region by region.
    EXPECT_GE(more.total(), less.total() - c.regions + 1) << "seed " << seed;
    double needs_more = 0, needs_less = 0;
    for (const Wanted& wanted : more.scaler.wanted()) needs_more += wanted.needed;
    for (const Wanted& wanted : less.scaler.wanted()) needs_less += wanted.needed;
    EXPECT_GE(needs_more, needs_less - c.regions + 1) << "seed " << seed;
  }
}

TEST(ScalerPropertyTest, LessRiskAndShorterWaitsTakeMoreWorkers) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomCase c = MakeCase(seed);
    c.workers.assign(c.workers.size(), 1000);
    const auto rate = [&](std::size_t r, double) { return c.rps[r]; };
    ScaledFleet as_it_is = RandomFleet(c, seed);
    as_it_is.Run(kHourS, rate);
    RandomCase safer = c;
    safer.scaling.risk /= 10;
    ScaledFleet safe = RandomFleet(safer, seed);
    safe.Run(kHourS, rate);
    EXPECT_GE(safe.total(), as_it_is.total()) << "seed " << seed;
    RandomCase quicker = c;
    quicker.scaling.wait_target /= 4;
    ScaledFleet quick = RandomFleet(quicker, seed);
    // The pool of a shorter wait may be smaller, which takes more, too.
    quick.Run(kHourS, rate);
    EXPECT_GE(quick.total(), as_it_is.total()) << "seed " << seed;
  }
}

// Poisson's scatter at constant demand is none of the demand: after the first hour the number stands, or
// moves by one now and then.
TEST(ScalerPropertyTest, NoiseAtConstantDemandStartsAndStopsNobody) {
  int changes = 0, regions = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ScaledFleet fleet(LineOf(4), TierOf(4, 200), seed);
    const double rps[] = {0.4, 1.5, 4, 12};
    const auto rate = [&](std::size_t r, double) { return rps[r]; };
    fleet.Run(2 * kHourS, rate);
    std::fill(fleet.changes.begin(), fleet.changes.end(), 0);
    std::vector<int> least(4, 1 << 20), most(4, 0);
    for (int minute = 0; minute < 8 * 60; ++minute) {
      fleet.Run(60, rate);
      for (std::size_t r = 0; r < 4; ++r) {
        least[r] = std::min(least[r], fleet.wanted(r));
        most[r] = std::max(most[r], fleet.wanted(r));
      }
    }
    for (std::size_t r = 0; r < 4; ++r) {
      EXPECT_LE(most[r] - least[r], 1 + rps[r] * ScaledFleet::kServiceS * 0.15)
          << "seed " << seed << " region " << r;
      changes += fleet.changes[r];
      ++regions;
    }
  }
  // An hour of each.
  EXPECT_LE(changes / (8.0 * regions), 3);
  std::printf("%.2f changes an hour and region\n", changes / (8.0 * regions));
}

}  // namespace
}  // namespace ringway::scale
