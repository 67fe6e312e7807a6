// One line of the benchmark: what was measured, against which bound.
//
// `ok|short NAME measured bound` with --brief. A claim holds when measured >= bound, or <= bound where
// `at_most`; a bound of zero makes it a figure that claims nothing. Rates are per second of CPU time of the
// one thread, because neighbours on the machine only ever slow the wall clock.
#ifndef RINGWAY_BENCH_SIM_CLAIM_H_
#define RINGWAY_BENCH_SIM_CLAIM_H_

#include <string>

namespace ringway::bench {

struct Claim {
  std::string name;
  double measured = 0;
  double bound = 0;
  std::string unit;
  bool at_most = false;
  bool holds() const { return bound == 0 || (at_most ? measured <= bound : measured >= bound); }
};

// CPU seconds that this thread has used.
double CpuSeconds();

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SIM_CLAIM_H_
