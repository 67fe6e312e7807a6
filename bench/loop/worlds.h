// The worlds that the closed loop is judged on: the shipped ones and generated ones of many small regions.
//
// A generated world scatters its regions around populous places with a normal spread of some degrees, gives
// each a fleet between two sizes, uniform in the logarithm, and takes 1 ms and 1.5 ms for each 100 km as
// round trips. Demand of a region is its fleet times e^(skew x normal), scaled to a load of the whole.
// Service is log-normal, mean 5 s, coefficient of variation 0.5. Same seed, same world, on every machine.
//
// Worlds with even seeds were used while constants were chosen; claims are made on odd ones.
#ifndef RINGWAY_BENCH_LOOP_WORLDS_H_
#define RINGWAY_BENCH_LOOP_WORLDS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/fleet.h"
#include "sim/scenario.h"

namespace ringway::bench {

inline constexpr double kServiceMeanS = 5;
inline constexpr double kServiceCv = 0.5;
inline const TierId kLoopTier(0);

struct GeneratedWorld {
  std::string name;
  int regions = 60;
  int workers_min = 3;
  int workers_max = 40;
  std::uint64_t seed = 1;
};
std::shared_ptr<const Fleet> Generate(const GeneratedWorld& world);
// Three regions of ten workers, 26 ms apart.
std::shared_ptr<const Fleet> ThreeOfTen();
// The first tier of a shipped topology file, with the loop's service time. Null: it cannot be read.
std::shared_ptr<const Fleet> Shipped(const std::string& name);

struct Traffic {
  double load = 0.7;   // of all workers
  double gaps_cv = 1;  // 1: Poisson; above: burstier
  double skew = 0.2;   // of the demand over the regions
  std::uint64_t seed = 1;
  double duration_s = 600;
  double warmup_s = 200;
};
// Of the fleet's first tier, with two routers a region.
std::shared_ptr<sim::Scenario> Scene(std::shared_ptr<const Fleet> fleet, const Traffic& traffic);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_WORLDS_H_
