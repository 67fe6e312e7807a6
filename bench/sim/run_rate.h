// How many requests a second the whole simulator carries through the production machines, on one core.
//
// The start of a run (an empty fleet fills up) is left out: the clock starts when the warm-up ends. Rates are
// per second of CPU time of the one thread, because neighbours on the machine only ever slow the wall clock.
#ifndef RINGWAY_BENCH_SIM_RUN_RATE_H_
#define RINGWAY_BENCH_SIM_RUN_RATE_H_

#include "bench/sim/big_fleet.h"

namespace ringway::bench {

struct RunRate {
  double requests = 0;  // submitted after the warm-up
  double cpu_s = 0;
  double events = 0;
  double pending = 0;  // events in the queue at the end
  double served_share = 0;
  double virtual_s = 0;   // measured over
  double memory_gib = 0;  // of the process, at its peak
  bool sound = false;     // no checker complained

  double requests_per_s() const { return requests / cpu_s; }
  double events_per_s() const { return events / cpu_s; }
};

// CPU seconds that this thread has used.
double CpuSeconds();

RunRate MeasureRun(const BigFleetSize& size);

// The same queue without anything to do: each event schedules the next, `pending` at a time, with the spread
// of delays that a simulation has (three hops of a fraction of a millisecond to one service time).
double BareEventsPerS(double pending, double service_mean_s, double events);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SIM_RUN_RATE_H_
