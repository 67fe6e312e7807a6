// What a rate, a share or a time in seconds has to be before anything is computed from it.
//
// Values that come from outside may be NaN, infinite or negative; one such value in a sum spoils all of it,
// so it is looked for at the border and nowhere else.
//
// Pure, O(1).
#ifndef RINGWAY_CORE_FINITE_H_
#define RINGWAY_CORE_FINITE_H_

#include <cmath>

namespace ringway {

inline bool IsFiniteNonNegative(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace ringway

#endif  // RINGWAY_CORE_FINITE_H_
