// Has the rest of the fleet room for what a drain sends away: asked before the drain is carried out.
//
// Two dry runs on the inputs of now (dry_run.h), as it is and with the region drained, both with every drain
// that is under way at its goal. In each, a region is over by what it would serve above its overload
// threshold of the capacity that is left to it (of a region that is drained wholly: all that it would serve),
// and refuses what its rows shed. What the drain adds to either is what has no room. A demand that does not
// fit already is no reason to refuse a drain that does not make it worse.
//
// An estimate of means: what fits here may still wait in lines for seconds. Less than kShortfallShare of the
// tier's demand is rounding of the plan. Pure; two Solves and one or two Planner constructions.
#ifndef RINGWAY_CONTROLLER_ORDERS_ROOM_H_
#define RINGWAY_CONTROLLER_ORDERS_ROOM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/events.h"
#include "controller/orders/dry_run.h"
#include "controller/tiers/tier_loop.h"
#include "core/time.h"

namespace ringway::controller {

inline constexpr double kShortfallShare = 0.002;

// The largest first; empty: there is room. Errors: as DryRun.
absl::StatusOr<std::vector<NamedShortfall>> ShortfallOf(const TierLoop& loop, const DryRunEdit& edit,
                                                        Time now);

// The same of an order: from `was` as it is to `is`, the same tier under other orders.
absl::StatusOr<std::vector<NamedShortfall>> ShortfallBetween(const TierLoop& was, const TierLoop& is,
                                                             const DryRunEdit& edit, Time now);

// "3.20 requests/s would not fit: tier t0: r1 2.10/s above its overload threshold, r0 1.10/s refused".
std::string Describe(const std::vector<NamedShortfall>& shortfall);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_ORDERS_ROOM_H_
