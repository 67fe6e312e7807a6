#include "sim/stage.h"

#include <algorithm>
#include <cmath>

namespace ringway::sim {
namespace {

// Messages and timers of one request, from the user's click to the answer.
constexpr double kEventsPerRequest = 11;
// A bucket of the queue's fine wheel should hold a handful of events. The wider it is, the more of what waits
// for a deadline lies within the wheels.
constexpr double kEventsPerBucket = 8;
constexpr int kWheelBits = 10;

int BucketBits(const Scenario& scenario) {
  double rps = 1;
  for (const DemandSpec& demand : scenario.demand) rps += MeanRateRps(demand.law);
  const double width_ns = kEventsPerBucket * 1e9 / (rps * kEventsPerRequest);
  return std::clamp(static_cast<int>(std::log2(width_ns)), 12, 21);
}

}  // namespace

Stage::Stage(const Scenario& scenario, std::int64_t begins_ns, Tap* tap)
    : queue(BucketBits(scenario), kWheelBits, begins_ns),
      network(scenario.fleet->world, scenario.network, scenario.seed),
      tap(tap),
      now_ns_(begins_ns),
      now_(Date(begins_ns)) {}

}  // namespace ringway::sim
