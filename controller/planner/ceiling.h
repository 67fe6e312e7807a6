// How full a region may be planned, by its size: what n workers of capacity one carry at a given mean wait.
//
// Three workers at 80 % make every other user wait, four hundred at 95 % nobody: one threshold for both is
// wrong for one. Erlang's C formula with the correction of Allen and Cunneen for service times that vary less
// than exponential ones: the mean wait, in service times, is (1 + cv^2) / 2 x C(n, n rho) / (n (1 - rho)).
// The ceiling is the largest rho at which that is at most `wait_max`: .32 for one worker, .68 for 3, .88 for
// 10, .97 for 50.
//
// An operator's overload threshold still caps it. Exact up to 2^-20; O(n) a bisection, so whoever asks for
// many regions asks once a size (Ceilings). Sizes above kWorkersMax count as that: the ceiling is .99 there.
// Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_CEILING_H_
#define RINGWAY_CONTROLLER_PLANNER_CEILING_H_

#include <vector>

namespace ringway::planner {

// Share of `workers` that may be busy, in (0, 1]; 1 where wait_max is 0, which means no limit.
double CeilingOf(int workers, double wait_max);

// The same, remembered by size. One owner.
class Ceilings {
 public:
  static constexpr int kWorkersMax = 512;
  explicit Ceilings(double wait_max) : wait_max_(wait_max), known_(kWorkersMax + 1, 0.0) {}
  double Of(double workers);
  // Or `cap` where that is lower, as it mostly is for many workers: then one look at the formula is enough.
  double Of(double workers, double cap);

 private:
  double wait_max_;
  std::vector<double> known_;  // by workers; 0: not asked yet
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_CEILING_H_
