// Recorded-like days, and what a queue makes of them: the reference for traces with service times of their
// own.
//
// A day has arrivals along a day curve, and service times that are lognormal and correlated with those of the
// job before (AR(1) of their logarithms), as in recordings of GPU fleets: large jobs come in a row. Days
// differ in their demand. The reference queue knows nothing of the simulator: c servers, first come first
// served, a dozen lines.
#ifndef RINGWAY_TESTS_SIM_RECORDED_DAY_H_
#define RINGWAY_TESTS_SIM_RECORDED_DAY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/scenario.h"

namespace ringway::sim {

struct RecordedDay {
  std::vector<double> at_s;  // ascending
  std::vector<double> service_s;
};

struct DayKind {
  double length_s = 7200;
  double offered = 5;     // erlangs, on average over all days
  double service_s = 10;  // mean
  double service_cv = 0.8;
  double correlation = 0.6;  // of the logarithms of neighbouring jobs' service times
  double swing = 0.6;        // of the day curve
  double demand_cv = 0.08;   // of a day's demand
};
RecordedDay MakeDay(const DayKind& kind, std::uint64_t seed);

// The waits of the day's jobs at so many servers, in order of arrival, in seconds.
std::vector<double> FcfsWaits(const RecordedDay& day, std::size_t servers);

// The same day for the simulator, as recorded. One region without distances, one router whose ledger grants
// in order of arrival: jobs tell no deadline and no size (a ledger's line is ordered by the latest start that
// leaves a job its time), and no message takes any time. The run goes on for `tail_s` after the day.
Scenario DayScenario(const RecordedDay& day, double length_s, int workers, double tail_s);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_RECORDED_DAY_H_
