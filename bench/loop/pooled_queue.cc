#include "bench/loop/pooled_queue.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace ringway::bench {

double PooledQueue::MeanWaitS(int workers, double from_s) const {
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at_s;
  for (int i = 0; i < workers; ++i) free_at_s.push(0);
  double sum_s = 0;
  double count = 0;
  for (const Job& job : jobs_) {
    const double start_s = std::max(job.at_s, free_at_s.top());
    free_at_s.pop();
    free_at_s.push(start_s + job.service_s);
    if (job.at_s < from_s) continue;
    sum_s += start_s - job.at_s;
    ++count;
  }
  return count > 0 ? sum_s / count : 0;
}

}  // namespace ringway::bench
