// What a fleet costs: the prices that a scenario or a command line names.
//
// A worker is paid for by the hour, busy or not. The result of a job that was served in another region than
// the one it entered in leaves the region that served it, and is paid for by its bytes there. Prices are
// numbers without a currency: costs are in whatever the prices are in. What users upload, and what goes from
// a router to its user, is not paid for here.
//
// Invariants (kept by the readers): finite, >= 0; one entry for each region of the fleet; result_bytes > 0
// where anything has a price of egress. Threads: values.
#ifndef RINGWAY_SIM_DEMAND_PRICES_H_
#define RINGWAY_SIM_DEMAND_PRICES_H_

#include <string>

#include "core/ids.h"

namespace ringway::sim {

inline constexpr double kPriceMax = 1e6;
inline constexpr double kResultBytesMax = 1e12;
inline constexpr double kBytesOfGb = 1e9;

struct Prices {
  IdVector<RegionId, double> gpu_hour;   // of one worker
  IdVector<RegionId, double> egress_gb;  // of kBytesOfGb that leave the region
  double result_bytes = 0;               // of a served job, on average
};

// The same everywhere.
Prices UniformPrices(std::size_t regions, double gpu_hour, double egress_gb, double result_bytes);

// Whether anything that leaves a region costs something.
bool HasEgressPrice(const Prices& prices);

// One line without commas, the same for the same prices.
std::string PricesText(const Prices& prices);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_PRICES_H_
