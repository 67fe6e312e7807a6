// The parts of the planner's benchmark: generated worlds of four sizes, the real worlds that ship, overload.
//
// Each part measures every load at every seed, prints a row for each load unless `brief`, and adds its
// claims, every one of them an upper bound. Seeds are 1 to 10, 1 to 3 with `quick` (1 at 5000 regions, where
// the yardstick takes seconds). Times are claimed by their median over the seeds, qualities by the worst seed
// except that of the loop alone, which has a median to reach. One thread.
#ifndef RINGWAY_BENCH_PLANNER_SUITE_H_
#define RINGWAY_BENCH_PLANNER_SUITE_H_

#include <string>
#include <vector>

#include "bench/claim.h"
#include "bench/options.h"

namespace ringway::planner {

using bench::Claim;
using bench::Options;

void MeasureSizes(const Options& options, std::vector<Claim>& claims);

// A file of topology/, with generated fleets. False when it cannot be read; the reason went to stderr.
bool MeasureRealWorld(const Options& options, const std::string& name, std::vector<Claim>& claims);

void MeasureOverload(const Options& options, std::vector<Claim>& claims);

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_SUITE_H_
