// --gpu-hour, --egress-gb and --result-bytes of the simulator's commands.
//
// What is given here goes before the scenario's own prices, in every region. Without any price, here or
// there, nothing is said of money. Errors: InvalidArgument, naming the flag that is missing or too many.
//
// Threads: values.
#ifndef RINGWAY_CLI_SIM_PRICE_OPTIONS_H_
#define RINGWAY_CLI_SIM_PRICE_OPTIONS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/flags.h"
#include "sim/demand/prices.h"
#include "sim/scenario.h"

namespace ringway::cli {

struct PriceOptions {
  std::optional<double> gpu_hour;
  std::optional<double> egress_gb;
  std::optional<double> result_bytes;
  bool given() const { return gpu_hour || egress_gb || result_bytes; }
};

// `options` must outlive the command.
void AddPriceOptions(flags::Command command, PriceOptions& options);

// `own` with what was given in its place, for so many regions.
absl::StatusOr<sim::Prices> PricesOf(const PriceOptions& options, const std::optional<sim::Prices>& own,
                                     std::size_t regions);

// The scenario's prices with what was given in their place; as before when nothing was.
absl::Status SetPrices(const PriceOptions& options, sim::Scenario& scenario);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_PRICE_OPTIONS_H_
