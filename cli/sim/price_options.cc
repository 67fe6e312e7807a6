#include "cli/sim/price_options.h"

#include <utility>

namespace ringway::cli {

void AddPriceOptions(flags::Command command, PriceOptions& options) {
  command
      .Add("--gpu-hour", options.gpu_hour,
           "price of a worker and hour, in every region, instead of the scenario's")
      .In(0.0, sim::kPriceMax);
  command
      .Add("--egress-gb", options.egress_gb,
           "price of 10^9 bytes of results that leave a region; needs --result-bytes")
      .In(0.0, sim::kPriceMax);
  command.Add("--result-bytes", options.result_bytes, "that a job's result has on average")
      .In(1.0, sim::kResultBytesMax);
}

absl::StatusOr<sim::Prices> PricesOf(const PriceOptions& options, const std::optional<sim::Prices>& own,
                                     std::size_t regions) {
  sim::Prices prices = own.value_or(sim::UniformPrices(regions, 0, 0, 0));
  if (options.gpu_hour) prices.gpu_hour.assign(regions, *options.gpu_hour);
  if (options.egress_gb) prices.egress_gb.assign(regions, *options.egress_gb);
  if (options.result_bytes) prices.result_bytes = *options.result_bytes;
  const bool egress = sim::HasEgressPrice(prices);
  if (egress && prices.result_bytes == 0) {
    return absl::InvalidArgumentError(
        "--egress-gb: found no --result-bytes; give the bytes that a job's result has on average");
  }
  if (options.result_bytes && !egress) {
    return absl::InvalidArgumentError(
        "--result-bytes: found no price of what leaves a region; give --egress-gb too, or leave it out");
  }
  return prices;
}

absl::Status SetPrices(const PriceOptions& options, sim::Scenario& scenario) {
  if (!options.given()) return absl::OkStatus();
  auto prices = PricesOf(options, scenario.prices, scenario.fleet->world.regions.size());
  if (!prices.ok()) return prices.status();
  scenario.prices = *std::move(prices);
  return absl::OkStatus();
}

}  // namespace ringway::cli
