#include "bench/loop/waits.h"

#include <chrono>
#include <utility>

#include "sim/simulation.h"

namespace ringway::bench {
namespace {

class Trips : public sim::Observer {
 public:
  Trips(const World& world, const sim::Simulation& simulation, double warmup_s)
      : world_(world), simulation_(simulation), warm_(absl::UnixEpoch() + absl::Seconds(warmup_s)) {}
  void OnForwarded(absl::Time now, RouterId from, RouterId to, sim::JobSerial) override {
    if (now < warm_) return;
    travelled_s += 1e-3 * world_.rtt.ms(simulation_.place(from), simulation_.place(to));
  }
  double travelled_s = 0;

 private:
  const World& world_;
  const sim::Simulation& simulation_;
  const absl::Time warm_;
};

std::shared_ptr<const Fleet> WithSpill(const Fleet& fleet, Loop loop) {
  auto changed = std::make_shared<Fleet>(fleet);
  SpillSpec& spill = changed->tiers[kLoopTier].dispatch.spill;
  if (loop == Loop::kLearnt) spill.idle_hints = false;
  if (loop == Loop::kAlone) spill.share = 0;
  return changed;
}

}  // namespace

Waits Measure(std::shared_ptr<const Fleet> fleet, const Traffic& traffic, Loop loop) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<sim::Scenario> scenario = Scene(WithSpill(*fleet, loop), traffic);
  scenario->controller = loop == Loop::kShipped || loop == Loop::kLearnt;
  sim::Simulation simulation(scenario);
  Trips trips(scenario->fleet->world, simulation, traffic.warmup_s);
  simulation.Watch(&trips);
  simulation.Run();
  const sim::Totals& totals = simulation.tally().totals();
  const auto jobs = static_cast<double>(totals.wait.count());
  const auto served = static_cast<double>(totals.served());
  const double minutes = (traffic.duration_s - traffic.warmup_s) / 60;
  Waits waits;
  waits.mean_s = totals.wait.mean();
  waits.p99_s = totals.wait.Quantile(0.99);
  waits.travelled_s = jobs > 0 ? trips.travelled_s / jobs : 0;
  waits.away_share = served > 0 ? 1 - static_cast<double>(totals.served_at_home) / served : 0;
  waits.trips = jobs > 0 ? static_cast<double>(totals.forwards) / jobs : 0;
  waits.tables_per_minute =
      static_cast<double>(totals.tables) / static_cast<double>(simulation.routers()) / minutes;
  waits.served_share = served / static_cast<double>(totals.ended_all());
  waits.sound = simulation.checkers().violations().empty();
  waits.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return waits;
}

}  // namespace ringway::bench
