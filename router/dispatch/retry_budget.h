// How many offers beyond each job's first one a router may make: the amplification bound of a tier.
//
// A token bucket. Every arriving job deposits `share` tokens, time deposits `floor_per_second`, and every
// offer after a job's first takes one. Tokens are reserved when a job goes to sleep, not when it wakes:
// otherwise a thousand sleepers each see a healthy budget and all retry at once. What a job did not use comes
// back when it ends. Deposits fade with a time constant of two seconds: what a calm minute did not use must
// not pay for a storm (with ten seconds the first five of a storm saw three times the share).
//
// Invariant, for any sequence: tokens spent or reserved <= initial + share x arrivals + floor x time. Hence
// offers <= (1 + share) x arrivals + floor x time + initial.
//
// Sources: Finagle's RetryBudget; jobs in backoff are counted because of envoyproxy/envoy#30205.
// Complexity: O(1). One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_
#define RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_

#include "absl/time/time.h"
#include "core/tier.h"

namespace ringway::dispatch {

class RetryBudget {
 public:
  static constexpr double kFadeS = 2;

  explicit RetryBudget(const RetryBudgetSpec& spec) : spec_(spec), tokens_(spec.floor_per_second) {}
  // New settings; the balance stays.
  void Reconfigure(const RetryBudgetSpec& spec) { spec_ = spec; }

  void OnArrival(absl::Time now);
  // Reserves up to `wanted` whole tokens; returns how many.
  int Reserve(int wanted, absl::Time now);
  // Gives back reserved tokens that were not used.
  void Return(int unused) { tokens_ += unused; }

  double balance() const { return tokens_; }

 private:
  void Advance(absl::Time now);

  RetryBudgetSpec spec_;
  double tokens_;
  absl::Time at_ = absl::InfinitePast();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_RETRY_BUDGET_H_
