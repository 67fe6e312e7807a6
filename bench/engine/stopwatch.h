// Times a plan: its fastest run of a few, in seconds, and the share of one kind of operation.
//
// The fastest run is what the machine can do when nobody else asks for it; the mean would measure the
// neighbours. Two plans that are compared are run in turn, so that a busy moment meets both.
#ifndef RINGWAY_BENCH_ENGINE_STOPWATCH_H_
#define RINGWAY_BENCH_ENGINE_STOPWATCH_H_

#include <algorithm>
#include <chrono>

#include "engine/plan/plan.h"

namespace ringway::bench {

inline double SecondsOf(engine::Plan& plan) {
  const auto begin = std::chrono::steady_clock::now();
  plan.Run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Pair {
  double first = 1e9, second = 1e9;
  double ratio() const { return first / second; }
};

inline Pair FastestOfEach(engine::Plan& first, engine::Plan& second, int rounds) {
  Pair fastest;
  for (int i = 0; i <= rounds; ++i) {
    const double a = SecondsOf(first), b = SecondsOf(second);
    if (i == 0) continue;  // the first touches memory for the first time
    fastest.first = std::min(fastest.first, a);
    fastest.second = std::min(fastest.second, b);
  }
  return fastest;
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_STOPWATCH_H_
