// How far jobs that left their regions would have had to travel, all of them together, knowing everything.
//
// The same jobs and the workers that they got, second by second, are assigned anew so that together they
// travel least (controller/planner/transport.h). A job may get a worker that became free later in its second,
// and one that nearer jobs of the same second leave over: no rule that acts when a job comes can do that.
// Complexity: a transport problem for each second.
#ifndef RINGWAY_BENCH_LOOP_LEAST_WAYS_H_
#define RINGWAY_BENCH_LOOP_LEAST_WAYS_H_

#include <cstdint>
#include <map>
#include <utility>

#include "core/fleet.h"
#include "core/ids.h"

namespace ringway::bench {

class LeastWays {
 public:
  // A job of `home` that started in `served`, another region, in this second.
  void Add(std::int64_t second, RegionId home, RegionId served) { ++jobs_[second][{home, served}]; }
  double TravelledMs(const World& world) const;

 private:
  using Pairs = std::map<std::pair<RegionId, RegionId>, double>;  // home, served in: jobs
  static double OfSecond(const World& world, const Pairs& jobs);
  std::map<std::int64_t, Pairs> jobs_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_LEAST_WAYS_H_
