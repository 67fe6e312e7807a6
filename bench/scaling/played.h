// Days played by the simulator with its autoscaler, and what came of them.
//
// The first day is history: nothing of it is counted. The controller runs with its production periods for
// autoscaled fleets of this size, an epoch and a report every five seconds, because a day of seconds is what
// the bench would spend its time on.
#ifndef RINGWAY_BENCH_SCALING_PLAYED_H_
#define RINGWAY_BENCH_SCALING_PLAYED_H_

#include "bench/scaling/days.h"
#include "core/tier.h"

namespace ringway::bench {

struct Played {
  double gpu_hours = 0;
  double starts = 0, stops = 0, thrash = 0;
  double wait_p99_s = 0, wait_mean_s = 0;
  double served_share = 0;
  double exceeded_share = 0;  // of the minutes: the rate was above what had been provided for
  double home_share = 0;
  double tables_per_minute = 0;
  bool sound = false;  // no checker complained
  double wall_s = 0;
};

struct HowPlayed {
  ScalingSpec scaling;
  double start_up_s = 180;
  double overload_threshold = 0.95;
  bool pooled = true;  // false: no job leaves for another region's idle worker
  double history_days = 1;
};
Played Play(const Days& days, const HowPlayed& how);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_PLAYED_H_
