// The round-trip time of two regions that nobody measured, from their distance.
//
// rtt = 3.5 ms + 0.0157 ms/km x great-circle distance. Fitted (least mean relative error, grid search) to the
// 420 measured region pairs of topology/aws.yaml and topology/azure.yaml, i.e. skyplane's latency grid of
// April 2022. Error of the estimate over these pairs: median 14 %, 90th percentile 37 %, mean 17 %; the worst
// are pairs whose cables take a detour (southern Africa to the Gulf). tools/topology/worlds.py --fit
// repeats the fit. Light in glass needs about 0.01 ms/km, so the estimate is never below what is possible.
#ifndef RINGWAY_TOPOLOGY_RTT_ESTIMATE_H_
#define RINGWAY_TOPOLOGY_RTT_ESTIMATE_H_

#include "core/world.h"

namespace ringway {

inline constexpr double kEstimateBaseMs = 3.5;
inline constexpr double kEstimateMsPerKm = 0.0157;
// A round trip at the speed of light in vacuum: nothing is faster.
inline constexpr double kLightMsPerKm = 2.0 / 299.792458;

inline double EstimateRttMs(const Region& a, const Region& b) {
  return kEstimateBaseMs + kEstimateMsPerKm * DistanceKm(a, b);
}

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_RTT_ESTIMATE_H_
