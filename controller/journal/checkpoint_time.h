// Times in a checkpoint: nanoseconds of the controller's clock, 0 for never.
//
// The machine rounds what it keeps to whole nanoseconds, so a time that is written and read is the same, and
// a replay that begins at a checkpoint lives what was lived. InfinitePast stands for never on both sides.
//
// Pure; O(1).
#ifndef RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_TIME_H_
#define RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_TIME_H_

#include <cstdint>

#include "core/time.h"

namespace ringway::controller {

inline constexpr std::int64_t kNever = 0;

inline std::int64_t Nanos(Time time) { return time == InfinitePast() ? kNever : ToUnixNanos(time); }
inline Time At(std::int64_t nanos) { return nanos == kNever ? InfinitePast() : FromUnixNanos(nanos); }

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_TIME_H_
