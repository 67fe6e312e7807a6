// What the benchmark claims: a figure, its bound, and whether it holds.
//
// A claim has a name without spaces, so that a line of `--brief` can be cut into words. Every bound is an
// upper one: times, costs over the optimum, points above the least possible. A Sample collects one figure
// over the seeds; its median speaks for the usual case, its worst for what nobody should have to expect.
#ifndef RINGWAY_BENCH_PLANNER_CLAIMS_H_
#define RINGWAY_BENCH_PLANNER_CLAIMS_H_

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace ringway::planner {

struct Claim {
  std::string name;
  double measured = 0;
  double at_most = 0;
  bool holds() const { return measured <= at_most; }
};

class Claims {
 public:
  void Add(std::string name, double measured, double at_most) {
    list_.push_back({std::move(name), measured, at_most});
  }
  // One line each: ok|short NAME measured bound
  void Print() const {
    for (const Claim& claim : list_) {
      std::printf("%s %s %.4g %.4g\n", claim.holds() ? "ok" : "short", claim.name.c_str(), claim.measured,
                  claim.at_most);
    }
  }
  bool AllHold() const {
    return std::all_of(list_.begin(), list_.end(), [](const Claim& claim) { return claim.holds(); });
  }

 private:
  std::vector<Claim> list_;
};

// Figures of one kind over the seeds.
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

#endif  // RINGWAY_BENCH_PLANNER_CLAIMS_H_
