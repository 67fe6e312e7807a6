// How much sooner a long run is over when it is cut in two slices of its time, and how near its figures come.
//
// The same scaled-down day, whole on one thread and in two slices on two threads, one after the other in the
// same process. The claim is about the CPU time of the longer of the two threads, which other work on the
// machine does not lengthen: on two free cores it is the time on the clock, which is told as a figure.
#ifndef RINGWAY_BENCH_SIM_SLICE_RATE_H_
#define RINGWAY_BENCH_SIM_SLICE_RATE_H_

#include <vector>

#include "bench/claim.h"

namespace ringway::bench {

void MeasureSlices(bool quick, std::vector<Claim>& claims);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SIM_SLICE_RATE_H_
