// Random histories of a fleet whose network loses, repeats and reorders, whose leaders and routers die and
// are appointed anew, watched by a checker that is not part of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/rng.h"
#include "tests/ledger/fleet/fleet.h"
#include "tests/ledger/fleet/lease_checker.h"

namespace ringway::ledger::fleet {
namespace {

FleetSettings RandomFleet(Rng& rng, std::uint64_t seed, bool announce) {
  FleetSettings settings;
  settings.seed = seed;
  settings.workers = 1 + static_cast<int>(rng.Below(6));
  settings.routers = 3 + static_cast<int>(rng.Below(3));
  settings.leaders = 3;
  settings.rho = 0.3 + 1.5 * rng.Uniform();
  settings.service = sim::LogNormalService{0.5, 1.0};
  settings.patience = Seconds(0.8 + 4 * rng.Uniform());
  settings.warm_up = ZeroDuration();
  settings.network = {.hop = Milliseconds(1),
                      .jitter = rng.Chance(0.5) ? 30.0 : 1.0,
                      .loss = rng.Chance(0.5) ? 0.05 : 0.001,
                      .duplicate = 0.1,
                      .stall = announce ? 0.02 : 0};
  settings.ledger.workers_announce = announce;
  settings.ledger.workers_max = 6;
  settings.ledger.waiting_max = 1 + rng.Below(8);
  settings.ledger.lease_span = Seconds(1);
  settings.ledger.silence_max = Seconds(3);
  settings.ledger.service_bound = Seconds(8);
  settings.client.renew_period = Milliseconds(200);
  settings.client.silence_max = Milliseconds(400);
  return settings;
}

void ExpectPromisesKept(const Fleet& fleet, const LeaseChecker& checker, std::uint64_t seed) {
  ASSERT_TRUE(checker.complaints().empty()) << checker.complaints().front() << " (and "
                                            << checker.complaints().size() - 1 << " more), seed " << seed;
  ASSERT_LE(fleet.Current().View().waiting, fleet.settings().ledger.waiting_max) << "seed " << seed;
}

// After everything has healed: no ask is forgotten and no slot is lost.
void ExpectWholeAgain(Fleet& fleet, const LeaseChecker& checker, std::uint64_t seed) {
  const auto workers = static_cast<std::size_t>(fleet.settings().workers);
  EXPECT_EQ(fleet.jobs_open(), 0u) << "seed " << seed;
  EXPECT_EQ(checker.open_asks(), 0u) << "seed " << seed;
  EXPECT_TRUE(fleet.Current().View().holding) << "seed " << seed;
  EXPECT_EQ(fleet.Current().View().waiting, 0u) << "seed " << seed;
  EXPECT_EQ(fleet.Current().View().idle, workers) << "seed " << seed;
}

// Workers that announce make any two leaders safe from each other; for the others the controller sees to it
// that the old leader has stopped before it appoints the next.
void MoveLeader(Fleet& fleet, Rng& rng, double at) {
  const auto next = static_cast<std::uint32_t>(rng.Below(3));
  if (!fleet.settings().ledger.workers_announce) {
    fleet.Depose();
    fleet.RunUntil(Seconds(at + 0.1));
  }
  fleet.Appoint(next);
}

// Returns how many jobs were started.
std::size_t RunHistory(std::uint64_t seed, bool announce) {
  Rng rng(seed, 5);
  LeaseChecker checker;
  Fleet fleet(RandomFleet(rng, seed, announce), &checker);
  for (double at = 0; at < 12; at += 0.25) {
    fleet.RunUntil(Seconds(at));
    if (rng.Chance(0.10)) MoveLeader(fleet, rng, at);
    if (rng.Chance(0.05)) fleet.KillLeader(static_cast<std::uint32_t>(rng.Below(3)));
    if (rng.Chance(0.05)) fleet.KillRouter(static_cast<std::uint32_t>(rng.Below(3)));
    ExpectPromisesKept(fleet, checker, seed);
    if (testing::Test::HasFatalFailure()) return 0;
  }
  fleet.Heal();
  fleet.StopArrivals();
  MoveLeader(fleet, rng, 12);
  fleet.RunUntil(Seconds(40));
  ExpectPromisesKept(fleet, checker, seed);
  ExpectWholeAgain(fleet, checker, seed);
  return checker.starts();
}

void RunHistories(bool announce) {
  std::size_t starts = 0;
  for (std::uint64_t seed = 1; seed <= 2000 && !testing::Test::HasFailure(); ++seed) {
    starts += RunHistory(seed, announce);
  }
  // A history in which nothing happens would prove nothing.
  EXPECT_GT(starts, 20'000u);
}

TEST(LedgerProperty, AnnouncingWorkersUnderEveryTrouble) { RunHistories(true); }

TEST(LedgerProperty, PoolsThatAnnounceNothingUnderEveryTrouble) { RunHistories(false); }

}  // namespace
}  // namespace ringway::ledger::fleet
