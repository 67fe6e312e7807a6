// How far apart the epochs of leaders can be, and which numbers are therefore a mistake or a lie.
//
// An epoch is the second at which its controller started, in Unix time, and never less than the number after
// the highest that the controller knows: so it is later than that of every earlier life even if the disk is
// lost or an old copy, and later than that of the last life even if the clock was set back. Only both at once
// can repeat one.
//
// Nobody votes on it, so a single message could carry any number, and whoever believed 2^48 - 1 would refuse
// everybody who did not. So an epoch is believed only within kEpochStepMax of the own one or of the clock, by
// controllers of what routers say, and by routers of what they remember or hear from each other. What a
// router has believed and its controller does not, the router forgets when that controller welcomes it.
// Nobody stays locked out.
//
// 65536 is 18 hours of a clock that goes wrong, or as many starts of a controller whose clock stands still.
// kEpochMax is for what is read from disk, where there is nothing to compare with: in steps it would take
// 2^24 lies, each of which is saved first.
//
// Pure functions of values.
#ifndef RINGWAY_CORE_LEADER_EPOCH_H_
#define RINGWAY_CORE_LEADER_EPOCH_H_

#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace ringway {

inline constexpr std::uint64_t kEpochStepMax = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kEpochMax = std::uint64_t{1} << 40;

// Of a controller that starts now and knows of none.
constexpr std::uint64_t EpochAt(Time now) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.since_1970() / Seconds(1)));
}

// Of a controller that starts now and knows epochs up to `known`.
constexpr std::uint64_t NextEpoch(std::uint64_t known, Time now) { return std::max(known + 1, EpochAt(now)); }

// Whether a leader of epoch `own` can have a predecessor or a rival of epoch `claimed`.
constexpr bool EpochCredible(std::uint64_t claimed, std::uint64_t own) {
  return claimed <= own || claimed - own <= kEpochStepMax;
}

// Whether any leader can have reached it; of what is read from disk.
constexpr bool EpochPossible(std::uint64_t epoch) { return epoch < kEpochMax; }

}  // namespace ringway

#endif  // RINGWAY_CORE_LEADER_EPOCH_H_
