// What the best conceivable dispatcher would have done with the very same jobs: the yardstick of a run.
//
// One queue for the whole tier, first come first served, all regions together, no distance, every worker
// alive: no dispatcher without knowledge of the future beats its mean wait. Jobs that could not end before
// their deadline are refused, as ours are. Beside it Erlang-B (nobody waits) and Erlang-C (all wait) for the
// same load. A observer: it follows the run and changes nothing. O(log workers) a job.
#ifndef RINGWAY_SIM_REPORT_REFERENCE_H_
#define RINGWAY_SIM_REPORT_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/histogram.h"
#include "sim/demand/theory.h"
#include "sim/observers/observer.h"
#include "sim/scenario.h"
#include "sim/slice.h"

namespace ringway::sim {

struct TierReference {
  std::size_t workers = 0;
  double offered_erlangs = 0;  // as submitted after the warm-up
  double erlang_b_served = 0;  // share, if nobody waited
  double erlang_c_wait_s = 0;  // mean, exponential service; infinite at or above full load
  double central_served = 0;   // share
  double central_wait_mean_s = 0;
  double central_wait_p99_s = 0;
};

class Reference : public Observer {
 public:
  explicit Reference(const Scenario& scenario, const Slice& slice = {});

  void OnSubmitted(Time now, const Submission& submission) override;

  // That of another slice of the same run.
  void Add(const Reference& other);
  // After the run has gone on for `now_s`.
  IdVector<TierId, TierReference> Figures(double now_s) const;

 private:
  struct TierQueue {
    std::size_t workers = 0;
    CentralQueue queue;
    std::uint64_t submitted = 0;
    double service_s = 0;  // summed
    Histogram wait;        // of the served
  };
  double warm_s_;
  double from_s_;  // jobs of the window count
  double to_s_;
  std::vector<TierQueue> tiers_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_REFERENCE_H_
