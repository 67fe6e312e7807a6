#include "tests/sim/focused_world.h"

#include <string>
#include <utility>

#include "core/rng.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kStream = 83;
constexpr std::uint64_t kViewStream = 86;
constexpr std::uint64_t kShortStream = 90;
constexpr double kQuietS = 120;  // no user comes any more
constexpr double kForGood = 1000;

// The regions of a scenario under way.
struct Draft {
  Rng rng;
  std::size_t regions;
  Scenario& scenario;

  double Between(double low, double high) { return low + (high - low) * rng.Uniform(); }
  RegionSet One() { return {RegionId(rng.Below(regions))}; }
  // One of them, or all.
  RegionSet Some() { return rng.Chance(0.6) ? One() : RegionSet{}; }
  void Step(double at_s, double lasts_s, Fault fault) {
    scenario.steps.push_back({.at_s = at_s, .lasts_s = lasts_s, .fault = std::move(fault)});
  }
};

// A router leaves for good, and its workers are adopted; some die in their turn, or come and go.
void Adoption(Draft& draft) {
  const RegionSet where = draft.Some();
  const double at_s = draft.Between(5, 15);
  const Fault gone = draft.rng.Chance(0.3) ? Fault(KillLeaders{where}) : Fault(KillRouters{where, 1});
  draft.Step(at_s, kForGood, gone);
  const double later_s = at_s + draft.Between(2, 40);
  const double lasts_s = draft.rng.Chance(0.5) ? draft.Between(3, 20) : kForGood;
  draft.Step(later_s, lasts_s, KillWorkers{where, draft.Between(0.2, 1)});
}

// Leaders are stopped for so long that others take their place, while workers are away.
void Leadership(Draft& draft) {
  for (double at_s = draft.Between(12, 20); at_s < 80; at_s += draft.Between(45, 60)) {
    const RegionSet where = draft.Some();
    if (draft.rng.Chance(0.25)) {
      draft.Step(at_s, draft.Between(2, 70), KillLeaders{where});
    } else {
      draft.Step(at_s, draft.Between(2, 6), PauseRouters{where, 1});
      // Back before the directory has heard of it.
      if (draft.rng.Chance(0.4)) {
        draft.Step(at_s + draft.Between(-0.5, 1.2), draft.Between(0.3, 1.2), KillWorkers{where, 1});
        continue;
      }
    }
    if (draft.rng.Chance(0.6)) {
      draft.Step(at_s - draft.Between(0, 5), draft.Between(4, 20), KillWorkers{where, draft.Between(0.2, 1)});
    }
  }
}

// Workers fail, drain, stand still or die, and are well again, or not.
void WorkersInTrouble(Draft& draft) {
  for (double at_s = draft.Between(12, 30); at_s < 80; at_s += draft.Between(40, 60)) {
    const RegionSet where = draft.Some();
    switch (draft.rng.Below(4)) {
      case 0:
        draft.Step(at_s, 1, FailJobs{where, static_cast<int>(3 + draft.rng.Below(8))});
        break;
      case 1:
        draft.Step(at_s, draft.Between(2, 25), Sinkhole{where, static_cast<int>(1 + draft.rng.Below(3))});
        break;
      case 2:
        draft.Step(at_s, draft.Between(2, 20), DrainWorkers{where, draft.rng.Uniform()});
        break;
      default:
        draft.Step(at_s, kForGood, KillWorkers{where, draft.Between(0.1, 0.6)});
    }
  }
}

// Streams break now and then, under load; a worker dies between.
void Streams(Draft& draft) {
  draft.scenario.steps.push_back({.at_s = draft.Between(10, 20),
                                  .every_s = draft.Between(7, 40),
                                  .fault = BreakStreams{{}, draft.Between(0.2, 1)}});
  if (draft.rng.Chance(0.5)) {
    draft.Step(draft.Between(25, 50), draft.rng.Chance(0.5) ? draft.Between(3, 20) : kForGood,
               KillWorkers{draft.Some(), draft.Between(0.2, 0.6)});
  }
}

// Who has a key comes again, before the answer and after it, at any router.
void GiveKeys(Draft& draft) {
  UserSpec& users = draft.scenario.users;
  users.keyed_share = 1;
  users.twice_share = 0.7;
  users.again_share = draft.Between(0.3, 0.8);
  users.again_after_s = draft.Between(1, 15);
  users.resubmit_share = 0.8;
  users.roam_share = draft.Between(0.3, 1);
}

// Routers that keep the records of keys restart, or are away for a while, one after the other; another one
// may be stopped meanwhile.
void KeysAndRestarts(Draft& draft) {
  GiveKeys(draft);
  for (double at_s = draft.Between(8, 15); at_s < 100;) {
    const double lasts_s = draft.rng.Chance(0.6) ? draft.Between(0.2, 3) : draft.Between(3, 20);
    const RegionSet where = draft.One();
    const Fault fault = draft.rng.Chance(0.4) ? Fault(KillLeaders{where}) : Fault(KillRouters{where, 1});
    draft.Step(at_s, lasts_s, fault);
    const double back_s = at_s + lasts_s;
    if (draft.rng.Chance(0.5)) {
      draft.Step(back_s - draft.Between(0, 4), draft.Between(2, 10), PauseRouters{draft.One(), 1});
    }
    at_s = back_s + draft.Between(4, 15);
  }
}

// One router that keeps records is stopped for a moment, and another one restarts in it: who asks the one
// waits for the other, and what the one agreed to is forgotten before it counts.
void KeysAndShortRestarts(Draft& draft) {
  for (double at_s = draft.Between(8, 12); at_s < 100; at_s += draft.Between(5, 9)) {
    const std::size_t stopped = draft.rng.Below(draft.regions);
    const std::size_t other = (stopped + 1 + draft.rng.Below(draft.regions - 1)) % draft.regions;
    const double lasts_s = draft.Between(1.2, 2.5);
    draft.Step(at_s, lasts_s, PauseRouters{{RegionId(stopped)}, 1});
    draft.Step(at_s + draft.Between(0.5, lasts_s - 0.3), draft.Between(0.05, 0.3),
               KillRouters{{RegionId(other)}, 1});
  }
}

// Regions lose each other, or the controller alone, for long enough to leave the view of those who keep
// records.
void KeysAndPartitions(Draft& draft) {
  GiveKeys(draft);
  for (double at_s = draft.Between(8, 20); at_s < 90; at_s += draft.Between(20, 50)) {
    const RegionSet cut{RegionId(draft.rng.Below(draft.regions))};
    // The controller is in the first region.
    const RegionSet from = draft.rng.Chance(0.5) ? RegionSet{} : RegionSet{RegionId(0)};
    const double lasts_s = draft.rng.Chance(0.5) ? draft.Between(20, 45) : draft.Between(1, 12);
    draft.Step(at_s, lasts_s, Partition{cut, from});
    if (draft.rng.Chance(0.6)) {
      // Away for so long that those whom the controller reaches hear of a later view.
      const double away_s = draft.rng.Chance(0.6) ? draft.Between(11, 30) : draft.Between(0.2, 5);
      draft.Step(at_s + draft.Between(-3, lasts_s / 2), away_s, KillRouters{draft.One(), 1});
    }
  }
}

// For longer than it takes until those who are cut off have left the view: half a minute until the controller
// gives up their streams, and ten seconds of grace.
void LongPartition(Draft& draft) {
  const RegionSet cut{RegionId(1 + draft.rng.Below(draft.regions - 1))};
  const RegionSet from = draft.rng.Chance(0.5) ? RegionSet{} : RegionSet{RegionId(0)};
  draft.Step(draft.Between(8, 20), draft.Between(45, 85), Partition{cut, from});
}

}  // namespace

std::shared_ptr<const Scenario> FocusedScenario(std::uint64_t seed) {
  Rng rng(seed, kStream);
  const int regions = static_cast<int>(2 + rng.Below(2));
  const int workers = static_cast<int>(3 + rng.Below(6));
  const std::uint64_t kind = rng.Below(6);
  const bool keyed = kind >= 4;
  const double service_s = keyed ? 1 + 5 * rng.Uniform() : 1;
  Fleet fleet = LineFleet(regions, workers);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.service_mean = Seconds(service_s);
  tier.deadline = Seconds(10 * (keyed ? 1 + rng.Uniform() : 1));
  if (rng.Chance(0.2)) tier.dispatch.mode = DispatchMode::kProbe;
  auto scenario = std::make_shared<Scenario>();
  scenario->name = "seed " + std::to_string(seed);
  scenario->seed = seed;
  scenario->duration_s = 150;
  scenario->warmup_s = 10;
  scenario->routers_per_region = static_cast<int>(2 + rng.Below(2));
  scenario->network.loss_share = rng.Chance(0.2) ? 0.01 : 0;
  scenario->users.resubmit_share = rng.Uniform();
  scenario->service.push_back({.law = LogNormalService{service_s, 0.5}});
  const double load = 0.2 + rng.Uniform();
  for (int i = 0; i < regions; ++i) {
    const double rate = load * workers * (0.5 + rng.Uniform()) / service_s;
    scenario->demand.push_back({.tier = TierId(0), .region = RegionId(i), .law = PoissonArrivals{rate}});
  }
  Draft draft{rng, static_cast<std::size_t>(regions), *scenario};
  switch (kind) {
    case 0:
      Adoption(draft);
      break;
    case 1:
      Leadership(draft);
      break;
    case 2:
      WorkersInTrouble(draft);
      break;
    case 3:
      Streams(draft);
      break;
    case 4:
      // Drawn apart, as below.
      if (Draft other{Rng(seed, kShortStream), static_cast<std::size_t>(regions), *scenario};
          other.rng.Chance(0.4)) {
        GiveKeys(other);
        KeysAndShortRestarts(other);
      } else {
        KeysAndRestarts(draft);
      }
      break;
    default:
      KeysAndPartitions(draft);
      // Drawn apart, so that the worlds of earlier seeds stay what they were.
      if (Draft later{Rng(seed, kViewStream), static_cast<std::size_t>(regions), *scenario};
          later.rng.Chance(0.5)) {
        LongPartition(later);
      }
  }
  AddRepeats(seed, *scenario);
  // So that every job has ended when the run does.
  scenario->steps.push_back({.at_s = kQuietS, .fault = ScaleDemand{{}, 1e-9}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

}  // namespace ringway::sim
