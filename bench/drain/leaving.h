// What is measured: clients that leave, and processes that are asked to end with a long job in flight.
//
// Both on a world of two regions without a controller: oslo (one router, two workers) and bergen (one of
// each). A step of the synthetic workers takes kStepS; a cancelled job may finish the one that it is in.
// Blocking; one thread.
#ifndef RINGWAY_BENCH_DRAIN_LEAVING_H_
#define RINGWAY_BENCH_DRAIN_LEAVING_H_

#include <string>
#include <vector>

#include "bench/claim.h"
#include "tests/live/small_world.h"

namespace ringway::live {

inline constexpr double kStepS = 0.2;

// The world for jobs of `job_s`.
WorldPlan DrainWorld(double job_s);
// From a client's leaving to the slot's being free, in milliseconds, shortest first; one for each of `times`
// clients whose slot became free at all.
std::vector<double> CancelMs(SmallWorld& world, double job_s, int times);
// A router and a worker are asked to end while each has a job of `job_s` in flight.
std::vector<bench::Claim> Drain(SmallWorld& world, double job_s);

}  // namespace ringway::live

#endif  // RINGWAY_BENCH_DRAIN_LEAVING_H_
