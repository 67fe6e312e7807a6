// One line of a benchmark: what was measured, against which bound.
//
// `ok|short NAME measured bound` with --brief. A claim holds when measured >= bound, or <= bound where
// `at_most`. One file per claim: each declares a function here and main.cc lists it. CPU time of the own
// thread where the work is pure throughput, wall time where a latency is claimed.
#ifndef RINGWAY_BENCH_DISPATCH_CLAIM_H_
#define RINGWAY_BENCH_DISPATCH_CLAIM_H_

#include <string>
#include <vector>

namespace ringway::bench {

struct Claim {
  std::string name;
  double measured = 0;
  double bound = 0;
  std::string unit;
  bool at_most = false;
  bool holds() const { return at_most ? measured <= bound : measured >= bound; }
};

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

#endif  // RINGWAY_BENCH_DISPATCH_CLAIM_H_
