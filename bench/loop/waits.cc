#include "bench/loop/waits.h"

#include <utility>

#include "bench/loop/pooled_queue.h"
#include "bench/loop/trips.h"
#include "sim/simulation.h"

namespace ringway::bench {
namespace {

// A tenth of all messages between regions takes four times as long as it should, or longer; one in 10,000
// breaks its stream.
constexpr sim::NetworkSpec kLateHints{.jitter_share = 1.3, .loss_share = 1e-4};

std::shared_ptr<const Fleet> WithSpill(const Fleet& fleet, Loop loop) {
  auto changed = std::make_shared<Fleet>(fleet);
  SpillSpec& spill = changed->tiers[kLoopTier].dispatch.spill;
  if (loop == Loop::kLearnt) spill.idle_hints = false;
  return changed;
}

int Workers(const Fleet& fleet) {
  int workers = 0;
  for (const TierRegion& here : fleet.tiers[kLoopTier].regions) workers += here.workers;
  return workers;
}

}  // namespace

Waits Measure(std::shared_ptr<const Fleet> fleet, const Traffic& traffic, Loop loop) {
  const std::shared_ptr<sim::Scenario> scenario = Scene(WithSpill(*fleet, loop), traffic);
  scenario->controller = loop != Loop::kNoController;
  if (loop == Loop::kLate) scenario->network = kLateHints;
  sim::Simulation simulation(scenario);
  Trips trips(scenario->fleet->world, simulation, traffic.warmup_s);
  PooledQueue pool;
  NearestFree all_seen;
  simulation.Watch(&trips);
  simulation.Watch(&pool);
  simulation.Watch(&all_seen);
  simulation.Run();
  const sim::Totals& totals = simulation.tally().totals();
  const auto jobs = static_cast<double>(totals.wait.count());
  const auto served = static_cast<double>(totals.served());
  const double minutes = (traffic.duration_s - traffic.warmup_s) / 60;
  Waits waits;
  waits.mean_s = totals.wait.mean();
  waits.p99_s = totals.wait.Quantile(0.99);
  waits.travelled_s = jobs > 0 ? trips.travelled_s() / jobs : 0;
  waits.spilled_s = jobs > 0 ? trips.spilled_s() / jobs : 0;
  waits.hindsight_s = jobs > 0 ? trips.hindsight_s() / jobs : 0;
  waits.oracle_s = jobs > 0 ? trips.oracle_s() / jobs : 0;
  waits.taken_s = jobs > 0 ? trips.taken_s() / jobs : 0;
  waits.trips_of_spilled = trips.trips_of_spilled();
  waits.all_seen = all_seen.Play(*fleet, traffic.warmup_s);
  waits.pooled_s = pool.MeanWaitS(Workers(*fleet), traffic.warmup_s);
  waits.away_share = served > 0 ? 1 - static_cast<double>(totals.served_at_home) / served : 0;
  waits.trips = jobs > 0 ? static_cast<double>(totals.forwards) / jobs : 0;
  waits.tables_per_minute =
      static_cast<double>(totals.tables) / static_cast<double>(simulation.routers()) / minutes;
  waits.served_share = served / static_cast<double>(totals.ended_all());
  waits.sound = simulation.checkers().violations().empty();
  return waits;
}

}  // namespace ringway::bench
