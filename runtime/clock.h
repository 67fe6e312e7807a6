// The one place where daemons ask for the time.
//
// Machines run on monotonic time: a clock that is stepped by NTP must not expire leases or reorder deadlines.
// MonotonicNow is the wall time at the first call plus what the steady clock says has passed since, so values
// read like dates in logs but never jump. Two processes never compare such values; the wire carries ages and
// remaining times.
//
// Threads: safe. Cost: one steady clock read, about 25 ns.
#ifndef RINGWAY_RUNTIME_CLOCK_H_
#define RINGWAY_RUNTIME_CLOCK_H_

#include "core/time.h"

namespace ringway::runtime {

Time MonotonicNow();

// The date, for files and screens; may jump.
Time WallNow();

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_CLOCK_H_
