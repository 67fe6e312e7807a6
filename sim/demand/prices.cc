#include "sim/demand/prices.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

// One number where all are the same.
void AppendPrices(const char* name, const IdVector<RegionId, double>& prices, std::string& text) {
  absl::StrAppendFormat(&text, "%s=", name);
  const bool same =
      std::all_of(prices.begin(), prices.end(), [&](double price) { return price == *prices.begin(); });
  const std::size_t told = same ? std::min<std::size_t>(1, prices.size()) : prices.size();
  for (std::size_t i = 0; i < told; ++i) {
    absl::StrAppendFormat(&text, "%s%.10g", i == 0 ? "" : ";", prices[RegionId(i)]);
  }
}

}  // namespace

Prices UniformPrices(std::size_t regions, double gpu_hour, double egress_gb, double result_bytes) {
  return {.gpu_hour = IdVector<RegionId, double>(regions, gpu_hour),
          .egress_gb = IdVector<RegionId, double>(regions, egress_gb),
          .result_bytes = result_bytes};
}

bool HasEgressPrice(const Prices& prices) {
  return std::any_of(prices.egress_gb.begin(), prices.egress_gb.end(),
                     [](double price) { return price > 0; });
}

std::string PricesText(const Prices& prices) {
  std::string text;
  AppendPrices("gpu_hour", prices.gpu_hour, text);
  AppendPrices(" egress_gb", prices.egress_gb, text);
  absl::StrAppendFormat(&text, " result_bytes=%.10g", prices.result_bytes);
  return text;
}

}  // namespace ringway::sim
