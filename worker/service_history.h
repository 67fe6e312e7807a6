// How long the job in the slot will still take: the source of retry-after hints and of expected-free times.
//
// Two clues. The history is a mean of past service times, weighted towards the recent ones (EWMA), starting
// at a configured prior. The job's own progress is better as soon as there is some: after k of n steps in
// time t, (n - k) more take t / k each. When a job has outlived the mean without telling its progress, the
// estimate stays at a share of the mean instead of falling to zero, so that nobody is told to come back at
// once, again and again.
//
// Invariants: Remaining() is finite and at least kFloorShare of the mean. Pure, O(1), one owner thread.
#ifndef RINGWAY_WORKER_SERVICE_HISTORY_H_
#define RINGWAY_WORKER_SERVICE_HISTORY_H_

#include <cstdint>

#include "core/state.h"
#include "core/time.h"

namespace ringway {

class ServiceHistory {
 public:
  static constexpr double kNewestWeight = 0.2;
  static constexpr double kFloorShare = 0.05;

  // `prior` must be positive and finite.
  explicit ServiceHistory(Duration prior) : mean_ns_(ToInt64Nanoseconds(prior)) {}

  // Only jobs that ran to their end teach anything; the caller leaves out cancelled and failed ones.
  void Add(Duration service);
  Duration mean() const { return Nanoseconds(mean_ns_); }
  // Of a job that has run for `elapsed` and finished `step` of `steps` (0 steps: it does not tell).
  Duration Remaining(Duration elapsed, std::uint32_t step, std::uint32_t steps) const;

  RINGWAY_STATE(mean_ns_)

 private:
  std::int64_t mean_ns_;
};

}  // namespace ringway

#endif  // RINGWAY_WORKER_SERVICE_HISTORY_H_
