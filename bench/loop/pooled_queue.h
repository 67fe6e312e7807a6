// One queue of all workers, without any distance: what the jobs of a run would wait at the least.
//
// It hears the same submissions as the run, with the service that each will take, and serves them first come,
// first served by as many servers as there are workers. No routing waits less on average. Nobody gives up in
// it. Complexity: O(log workers) a job, after the run.
#ifndef RINGWAY_BENCH_LOOP_POOLED_QUEUE_H_
#define RINGWAY_BENCH_LOOP_POOLED_QUEUE_H_

#include <vector>

#include "sim/observers/observer.h"

namespace ringway::bench {

class PooledQueue : public sim::Observer {
 public:
  void OnSubmitted(Time now, const sim::Submission& submission) override {
    jobs_.push_back({ToDoubleSeconds(now - UnixEpoch()), submission.service_s});
  }
  // Of the jobs submitted from `from_s` on.
  double MeanWaitS(int workers, double from_s) const;

 private:
  struct Job {
    double at_s = 0;
    double service_s = 0;
  };
  std::vector<Job> jobs_;  // in the order of time
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_POOLED_QUEUE_H_
