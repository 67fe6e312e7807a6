// How long a job of a tier will keep its worker: the operator's prior, corrected by what was measured.
//
// A job that tells its cost (steps x pixels x frames) is estimated from the measured time per unit of work;
// one that does not, from the mean. Both are exponential averages over about 50 jobs, and both stay within
// [1/5, 5] times the prior, so that a handful of strange jobs cannot make the router refuse everything. Until
// something was measured the prior stands.
//
// How much jobs scatter about their estimate is measured too (EWMA of the squared relative error); Within()
// is the time that three jobs in four do not exceed, if service times are log-normal. With constant service
// times it is the estimate itself. Guarding with the mean instead wastes two to three times as much GPU time
// at 10 % overload, and guarding later than this refuses jobs that would have finished; docs/dispatch.md.
//
// Used to refuse at once what cannot finish before its deadline; a job started too late is the work that
// keeps an overloaded fleet overloaded. Complexity O(1). One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_SERVICE_ESTIMATE_H_
#define RINGWAY_ROUTER_DISPATCH_SERVICE_ESTIMATE_H_

#include "core/job.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway::dispatch {

class ServiceEstimate {
 public:
  explicit ServiceEstimate(Duration prior);
  // A new prior keeps what was measured, within the new bounds.
  void Reconfigure(Duration prior);

  void Learn(const CostHint& cost, Duration service);

  Duration mean() const { return mean_; }
  Duration Expect(const CostHint& cost) const { return Tells(cost) ? Seconds(ExpectS(cost)) : mean_; }
  // Never below Expect.
  Duration Within(const CostHint& cost) const {
    return Tells(cost) ? Seconds(ExpectS(cost) * reach_) : mean_within_;
  }

  RINGWAY_STATE(prior_, mean_s_, work_mean_, work_s_, scatter_, reach_, mean_, mean_within_)

 private:
  static constexpr double kWeight = 0.02;
  static constexpr double kSpread = 5;
  static constexpr double kThreeInFour = 0.6745;  // quantile of the standard normal distribution
  bool Tells(const CostHint& cost) const { return cost.steps != 0 && work_mean_ > 0; }
  double Bounded(double seconds) const;
  double ExpectS(const CostHint& cost) const;
  // Keeps what is asked for far more often than it changes.
  void Settle();

  Duration prior_;
  double mean_s_;
  double work_mean_ = 0;  // of the jobs that told their cost; 0: none yet
  double work_s_ = 0;     // their mean service time
  double scatter_ = 0;    // mean square of service / Expect - 1
  // Of the above.
  double reach_ = 1;  // Within / Expect
  Duration mean_;
  Duration mean_within_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SERVICE_ESTIMATE_H_
