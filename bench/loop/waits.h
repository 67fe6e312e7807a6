// How long jobs wait, in lines and on the way, in one world under one kind of traffic and one kind of loop.
//
// What a job waits, from its arrival to the begin of its service as its own router hears it, is the time in
// lines and every round trip travelled, refused trips too. The trips are counted beside it, so the rest is
// lines.
// The same jobs in one queue of all workers, and the least that those who left could have travelled, stand
// beside them.
#ifndef RINGWAY_BENCH_LOOP_WAITS_H_
#define RINGWAY_BENCH_LOOP_WAITS_H_

#include <memory>

#include "bench/loop/nearest_free.h"
#include "bench/loop/worlds.h"

namespace ringway::bench {

enum class Loop {
  kShipped,       // controller, and leaders that tell each other of idle workers
  kLearnt,        // controller, and spill on learnt waits alone
  kNoController,  // hints alone
  kLate,          // as shipped, over a network that is late and breaks streams
};

struct Waits {
  double mean_s = 0;  // lines and round trips
  double p99_s = 0;
  double travelled_s = 0;  // mean, of the above
  double spilled_s = 0;    // of it, by jobs that spilled; and what these would have to travel (trips.h)
  double hindsight_s = 0;
  double oracle_s = 0;
  double taken_s = 0;  // of spilled_s, to the regions where they were served
  double trips_of_spilled = 0;
  NearestFree::Means all_seen;  // the same jobs, sent by somebody who sees every worker (nearest_free.h)
  double pooled_s = 0;          // mean, of the same jobs in one queue
  double lines_s() const { return mean_s - travelled_s; }
  double away_share = 0;  // of the jobs that were served
  double trips = 0;       // between regions, of a job
  double tables_per_minute = 0;
  double served_share = 0;
  bool sound = false;  // no checker complained
};

Waits Measure(std::shared_ptr<const Fleet> fleet, const Traffic& traffic, Loop loop);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_WAITS_H_
