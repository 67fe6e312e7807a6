// Times two plans, or any two pieces of work: the fastest run of a few, in seconds.
//
// The fastest run is what the machine can do when nobody else asks for it; the mean would measure the
// neighbours. Two that are compared are run in turn, so that a busy moment meets both.
#ifndef RINGWAY_BENCH_ENGINE_STOPWATCH_H_
#define RINGWAY_BENCH_ENGINE_STOPWATCH_H_

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/plan/plan.h"

namespace ringway::bench {

template <typename Work>
double SecondsOf(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double SecondsOf(engine::Plan& plan) {
  return SecondsOf([&plan] { plan.Run(); });
}

// Of all threads of this process, whatever else the machine does meanwhile.
template <typename Work>
double ProcessorSecondsOf(const Work& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

struct Pair {
  double first = 1e9, second = 1e9;
  double ratio() const { return first / second; }
};

template <typename First, typename Second>
Pair FastestOfEach(First first, Second second, int rounds) {
  Pair fastest;
  for (int i = 0; i <= rounds; ++i) {
    const double a = SecondsOf(first), b = SecondsOf(second);
    if (i == 0) continue;  // the first touches memory for the first time
    fastest.first = std::min(fastest.first, a);
    fastest.second = std::min(fastest.second, b);
  }
  return fastest;
}

inline Pair FastestOfEach(engine::Plan& first, engine::Plan& second, int rounds) {
  return FastestOfEach([&] { first.Run(); }, [&] { second.Run(); }, rounds);
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_STOPWATCH_H_
