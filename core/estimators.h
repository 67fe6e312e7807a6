// Small filters that turn noisy, irregular reports into numbers that decisions can stand on.
//
// Ewma forgets: each sample has a fixed weight. FirstOrderLag follows its input the way the busy share of a
// fleet follows the request rate: a job that runs for S seconds loads its GPU for S seconds, so a step of the
// rate shows in the load with time constant S. Passing the rate through the same lag as the load, with the
// same timestamps, is what makes the two comparable; dividing one by the other unaligned makes a planner
// oscillate.
//
// Time is an argument. State: two numbers each. Threads: one owner.
#ifndef RINGWAY_CORE_ESTIMATORS_H_
#define RINGWAY_CORE_ESTIMATORS_H_

#include <cmath>

#include "core/time.h"

namespace ringway {

// Exponentially weighted mean; the first sample is taken whole.
class Ewma {
 public:
  explicit Ewma(double weight) : weight_(weight) {}
  void Add(double sample) {
    value_ = primed_ ? value_ + weight_ * (sample - value_) : sample;
    primed_ = true;
  }
  // Forgets the past: the value is `sample`.
  void Reset(double sample) {
    value_ = sample;
    primed_ = true;
  }
  bool primed() const { return primed_; }
  double value() const { return value_; }

 private:
  double weight_;
  double value_ = 0;
  bool primed_ = false;
};

// y' = (x - y) / time_constant, with x constant between two calls; the first input is taken as a steady
// state.
class FirstOrderLag {
 public:
  explicit FirstOrderLag(Duration time_constant) : time_constant_s_(ToDoubleSeconds(time_constant)) {}
  // `input` is the mean over the time since the last call. Calls that do not advance time change nothing.
  double Advance(Time at, double input) {
    if (!primed_) {
      value_ = input;
      primed_ = true;
      at_ = at;
    } else if (at > at_) {
      const double elapsed_s = ToDoubleSeconds(at - at_);
      value_ += (input - value_) * (time_constant_s_ > 0 ? -std::expm1(-elapsed_s / time_constant_s_) : 1.0);
      at_ = at;
    }
    return value_;
  }
  double value() const { return value_; }
  // Of the last call; InfinitePast: none yet. Advance(at(), value()) puts a fresh lag where this one is.
  Time at() const { return at_; }

 private:
  double time_constant_s_;
  double value_ = 0;
  bool primed_ = false;
  Time at_ = InfinitePast();
};

}  // namespace ringway

#endif  // RINGWAY_CORE_ESTIMATORS_H_
