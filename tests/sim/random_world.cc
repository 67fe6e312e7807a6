#include "tests/sim/random_world.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/rng.h"

namespace ringway::sim {
namespace {

constexpr char kBusyPromql[] = "sum by (region) (rate(ringway_worker_busy_seconds_total[5s]))";

// Of what may be refused, in words of a release to come, while there is time for what follows from it.
constexpr double kNewerShare = 2e-4;
constexpr double kNewerUntilS = 90;

RegionSet SomeRegions(const Fleet& fleet, Rng& rng) {
  RegionSet regions;
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    if (rng.Chance(0.4)) regions.push_back(RegionId(i));
  }
  if (regions.empty()) regions.push_back(RegionId(rng.Below(fleet.world.regions.size())));
  return regions;
}

Fault RandomFault(const Fleet& fleet, Rng& rng) {
  const RegionSet regions = SomeRegions(fleet, rng);
  switch (rng.Below(17)) {
    case 0:
      return KillWorkers{regions, rng.Uniform()};
    case 1:
      return KillRouters{regions, 1};
    case 2:
      return KillRegion{regions};
    case 3:
      return KillController{};
    case 4:
      // Derived from what was drawn, so that what comes after stays as it was.
      return DrainRegion{.regions = regions,
                         .share = regions.size() % 2 == 0 ? 0.5 : 1,
                         .expires = regions.front().index() % 2 == 0};
    case 5:
      return Partition{regions, {}};
    case 6:
      return ExtraDelay{regions, {}, 200};
    case 7:
      return SlowWorkers{regions, rng.Uniform(), 3};
    case 8:
      return Sinkhole{regions, 2};
    case 9:
      return ScaleDemand{regions, 0.2 + 4 * rng.Uniform()};
    case 10:
      return FreezeMetrics{regions};
    case 11:
      return KillLeaders{regions};
    case 12:
      return StallWorkers{regions, rng.Uniform()};
    case 13:
      return PauseRouters{regions, 1};
    case 14:
      return FailJobs{regions, static_cast<int>(1 + rng.Below(10))};
    case 15:
      return BadJobs{regions, rng.Uniform()};
    default:
      return SetThreshold{TierId(0), 0.3 + 0.7 * rng.Uniform()};
  }
}

// Routers that stay away long enough for others to take their place and their workers, some of which die in
// their turn, or come and go.
void AddLongOutage(const Fleet& fleet, Rng& rng, Scenario& scenario) {
  const double at_s = 15 + 10 * rng.Uniform();
  const double lasts_s = 45 + 30 * rng.Uniform();
  const RegionSet regions = SomeRegions(fleet, rng);
  const Fault gone = rng.Chance(0.5) ? Fault(KillLeaders{regions}) : Fault(KillRouters{regions, 1});
  scenario.steps.push_back({.at_s = at_s, .lasts_s = lasts_s, .fault = gone});
  if (rng.Chance(0.7)) {
    const double later_s = at_s + 2 + 13 * rng.Uniform();
    scenario.steps.push_back({.at_s = later_s,
                              .lasts_s = rng.Chance(0.5) ? 3 + 5 * rng.Uniform() : 60,
                              .fault = KillWorkers{regions, rng.Uniform()}});
  }
}

// A file with other settings, good or bad, that is tried on a part of the routers; sometimes the old one
// comes back.
void AddNewFile(Fleet& fleet, Rng& rng, Scenario& scenario) {
  fleet.canary = CanarySpec{.share = 0.05 + 0.45 * rng.Uniform(), .period = Seconds(10 + rng.Below(30))};
  Fleet file = fleet;
  Tier& tier = file.tiers[TierId(0)];
  tier.route.overload_threshold = 0.2 + 0.8 * rng.Uniform();
  tier.route.isolation = static_cast<Isolation>(rng.Below(3));
  tier.guard.shed_above = 1 + 3 * rng.Uniform();
  for (TierRegion& region : tier.regions) region.reserve_share = rng.Chance(0.3) ? 0.6 * rng.Uniform() : 0;
  // Drawn apart: other worlds stay what they were.
  if (Rng(scenario.seed, 86).Chance(0.5)) tier.dispatch.waiting_max = 0;
  scenario.steps.push_back({.at_s = 10 + 40 * rng.Uniform(),
                            .lasts_s = rng.Chance(0.5) ? 5 + 50 * rng.Uniform() : 1000,
                            .fault = LoadTopology{"new", std::make_shared<const Fleet>(std::move(file))}});
}

// What few fleets have, and some workers that are not what they should be. Drawn apart, so that worlds stay
// what they were where nothing of it is so.
void AddTraits(const Fleet& fleet, Rng rng, Scenario& scenario) {
  scenario.service[TierId(0)].tells_steps = rng.Chance(0.5);
  scenario.service[TierId(0)].plain = rng.Chance(0.15);
  if (rng.Chance(0.3)) scenario.users.large_share = rng.Uniform();
  if (rng.Chance(0.2)) scenario.once_records_max = 20 + rng.Below(200);
  if (rng.Chance(0.2)) {
    scenario.steps.push_back({.at_s = 10 + 50 * rng.Uniform(),
                              .lasts_s = 1 + 30 * rng.Uniform(),
                              .fault = WrongTier{SomeRegions(fleet, rng), rng.Uniform()}});
  }
}

// Disks that lose what is written, and processes that find out because they start anew. Drawn apart, as the
// clocks of workers' hosts below.
void AddStorageFaults(const Fleet& fleet, Rng rng, Scenario& scenario) {
  const double at_s = 5 + 40 * rng.Uniform();
  const double lasts_s = 10 + 50 * rng.Uniform();
  const RegionSet regions = SomeRegions(fleet, rng);
  const double whose = rng.Uniform();
  scenario.steps.push_back(
      {.at_s = at_s,
       .lasts_s = lasts_s,
       .fault = LoseWrites{
           .regions = regions, .routers = whose > 0.3, .controller = whose < 0.7, .wiped = rng.Chance(0.3)}});
  const auto again = [&](const Fault& fault) {
    scenario.steps.push_back({.at_s = at_s + lasts_s * rng.Uniform(),
                              .lasts_s = rng.Chance(0.5) ? 0.1 + rng.Uniform() : 1 + 20 * rng.Uniform(),
                              .fault = fault});
  };
  if (rng.Chance(0.7)) again(KillController{});
  if (rng.Chance(0.3)) again(KillController{});
  if (rng.Chance(0.5)) again(KillLeaders{regions});
  if (rng.Chance(0.5)) again(KillRouters{regions, 2});
  if (rng.Chance(0.2)) again(Partition{regions, {}});
}

// Operators order routers about, while routers and a controller that stops in good order come and go: what is
// on its way to the audit log must come there, once. Drawn apart.
void AddOrders(const Fleet& fleet, Rng rng, Scenario& scenario) {
  const double at_s = 10 + 20 * rng.Uniform();
  const std::uint64_t orders = 2 + rng.Below(6);
  for (std::uint64_t i = 0; i < orders; ++i) {
    const double given_s = at_s + 50 * rng.Uniform();
    const double lasts_s = 0.5 + 4 * rng.Uniform();
    const RegionSet regions = SomeRegions(fleet, rng);
    const double share = rng.Uniform();
    scenario.steps.push_back({.at_s = given_s,
                              .lasts_s = lasts_s,
                              .fault = OrderRouters{regions, share, static_cast<int>(rng.Below(4))}});
  }
  const std::uint64_t stops = 1 + rng.Below(3);
  for (std::uint64_t i = 0; i < stops; ++i) {
    scenario.steps.push_back({.at_s = at_s + 50 * rng.Uniform(),
                              .lasts_s = rng.Chance(0.5) ? 0.1 + rng.Uniform() : 1 + 20 * rng.Uniform(),
                              .fault = KillController{.graceful = rng.Chance(0.7)}});
  }
  if (rng.Chance(0.5)) {
    scenario.steps.push_back({.at_s = at_s + 50 * rng.Uniform(),
                              .lasts_s = 0.1 + 5 * rng.Uniform(),
                              .fault = RestartRouters{SomeRegions(fleet, rng), 1}});
  }
  if (rng.Chance(0.5)) {
    scenario.steps.push_back({.at_s = at_s + 50 * rng.Uniform(),
                              .lasts_s = 0.1 + 5 * rng.Uniform(),
                              .fault = KillRouters{SomeRegions(fleet, rng), 1}});
  }
}

void AddClockFaults(const Fleet& fleet, Rng rng, Scenario& scenario) {
  const double at_s = 5 + 40 * rng.Uniform();
  const double lasts_s = 5 + 40 * rng.Uniform();
  const RegionSet regions = SomeRegions(fleet, rng);
  const double share = rng.Uniform();
  scenario.steps.push_back(
      {.at_s = at_s, .lasts_s = lasts_s, .fault = SetClocksBack{regions, share, 100 * rng.Uniform()}});
  for (int i = 0; i < 2; ++i) {
    scenario.steps.push_back({.at_s = at_s + lasts_s * rng.Uniform(),
                              .lasts_s = 0.1 + 5 * rng.Uniform(),
                              .fault = KillWorkers{regions, share}});
  }
}

// Processes that talk in messages. Drawn apart.
// Where a fleet begins in the release before, region after region goes over to this one, the controller
// before them, between them or after them; sometimes what has gone over goes back for a while.
void AddWire(const Fleet& fleet, Rng rng, Scenario& scenario) {
  scenario.wire = WireSpec{.begins_former = rng.Chance(0.6),
                           .newer_share = rng.Chance(0.5) ? kNewerShare : 0,
                           .newer_until_s = kNewerUntilS};
  if (!scenario.wire->begins_former) return;
  // A controller of the release before knows of no orders that end by themselves.
  for (ScenarioStep& step : scenario.steps) {
    if (auto* drain = std::get_if<DrainRegion>(&step.fault)) drain->expires = false;
  }
  const std::size_t regions = fleet.world.regions.size();
  const std::size_t first = rng.Below(regions);
  // Where there are keys the controller is upgraded first: that of the release before makes no views
  // (docs/once.md).
  const bool keyed = scenario.users.keyed_share > 0;
  const std::size_t anywhere = rng.Below(regions + 1);
  const std::size_t controller = keyed ? 0 : anywhere;
  const std::size_t back = rng.Chance(0.4) ? rng.Below(regions) : regions;
  double at_s = 10 + 15 * rng.Uniform();
  const auto roll = [&](Upgrade upgrade) {
    const double lasts_s = 0.5 + 3 * rng.Uniform();
    scenario.steps.push_back({.at_s = at_s, .lasts_s = lasts_s, .fault = std::move(upgrade)});
    at_s += lasts_s + 5 * rng.Uniform();
  };
  const Upgrade control{.regions = {}, .routers = false, .workers = false, .controller = true};
  for (std::size_t i = 0; i <= regions; ++i) {
    if (i == controller) roll(control);
    if (i == regions) break;
    const RegionSet region = {RegionId((first + i) % regions)};
    roll({.regions = region, .routers = true, .workers = rng.Chance(0.7)});
    if (i != back) continue;
    // A roll-back, and the next try.
    const bool all = rng.Chance(0.5) && i >= controller && !keyed;
    roll({.regions = region, .routers = true, .workers = true, .controller = all, .back = true});
    roll({.regions = region, .routers = true, .workers = true, .controller = all, .back = false});
  }
}

ServiceLaw RandomLaw(Rng& rng) {
  switch (rng.Below(3)) {
    case 0:
      return ExponentialService{1};
    case 1:
      return FixedService{1};
    default:
      return LogNormalService{1, 0.5};
  }
}

}  // namespace

Fleet LineFleet(int regions, int workers) {
  Fleet fleet;
  fleet.world.name = "line";
  for (int i = 0; i < regions; ++i) {
    fleet.world.regions.push_back(
        {.name = "r" + std::to_string(i), .title = "", .population_share = 1.0 / regions});
  }
  fleet.world.rtt = RttMatrix(static_cast<std::size_t>(regions));
  for (int i = 0; i < regions; ++i) {
    for (int j = 0; j < regions; ++j) {
      fleet.world.rtt.Set(RegionId(i), RegionId(j), i == j ? 0.5 : 20.0 * std::abs(i - j));
    }
  }
  Tier tier;
  tier.name = "t";
  MetricSpec busy;
  busy.name = "busy";
  busy.capacity_per_worker = true;
  tier.metrics.push_back(busy);
  tier.route.rings = {{"near", 30, 0.8}, {"far", 500, 0.9}};
  tier.service_mean = Seconds(1);
  tier.deadline = Seconds(10);
  for (int i = 0; i < regions; ++i) tier.regions.push_back({.workers = workers});
  tier.residency_forbidden.resize(static_cast<std::size_t>(regions));
  fleet.tiers.push_back(std::move(tier));
  return fleet;
}

// Clients that close their streams, and come again before a worker has reached its next step.
void AddLeaving(Rng& rng, Scenario& scenario) {
  scenario.users.leave_share = 0.5 * rng.Uniform();
  scenario.users.leave_after_s = 0.1 + 2 * rng.Uniform();
  scenario.users.resubmit_after_s = 0.02 + rng.Uniform();
  scenario.service[TierId(0)].steps = static_cast<int>(1 + rng.Below(20));
}

void AddRepeats(std::uint64_t seed, Scenario& scenario) {
  Rng rng(seed, 91);
  if (!rng.Chance(0.25)) return;
  scenario.network.repeat_share = 0.5 * rng.Uniform();
  scenario.network.late_share = 0.3 * rng.Uniform();
  const std::uint64_t breaks = rng.Below(6);
  for (std::uint64_t i = 0; i < breaks; ++i) {
    const double at_s = 10 + 70 * rng.Uniform();
    const double share = rng.Uniform();
    const double late_s = rng.Chance(0.5) ? 0.5 * rng.Uniform() : 10 * rng.Uniform();
    scenario.steps.push_back({.at_s = at_s, .lasts_s = 1, .fault = BreakStreams{{}, share, late_s}});
  }
}

std::shared_ptr<const Scenario> RandomScenario(std::uint64_t seed) {
  Rng rng(seed, 77);
  const int regions = static_cast<int>(2 + rng.Below(4));
  const int workers = static_cast<int>(5 + rng.Below(40));
  Fleet fleet = LineFleet(regions, workers);
  if (seed % 3 == 0) fleet.tiers[TierId(0)].dispatch.mode = DispatchMode::kProbe;
  if (Rng(seed, 80).Chance(0.25)) fleet.tiers[TierId(0)].dispatch.spill.idle_hints = false;
  if (Rng(seed, 84).Chance(0.25)) fleet.tiers[TierId(0)].metrics.front().promql = kBusyPromql;
  auto scenario = std::make_shared<Scenario>();
  scenario->name = "seed " + std::to_string(seed);
  scenario->seed = seed;
  scenario->duration_s = 150;
  scenario->warmup_s = 10;
  scenario->routers_per_region = static_cast<int>(1 + rng.Below(3));
  scenario->network.jitter_share = 0.2 * rng.Uniform();
  scenario->network.loss_share = rng.Chance(0.3) ? 0.01 : 0;
  scenario->users.resubmit_share = rng.Uniform();
  scenario->service.push_back({.law = RandomLaw(rng)});
  const double load = 0.4 + 0.8 * rng.Uniform();
  for (int i = 0; i < regions; ++i) {
    const double rate = load * workers * (0.5 + rng.Uniform());
    scenario->demand.push_back({.tier = TierId(0), .region = RegionId(i), .law = PoissonArrivals{rate}});
  }
  const std::uint64_t faults = rng.Below(6);
  for (std::uint64_t i = 0; i < faults; ++i) {
    const double at_s = 10 + 60 * rng.Uniform();
    scenario->steps.push_back(
        {.at_s = at_s, .lasts_s = 1 + 40 * rng.Uniform(), .fault = RandomFault(fleet, rng)});
  }
  // Drawn apart, so that the worlds of earlier seeds stay what they were.
  if (Rng(seed, 81).Chance(0.25)) {  // a map that is wrong for long enough to be found out, and right again
    scenario->steps.push_back(
        {.at_s = 0, .lasts_s = 70, .fault = ExtraDelay{{RegionId(0)}, {RegionId(1)}, 150}});
  }
  Rng streams(seed, 78);
  if (streams.Chance(0.5)) {
    scenario->steps.push_back({.at_s = 10 + 10 * streams.Uniform(),
                               .every_s = 5 + 15 * streams.Uniform(),
                               .fault = BreakStreams{{}, streams.Uniform()}});
  }
  Rng keys(seed, 79);
  if (keys.Chance(0.5)) {
    scenario->users.keyed_share = keys.Uniform();
    scenario->users.twice_share = keys.Uniform();
  }
  if (keys.Chance(0.3)) {
    scenario->steps.push_back({.at_s = 10 + 60 * keys.Uniform(),
                               .lasts_s = 1 + 10 * keys.Uniform(),
                               .fault = RestartRouters{SomeRegions(fleet, keys), 1}});
  }
  if (keys.Chance(0.2)) {
    scenario->steps.push_back({.at_s = 10 + 60 * keys.Uniform(),
                               .lasts_s = 1 + 40 * keys.Uniform(),
                               .fault = DrainWorkers{SomeRegions(fleet, keys), keys.Uniform()}});
  }
  AddTraits(fleet, Rng(seed, 85), *scenario);
  if (keys.Chance(0.3)) AddLongOutage(fleet, keys, *scenario);
  if (keys.Chance(0.25)) AddNewFile(fleet, keys, *scenario);
  if (Rng disks(seed, 87); disks.Chance(0.2)) AddStorageFaults(fleet, disks, *scenario);
  if (Rng clocks(seed, 88); clocks.Chance(0.15)) AddClockFaults(fleet, clocks, *scenario);
  if (Rng orders(seed, 90); orders.Chance(0.2)) AddOrders(fleet, orders, *scenario);
  if (Rng leaves(seed, 91); leaves.Chance(0.3)) AddLeaving(leaves, *scenario);
  AddRepeats(seed, *scenario);
  if (Rng wire(seed, 89); wire.Chance(0.25)) AddWire(fleet, wire, *scenario);
  // The last half minute is quiet, so that every job has ended when the run does.
  scenario->steps.push_back({.at_s = 120, .fault = ScaleDemand{{}, 1e-9}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

}  // namespace ringway::sim
