// When the jobs of `ringway load` are due: a rate with a law, or the times of a recorded trace.
//
// The loop is open: a job is due at its time whatever became of the ones before, as with users who do not
// know each other. Poisson arrivals are what many such users make; a gamma law with a coefficient of
// variation above 1 comes in bursts, below 1 it is more even than chance (drawn by the method of Marsaglia
// and Tsang, 2000). A trace keeps its own times, or is thinned and repeated to a given rate as the simulator
// does it (sim/demand/arrivals.h).
//
// Deterministic by seed. Times are seconds from the start. A stream ends at its length, or when a trace has
// no more; at most kRateMax a second. Threads: one owner. Cost: a few draws a job.
#ifndef RINGWAY_CLI_LOAD_ARRIVALS_H_
#define RINGWAY_CLI_LOAD_ARRIVALS_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/rng.h"
#include "sim/demand/arrivals.h"

namespace ringway::load {

inline constexpr double kRateMax = 10'000;  // jobs a second, of one process that sends

enum class Law { kPoisson, kGamma };

struct ArrivalPlan {
  double rate_rps = 1;  // of a trace: 0 keeps its own rate
  Law law = Law::kPoisson;
  double cv = 2;  // of the gamma law's gaps
  double length_s = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 1;
  std::shared_ptr<const std::vector<double>> trace_s = nullptr;  // ascending from 0, at least two
};

class Arrivals {
 public:
  explicit Arrivals(const ArrivalPlan& plan);
  // The time of the next job; nothing once there is none.
  std::optional<double> Next();

 private:
  const ArrivalPlan plan_;
  std::optional<sim::ArrivalStream> stream_;  // Poisson and traces
  Rng rng_;
  double now_s_ = 0;
};

// Mean `mean`, coefficient of variation `cv` > 0.
double DrawGamma(Rng& rng, double mean, double cv);

}  // namespace ringway::load

#endif  // RINGWAY_CLI_LOAD_ARRIVALS_H_
