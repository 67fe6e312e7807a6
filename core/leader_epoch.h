// How far apart the epochs of leaders can be, and which numbers are therefore a mistake or a lie.
//
// An epoch counts the starts of controllers: each leads with the number after the highest that it knows.
// Nobody votes on it, so a single message could carry any number, and whoever believed 2^48 - 1 would refuse
// everybody who did not. So an epoch is believed only within kEpochStepMax of the own one, by controllers of
// what routers say, and by routers of what they remember. Both ends use the same bound: exactly the numbers
// that a controller does not believe are those that a router forgets when that controller welcomes it. Nobody
// stays locked out.
//
// 65536 starts are more than a supervisor can cause in 45 days by restarting a controller every minute: a
// controller that lost its disk still finds the epoch of its fleet at once. kEpochMax is for what is read
// from disk, where there is nothing to compare with: in steps it would take 2^24 lies, each of which is saved
// first.
//
// Pure functions of values.
#ifndef RINGWAY_CORE_LEADER_EPOCH_H_
#define RINGWAY_CORE_LEADER_EPOCH_H_

#include <cstdint>

namespace ringway {

inline constexpr std::uint64_t kEpochStepMax = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kEpochMax = std::uint64_t{1} << 40;

// Whether a leader of epoch `own` can have a predecessor or a rival of epoch `claimed`.
constexpr bool EpochCredible(std::uint64_t claimed, std::uint64_t own) {
  return claimed <= own || claimed - own <= kEpochStepMax;
}

// Whether any leader can have reached it; of what is read from disk.
constexpr bool EpochPossible(std::uint64_t epoch) { return epoch < kEpochMax; }

}  // namespace ringway

#endif  // RINGWAY_CORE_LEADER_EPOCH_H_
