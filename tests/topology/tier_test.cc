#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/topology/texts.h"
#include "topology/topology.h"

namespace ringway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kFullTier = R"yaml(
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: full, labels: {team: media}}
spec:
  serviceMean: 2500ms
  deadline: 1m
  priorities: [interactive, batch]
  metrics:
    - {name: busy, aggregation: sum, capacity: 2, capacityPer: worker, maxAge: 5s}
    - {name: queue:p99, aggregation: quantile, quantile: 0.99, capacity: 8, promql: "max(queue)"
}
  overloadThreshold: 0.7
  ceilingWait: 0.5
  escalation: by-load
  isolation: fill
  refine: swap
  rings:
    - {name: near, rttMsMax: 50, unlockLoad: 0.7}
    - {name: far, rttMsMax: 300, unlockLoad: 0.9}
  guard: {planMargin: 0.05, shedAbove: 1.5, costClampLow: 0.5, costClampHigh: 2, refutedAt: 12, demandEwma: 0.4,
          hysteresis: 0.02, jumpConfirmations: 4, stepMax: 0.3, jumpMax: 5, staleAfter: 4s, missingAfter: 9s,
          drainPace: 30s}
  dispatch:
    mode: ledger
    probesPerRound: 3
    offersMax: 20
    waitingMax: 100
    delay: {busyMin: 0.6, shareMax: 0.5, span: 100ms}
    backoff: {base: 20ms, multiplier: 1.5, capOfService: 0.1, fullJitter: false}
    retryBudget: {share: 4, floorPerSecond: 10}
    spill: {share: 0.1, keep: 20s, waitMin: 80ms, fade: 4s, refusedCost: 1s}
  regions:
    - {region: paris, workers: 4, reserveShare: 0.25, importCapShare: 0.5, overloadThreshold: 0.65}
  residency:
    - {from: [paris], only: [paris]}
)yaml";

TEST(TierFileTest, ReadsEveryField) {
  const absl::StatusOr<Topology> topology = ParseTopology(Text(kWorldText, kFullTier), "t.yaml");
  ASSERT_TRUE(topology.ok()) << topology.status();
  const Tier& tier = topology->fleet->tiers[TierId(0)];
  EXPECT_EQ(tier.name, "full");
  EXPECT_EQ(tier.service_mean, Milliseconds(2500));
  EXPECT_EQ(tier.deadline, Minutes(1));
  EXPECT_THAT(tier.priorities, ElementsAre("interactive", "batch"));
  ASSERT_EQ(tier.metrics.size(), 2u);
  EXPECT_EQ(tier.metrics[0].capacity, 2);
  EXPECT_TRUE(tier.metrics[0].capacity_per_worker);
  EXPECT_EQ(tier.metrics[0].max_age, Seconds(5));
  EXPECT_EQ(tier.metrics[1].name, "queue:p99");
  EXPECT_EQ(tier.metrics[1].aggregation, Aggregation::kQuantile);
  EXPECT_EQ(tier.metrics[1].quantile, 0.99);
  EXPECT_EQ(tier.metrics[1].promql, "max(queue)");
  EXPECT_EQ(tier.route.overload_threshold, 0.7);
  EXPECT_EQ(tier.route.ceiling_wait, 0.5);
  EXPECT_EQ(tier.route.escalation, Escalation::kByLoad);
  EXPECT_EQ(tier.route.isolation, Isolation::kFill);
  EXPECT_EQ(tier.route.refine, RefineMode::kSwap);
  ASSERT_EQ(tier.route.rings.size(), 2u);
  EXPECT_EQ(tier.route.rings[1].name, "far");
  EXPECT_EQ(tier.route.rings[1].rtt_ms_max, 300);
  EXPECT_EQ(tier.route.rings[1].unlock_load, 0.9);
  EXPECT_EQ(tier.regions[RegionId(0)].workers, 4);
  EXPECT_EQ(tier.regions[RegionId(0)].reserve_share, 0.25);
  EXPECT_EQ(tier.regions[RegionId(0)].import_cap_share, 0.5);
  EXPECT_EQ(OverloadThreshold(tier, RegionId(0)), 0.65);
  EXPECT_EQ(tier.regions[RegionId(1)].workers, 0) << "a region that the tier leaves out has none";
  EXPECT_THAT(tier.residency_forbidden[RegionId(0)], ElementsAre(RegionId(1)));
  EXPECT_TRUE(tier.residency_forbidden[RegionId(1)].empty());
}

TEST(TierFileTest, ReadsGuardAndDispatch) {
  const absl::StatusOr<Topology> topology = ParseTopology(Text(kWorldText, kFullTier), "t.yaml");
  ASSERT_TRUE(topology.ok()) << topology.status();
  const GuardSpec& guard = topology->fleet->tiers[TierId(0)].guard;
  EXPECT_THAT(
      (std::vector<double>{guard.plan_margin, guard.shed_above, guard.cost_clamp_low, guard.cost_clamp_high,
                           guard.refuted_at, guard.hysteresis, guard.step_max, guard.jump_max}),
      ElementsAre(0.05, 1.5, 0.5, 2, 12, 0.02, 0.3, 5));
  EXPECT_EQ(guard.jump_confirmations, 4);
  EXPECT_EQ(guard.stale_after, Seconds(4));
  EXPECT_EQ(guard.missing_after, Seconds(9));
  EXPECT_EQ(guard.drain_pace, Seconds(30));
  const DispatchSpec& dispatch = topology->fleet->tiers[TierId(0)].dispatch;
  EXPECT_EQ(dispatch.mode, DispatchMode::kLedger);
  EXPECT_EQ(dispatch.probes_per_round, 3);
  EXPECT_EQ(dispatch.attempts_max, 20);
  EXPECT_EQ(dispatch.waiting_max, 100u);
  EXPECT_EQ(dispatch.delay.busy_min, 0.6);
  EXPECT_EQ(dispatch.delay.share_max, 0.5);
  EXPECT_EQ(dispatch.delay.span, Milliseconds(100));
  EXPECT_EQ(dispatch.backoff.base, Milliseconds(20));
  EXPECT_EQ(dispatch.backoff.multiplier, 1.5);
  EXPECT_EQ(dispatch.backoff.cap_of_service, 0.1);
  EXPECT_FALSE(dispatch.backoff.full_jitter);
  EXPECT_EQ(dispatch.budget.share, 4);
  EXPECT_EQ(dispatch.budget.floor_per_second, 10);
  EXPECT_EQ(dispatch.spill.share, 0.1);
  EXPECT_EQ(dispatch.spill.keep, Seconds(20));
  EXPECT_EQ(dispatch.spill.wait_min, Milliseconds(80));
  EXPECT_EQ(dispatch.spill.fade, Seconds(4));
  EXPECT_EQ(dispatch.spill.refused_cost, Seconds(1));
}

TEST(TierFileTest, WhatIsLeftOutIsTheDefaultOfTheValueType) {
  const absl::StatusOr<Topology> topology = ParseTopology(Text(kWorldText, kTierText), "t.yaml");
  ASSERT_TRUE(topology.ok()) << topology.status();
  const Tier& tier = topology->fleet->tiers[TierId(0)];
  const Tier defaults;
  EXPECT_EQ(tier.route.overload_threshold, defaults.route.overload_threshold);
  EXPECT_EQ(tier.guard.step_max, defaults.guard.step_max);
  EXPECT_EQ(tier.guard.drain_pace, defaults.guard.drain_pace);
  EXPECT_EQ(tier.dispatch.backoff.base, defaults.dispatch.backoff.base);
  EXPECT_EQ(tier.dispatch.waiting_max, defaults.dispatch.waiting_max);
  EXPECT_EQ(tier.priorities, defaults.priorities);
  EXPECT_EQ(tier.deadline, defaults.deadline);
}

TEST(TierFileTest, WithoutMetricsARegionIsAsLoadedAsItsWorkersAreBusy) {
  const absl::StatusOr<Topology> said = ParseTopology(Text(kWorldText, kTierText), "t.yaml");
  const absl::StatusOr<Topology> silent = ParseTopology(
      Text(kWorldText,
           Edited(std::string(kTierText), "  metrics: [{name: busy, capacityPer: worker}]\n", "")),
      "t.yaml");
  ASSERT_TRUE(said.ok() && silent.ok()) << said.status() << silent.status();
  EXPECT_EQ(silent->fleet->tiers[TierId(0)].metrics, said->fleet->tiers[TierId(0)].metrics);
}

TEST(TierFileTest, ATierBeforeItsWorldIsFineAndTiersKeepTheirOrder) {
  const std::string second = Edited(Text(kTierText), "animate", "imagine");
  const absl::StatusOr<Topology> topology =
      ParseTopology(absl::StrCat(second, "---", Text(kWorldText, kTierText)), "t.yaml");
  ASSERT_TRUE(topology.ok()) << topology.status();
  ASSERT_EQ(topology->fleet->tiers.size(), 2u);
  EXPECT_EQ(topology->FindTier("imagine"), TierId(0));
  EXPECT_EQ(topology->FindTier("animate"), TierId(1));
  EXPECT_EQ(topology->FindTier(""), std::nullopt) << "two tiers: the name is needed";
}

TEST(TierFileTest, RemarksOnRegionsThatNoRingReaches) {
  const std::string tier =
      Edited(Text(kTierText), "spec:\n", "spec:\n  rings: [{name: near, rttMsMax: 20}]\n");
  const absl::StatusOr<Topology> topology = ParseTopology(Text(kWorldText, tier), "t.yaml");
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_THAT(topology->remarks, ::testing::Contains(HasSubstr("within the rings of new-york (20 ms)")));
}

}  // namespace
}  // namespace ringway
