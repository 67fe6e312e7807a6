#include "sim/files/read_prices.h"

#include <set>
#include <utility>

#include "sim/demand/prices.h"

namespace ringway::sim {
namespace {

void ReadRegionPrices(Mapping& m, const RegionNames& names, Prices& prices, Problems& problems) {
  std::set<std::size_t> named;
  for (const Place& place : m.List("regions", prices.gpu_hour.size())) {
    Mapping own(place, problems);
    if (!own.Require("region", "the name of a region")) continue;
    const RegionId region = names.Read({own.Raw("region"), own.PathOf("region")}, problems);
    if (!region.valid()) continue;
    if (!named.insert(region.index()).second) own.Report("region", "each region once");
    prices.gpu_hour[region] = own.Number("gpuHour", prices.gpu_hour[region], {0, kPriceMax});
    prices.egress_gb[region] = own.Number("egressGb", prices.egress_gb[region], {0, kPriceMax});
    own.Finish();
  }
}

}  // namespace

void ReadPrices(Mapping& spec, const RegionNames& names, Scenario& scenario, Problems& problems) {
  Mapping m = spec.Child("prices");
  if (!spec.Has("prices")) return;
  const double gpu_hour = m.Number("gpuHour", 0, {0, kPriceMax});
  const double egress_gb = m.Number("egressGb", 0, {0, kPriceMax});
  const double result_bytes = m.Number("resultBytes", 0, {0, kResultBytesMax, true});
  Prices prices = UniformPrices(scenario.fleet->world.regions.size(), gpu_hour, egress_gb, result_bytes);
  ReadRegionPrices(m, names, prices, problems);
  if (!m.Has("gpuHour") && !m.Has("egressGb") && !m.Has("regions")) {
    spec.Report("prices", "gpuHour, egressGb or both", "without a price nothing can be said of money");
  } else if (HasEgressPrice(prices) && !m.Has("resultBytes")) {
    m.Report("resultBytes", "how many bytes a job's result has on average", "egressGb is the price of these");
  } else if (m.Has("resultBytes") && !HasEgressPrice(prices)) {
    m.Report("resultBytes", "only with egressGb above 0", "nothing that leaves a region has a price");
  }
  m.Finish();
  scenario.prices = std::move(prices);
}

}  // namespace ringway::sim
