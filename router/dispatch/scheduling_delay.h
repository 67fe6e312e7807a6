// How long a job waits before it is looked at, so that a burst becomes executable gradually.
//
// Below `busy_min` nobody waits. Above it a share of the jobs, rising linearly to `share_max` when every
// worker is busy, gets a delay uniform in [0, span). A burst that would have hit all workers in the same
// millisecond is spread over the span; single jobs on a quiet fleet never pay.
//
// Source: the execution delay for a percentage of jobs in "How Meta animates AI-generated images at scale"
// (2024); the dependence on pressure is this project's. Pure; at most two draws.
#ifndef RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_
#define RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_

#include "absl/time/time.h"
#include "core/rng.h"
#include "core/tier.h"

namespace ringway::dispatch {

// Share of jobs delayed at this busy share, both in [0, 1].
double DelayedShare(const SchedulingDelaySpec& spec, double busy_share);

// The delay of one job; zero for most.
absl::Duration SchedulingDelay(const SchedulingDelaySpec& spec, double busy_share, Rng& rng);

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SCHEDULING_DELAY_H_
