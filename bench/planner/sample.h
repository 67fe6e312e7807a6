// Figures of one kind over the seeds: the median speaks for the usual case, the worst for what nobody should
// have to expect.
#ifndef RINGWAY_BENCH_PLANNER_SAMPLE_H_
#define RINGWAY_BENCH_PLANNER_SAMPLE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ringway::planner {

class Sample {
 public:
  void Add(double value) { values_.push_back(value); }
  double Median() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return n == 0 ? 0 : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }
  double Worst() const { return values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end()); }

 private:
  std::vector<double> values_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_SAMPLE_H_
