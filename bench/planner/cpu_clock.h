// Processor time of the calling thread.
//
// The planner is one thread that never waits, so on a quiet machine
// this is its wall time, and on a shared one it leaves out what others did meanwhile.
#ifndef RINGWAY_BENCH_PLANNER_CPU_CLOCK_H_
#define RINGWAY_BENCH_PLANNER_CPU_CLOCK_H_

#include <time.h>

#include <algorithm>
#include <limits>

namespace ringway::planner {

inline double CpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// The quickest of a few runs: the others had cold caches or interruptions.
template <class Work>
double QuickestMs(int runs, Work work) {
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < runs; ++k) {
    const double start = CpuMs();
    work();
    best = std::min(best, CpuMs() - start);
  }
  return best;
}

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_CPU_CLOCK_H_
