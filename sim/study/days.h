// A recorded demand of several days as one run for each of them.
//
// Days are as long as the caller says and begin with the recorded window, so a window that begins in the
// quiet of a night keeps each day's evening whole. A last day of which less than nine tenths was recorded is
// left out. Each day begins with an empty fleet, ends with its last second, and sees the scenario's steps at
// their times of the day.
//
// Pure. OnDay copies the day's requests: linear in them.
#ifndef RINGWAY_SIM_STUDY_DAYS_H_
#define RINGWAY_SIM_STUDY_DAYS_H_

#include <cstddef>
#include <optional>

#include "sim/scenario.h"

namespace ringway::sim {

// A longer recording is looked at from its begin.
inline constexpr std::size_t kDaysMax = 10'000;

// At most kDaysMax. 0: some of the demand is not as recorded.
std::size_t RecordedDays(const Scenario& scenario, double day_s);

// The scenario of one day, from 0.
Scenario OnDay(const Scenario& scenario, std::size_t day, double day_s);

// Of the tier's jobs whose service time was recorded, as it is played, in seconds; nothing: there are none.
std::optional<double> RecordedServiceMeanS(const Scenario& scenario, TierId tier);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_DAYS_H_
