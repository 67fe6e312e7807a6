// How many offers beyond each job's first one a router may make: the amplification bound of a tier.
//
// Two token buckets. Every arriving job deposits `share` tokens into the one, time deposits
// `floor_per_second` into the other, and every offer after a job's first takes one, from the first bucket
// while it has any. Tokens are reserved when a job goes to sleep, not when it wakes: otherwise a thousand
// sleepers each see a healthy budget and all retry at once. What a job did not use comes back when it ends.
//
// What jobs deposited fades with a time constant of two seconds: what a calm minute did not use must not pay
// for a storm (with ten seconds the first five of a storm saw three times the share). The floor does not
// fade; it is full at one search of sixteen looks, or at two seconds' deposits where that is more. Where
// routers are many, each sees a job in several seconds, often has no worker beside it that would ask for the
// job, and must have saved for that search.
//
// Invariant, for any sequence: tokens spent or reserved <= initial + share x arrivals + floor x time. Hence
// offers <= (1 + share) x arrivals + floor x time + initial.
//
// Sources: Finagle's RetryBudget; jobs in backoff are counted because of envoyproxy/envoy#30205.
// Complexity: O(1). One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_
#define RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_

#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::dispatch {

class RetryBudget {
 public:
  static constexpr double kFadeS = 2;
  static constexpr double kSearch = 16;

  explicit RetryBudget(const RetryBudgetSpec& spec) : spec_(spec), floor_(spec.floor_per_second) {}
  // New settings; the balance stays.
  void Reconfigure(const RetryBudgetSpec& spec) { spec_ = spec; }

  void OnArrival(Time now);
  // Reserves up to `wanted` whole tokens; returns how many.
  int Reserve(int wanted, Time now);
  // Gives back reserved tokens that were not used.
  void Return(int unused);

  double balance() const { return earned_ + floor_; }

  RINGWAY_STATE(spec_, earned_, floor_, at_)

 private:
  void Advance(Time now);
  double FloorMax() const;

  RetryBudgetSpec spec_;
  double earned_ = 0;  // by jobs that arrived
  double floor_;       // what time deposited
  Time at_ = InfinitePast();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_
