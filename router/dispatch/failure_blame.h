// Whose fault failures are: the worker's that failed, or the jobs' that all workers are being sent.
//
// A worker that answers everything with an instant error looks like the fastest of all, so it is left alone
// after some failures in a row. But one client with bad input makes every worker fail, and the fleet must not
// rest because of it. Each worker has the share of its answers that were failures (a moving average); a row
// of failures convicts a worker when it would be a surprise (one in a thousand) for a worker that fails as
// often as the others do. Workers, not answers, are averaged: a broken worker gives far more answers than a
// good one.
//
// And at most half of a tier's workers rest on suspicion at a time, one always stays: when more than half
// look broken, what they have in common is likelier to be (the panic threshold of Envoy's load balancer).
// This does not bound workers that cannot be reached at all; nobody is served by asking them.
//
// The share of a worker is kept by the caller, 0 at first. Complexity O(1). Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_FAILURE_BLAME_H_
#define RINGWAY_ROUTER_DISPATCH_FAILURE_BLAME_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/state.h"

namespace ringway::dispatch {

class FailureBaseline {
 public:
  // An answer of a worker whose share is `own`.
  void Count(bool failed, float& own) { Change(own, own + kWeight * ((failed ? 1.0F : 0.0F) - own)); }
  // The worker has left.
  void Forget(float& own) { Change(own, 0); }
  // Mean share of the others, of so many workers.
  double Others(float own, std::size_t workers) const {
    if (workers < 2) return 0;
    return std::clamp((sum_ - own) / static_cast<double>(workers - 1), 0.0, 1.0);
  }

  RINGWAY_STATE(sum_)

 private:
  // Of one answer: what a worker did some ten answers ago is nearly forgotten.
  static constexpr float kWeight = 0.25F;
  void Change(float& own, float to) {
    sum_ += static_cast<double>(to) - static_cast<double>(own);
    own = to;
  }
  double sum_ = 0;
};

// Failures in a row that convict a worker, where each answer of another is a failure with this probability.
inline int FailuresThatConvict(double others_share, int at_least) {
  constexpr double kSurprise = 1e-3;
  constexpr double kShareMax = 0.99;  // 687 failures in a row: nobody is convicted while all fail
  if (others_share <= 0.1) return at_least;
  const double row = std::log(kSurprise) / std::log(std::min(others_share, kShareMax));
  return std::max(at_least, static_cast<int>(std::ceil(row)));
}

// Of so many workers, how many may rest on suspicion at a time.
inline std::size_t RestingMax(std::size_t workers) {
  return workers < 2 ? 0 : std::max<std::size_t>(1, workers / 2);
}

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_FAILURE_BLAME_H_
