// The yardstick of probing: an arriving job looks at sixteen distinct random workers, in no time, and is lost
// if all are busy. No hints, no ledger, no second look.
//
// It sees the very jobs that a simulation saw, at the same moments and with the same service times, and lives
// under the same deadline: a job that would run past it is cancelled there and does not count, in both. So
// what differs between the two is how a worker is found, and the difference is taken job by job, seed by
// seed. For many workers the share of busy ones solves x = rho (1 - x^16).
//
// Jobs that start at once never start too late, so a deadline cut-off would change nothing here. Messages
// take no time here, which favours the yardstick by two hops a look.
#ifndef RINGWAY_TESTS_SIM_BLIND_PROBING_H_
#define RINGWAY_TESTS_SIM_BLIND_PROBING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/observers/observer.h"

namespace ringway::sim {

inline constexpr int kBlindProbes = 16;

struct SeenJob {
  double at_s = 0;  // submitted
  double service_s = 0;
  bool served = false;
};

// Writes down all jobs of a simulation, in the order of their submission.
class JobRecorder : public Observer {
 public:
  void OnSubmitted(Time now, const Submission& submission) override;
  void OnEnded(Time now, const Ending& ending) override;
  const std::vector<SeenJob>& jobs() const { return jobs_; }

 private:
  std::vector<SeenJob> jobs_;
  JobSerial first_ = 0;  // serials are consecutive
};

// Of the jobs submitted from `from_s` on, the share that was served.
double ServedShare(const std::vector<SeenJob>& jobs, double from_s);

// The same jobs, found workers for by blind probing; `served` is set anew. `deadline_s` may be infinite.
std::vector<SeenJob> ProbeBlindly(std::vector<SeenJob> jobs, int workers, double deadline_s,
                                  std::uint64_t seed);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_BLIND_PROBING_H_
