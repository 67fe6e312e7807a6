// How long a job waits before it is looked at, so that a burst becomes executable gradually.
//
// Below `busy_min` nobody waits. Above it a share of the jobs, rising linearly to `share_max` when every
// worker is busy, gets a delay uniform in [0, span). A burst that would have hit all workers in the same
// millisecond is spread over the span; single jobs on a quiet fleet never pay. The span never exceeds a share
// of the mean service time: a job of 50 ms must not wait 250 ms for fear of its neighbours.
//
// Source: the execution delay for a percentage of jobs in "How Meta animates AI-generated images at scale"
// (2024); the dependence on pressure is this project's. Pure; at most two draws.
#ifndef RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_
#define RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_

#include "core/rng.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::dispatch {

// Share of jobs delayed at this busy share, both in [0, 1].
double DelayedShare(const SchedulingDelaySpec& spec, double busy_share);

// The default span, 250 ms, is this share of the jobs of two seconds that it was chosen with.
inline constexpr double kSpanOfService = 0.125;
// The longest that a delay may be, where a job takes `service_mean`.
Duration DelaySpan(const SchedulingDelaySpec& spec, Duration service_mean);

// The delay of one job; zero for most.
Duration SchedulingDelay(const SchedulingDelaySpec& spec, double busy_share, Duration service_mean, Rng& rng);

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_
