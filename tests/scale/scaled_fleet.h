// A tier whose scaler is fed in virtual time: counts by region, held rates as the controller has them,
// workers that run.
#ifndef RINGWAY_TESTS_SCALE_SCALED_FLEET_H_
#define RINGWAY_TESTS_SCALE_SCALED_FLEET_H_

#include <functional>
#include <memory>
#include <vector>

#include "controller/planner/held.h"
#include "controller/scale/scaler.h"
#include "core/rng.h"

namespace ringway::scale {

inline constexpr double kHourS = 3600;
double Poisson(Rng& rng, double mean);
// Regions in a line, 20 ms from one to the next, up to `workers` each; service of 5 s.
std::shared_ptr<World> LineOf(int regions);
std::shared_ptr<Tier> TierOf(int regions, int workers, const ScalingSpec& scaling = {});

class ScaledFleet {
 public:
  static constexpr double kStepS = 5;
  static constexpr double kServiceS = 5;

  ScaledFleet(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier, std::uint64_t seed = 1);
  // `rate(region, seconds since the begin)`; counts are Poisson of it, or its mean where `noise` is false.
  using Rate = std::function<double(std::size_t, double)>;
  void Run(double seconds, const Rate& rate, bool noise = true);
  int wanted(std::size_t region = 0) const { return scaler.wanted()[RegionId(region)].workers; }
  int total() const;

  Scaler scaler;
  std::vector<int> alive;
  std::vector<double> busy;  // shown, whatever enters
  std::vector<char> fresh;   // reports come
  std::vector<char> draining;
  std::vector<int> changes;  // of the wanted number, by region
  bool follows = true;       // as many run as are wanted, at once
  double now_s = 1e6;

 private:
  std::vector<planner::Held> held_;
  Rng rng_;
};

}  // namespace ringway::scale

#endif  // RINGWAY_TESTS_SCALE_SCALED_FLEET_H_
