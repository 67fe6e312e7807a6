// Which fences can be true, as far as anybody can tell who knows one.
//
// A leader's epoch rises by one with each start of a controller. One that is a million starts ahead of what
// is known, or beyond all that a controller ever claims, was made up or mangled: whoever believed it could
// never obey a real leader again. So workers do not take such a fence, and a leader does not step down for
// it.
//
// Pure. O(1).
#ifndef RINGWAY_CORE_PLAUSIBLE_FENCE_H_
#define RINGWAY_CORE_PLAUSIBLE_FENCE_H_

#include <cstdint>

#include "core/lease.h"

namespace ringway {

inline constexpr std::uint64_t kLeaderEpochMax = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kLeaderEpochStepMax = std::uint64_t{1} << 20;

// Whether it is one that a controller claims.
inline bool LeaderEpochClaimed(std::uint64_t epoch) { return epoch < kLeaderEpochMax; }

// Whether `next` can have come after `known`; nothing known: all that a controller claims.
inline bool IsPlausible(const Fence& known, const Fence& next) {
  if (!LeaderEpochClaimed(next.leader_epoch)) return false;
  return !known.stated() || next.leader_epoch <= known.leader_epoch + kLeaderEpochStepMax;
}

}  // namespace ringway

#endif  // RINGWAY_CORE_PLAUSIBLE_FENCE_H_
