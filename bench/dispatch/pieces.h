// The pieces of dispatch that are measured, each on its own and on one core.
//
// One file for each; main.cc lists them with their bounds. CPU time of the own thread where the work is pure
// throughput, wall time where a latency is claimed.
#ifndef RINGWAY_BENCH_DISPATCH_PIECES_H_
#define RINGWAY_BENCH_DISPATCH_PIECES_H_

#include <vector>

#include "bench/claim.h"

namespace ringway::bench {

// Of this thread, so that neighbours on the machine do not count.
double CpuSeconds();

// Grants per second of one core, each with its ask, the release before it and the worker's announcement; jobs
// come and end at random around full load, so that there is now a line, now idle slots.
// `quick`: a fifth of the work. Best of five runs, because neighbours on the machine only ever slow it down.
Claim LedgerRate(int workers, double grants_per_s_min, bool quick);
// The same with `waiting` jobs in line all the time: every grant takes one out and every ask puts one in.
Claim LedgerLineRate(int workers, int waiting, double grants_per_s_min, bool quick);

// Nanoseconds to sample a target region from a row over `regions` regions, the draw included. Best of five.
Claim RegionPick(int regions, double ns_max, bool quick);
// From an event in to the actions out of the router's machine, near capacity, half of its offers refused as
// busy; wall time, the two clock reads included.
std::vector<Claim> RouterStep(int workers, bool quick);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_DISPATCH_PIECES_H_
