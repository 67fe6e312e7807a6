// How long a job keeps a worker busy: the laws that service times are drawn from.
//
// A law is drawn with its own random stream, so that the same job takes the same time under two policies
// (common random numbers). Empirical laws resample measured values, for example from `ringway engine bench`
// or a live worker.
//
// Units: seconds, all > 0. Threads: immutable after construction.
#ifndef RINGWAY_SIM_DEMAND_SERVICE_LAW_H_
#define RINGWAY_SIM_DEMAND_SERVICE_LAW_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "core/rng.h"

namespace ringway::sim {

struct FixedService {
  double seconds = 1;
};
struct ExponentialService {
  double mean_s = 1;
};
struct LogNormalService {
  double mean_s = 1;
  double cv = 0.5;  // standard deviation over mean
};
struct EmpiricalService {
  std::vector<double> samples_s;  // not empty
};
using ServiceLaw = std::variant<FixedService, ExponentialService, LogNormalService, EmpiricalService>;

double DrawServiceS(const ServiceLaw& law, Rng& rng);

// The stream of a scenario's seed that its jobs' service times are drawn from, one for each job in the order
// in which they are submitted; so other programs can give the same jobs the same times.
inline constexpr std::uint64_t kServiceStream = 0x73657276;
double MeanServiceS(const ServiceLaw& law);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_SERVICE_LAW_H_
