#include "router/dispatch/alias.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::dispatch {
namespace {

constexpr double kWholeColumn = 4294967296.0;  // 2^32

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) {
  double sum = 0;
  for (const double w : weights) {
    RINGWAY_CHECK(w >= 0);
    sum += w;
  }
  if (!(sum > 0)) return;

  const std::size_t n = weights.size();
  columns_.resize(n);
  std::vector<double> scaled(n);
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  std::uint32_t heaviest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    scaled[i] = weights[i] / sum * static_cast<double>(n);
    (scaled[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
    if (weights[i] > weights[heaviest]) heaviest = static_cast<std::uint32_t>(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t s = small.back();
    const std::uint32_t l = large.back();
    small.pop_back();
    columns_[s] = {static_cast<std::uint32_t>(std::max(scaled[s], 0.0) * kWholeColumn), l};
    scaled[l] -= 1 - scaled[s];
    if (scaled[l] < 1) {
      large.pop_back();
      small.push_back(l);
    }
  }
  // What is left is a whole column, but for rounding. A zero weight left over by rounding must stay unpicked.
  for (const std::uint32_t l : large) columns_[l] = {~std::uint32_t{0}, l};
  for (const std::uint32_t s : small) {
    columns_[s] = weights[s] > 0 ? Column{~std::uint32_t{0}, s} : Column{0, heaviest};
  }
}

}  // namespace ringway::dispatch
