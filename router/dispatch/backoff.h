// How long a job sleeps after a round of probes found no free worker.
//
// Exponential from `base`, capped at a share of the mean service time (a sleep much longer than the time in
// which some worker falls free only wastes GPUs), with full jitter: uniform in [0, ceiling). Without jitter
// the sleep is the ceiling itself, so multiplier 1 without jitter is the fixed retry of a naive router, and
// base 0 is no backoff at all; both are kept reachable because the failure they cause must be shown.
//
// Source: M. Brooker, "Exponential backoff and jitter", AWS Architecture Blog, 2015. Pure; at most one draw.
#ifndef RINGWAY_ROUTER_DISPATCH_BACKOFF_H_
#define RINGWAY_ROUTER_DISPATCH_BACKOFF_H_

#include "core/rng.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::dispatch {

// The longest that the sleep number `round` (from 0) may be.
Duration BackoffCeiling(const BackoffSpec& spec, Duration service_mean, int round);

Duration Backoff(const BackoffSpec& spec, Duration service_mean, int round, Rng& rng);

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_BACKOFF_H_
