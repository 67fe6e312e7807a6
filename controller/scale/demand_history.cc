#include "controller/scale/demand_history.h"

#include <algorithm>
#include <cmath>

namespace ringway::scale {

const DemandHistory::Bin* DemandHistory::At(std::int64_t number) const {
  if (bins_.empty() || number < 0) return nullptr;
  const Bin& bin = bins_[static_cast<std::size_t>(number % kKept)];
  return bin.number == number ? &bin : nullptr;
}

DemandHistory::Bin& DemandHistory::Open(std::int64_t number) {
  if (bins_.empty()) bins_.resize(kKept);
  Bin& bin = bins_[static_cast<std::size_t>(number % kKept)];
  if (bin.number != number) bin = {.number = number};
  return bin;
}

void DemandHistory::Add(Time at, double seconds, double count) {
  const std::int64_t number = BinOf(at);
  if (number < 0 || !(seconds > 0) || !(count >= 0) || !std::isfinite(count)) return;
  Bin& bin = Open(number);
  bin.seconds += static_cast<float>(seconds);
  bin.count += static_cast<float>(count);
}

std::optional<double> DemandHistory::Rate(std::int64_t first, std::int64_t last) const {
  double seconds = 0, count = 0;
  std::int64_t known = 0;
  for (std::int64_t number = first; number <= last; ++number) {
    const Bin* bin = At(number);
    if (bin == nullptr || !bin->known()) continue;
    ++known;
    seconds += static_cast<double>(bin->seconds);
    count += static_cast<double>(bin->count);
  }
  if (known == 0 || 2 * known < last - first + 1) return std::nullopt;
  return count / seconds;
}

DemandHistory::Saved DemandHistory::Save(std::int64_t now) const {
  Saved saved{.newest = now - 1, .rates = {}};
  if (bins_.empty()) return saved;
  for (std::int64_t number = std::max<std::int64_t>(0, now - kKept + 1); number < now; ++number) {
    const std::optional<double> rate = Rate(number, number);
    if (saved.rates.empty() && !rate) continue;  // nothing is known so far back
    saved.rates.push_back(rate ? static_cast<float>(*rate) : -1.0F);
  }
  return saved;
}

void DemandHistory::Restore(const Saved& saved) {
  bins_.clear();
  const auto kept = static_cast<std::int64_t>(saved.rates.size());
  if (kept > kKept || saved.newest < kept - 1) return;
  for (std::int64_t i = 0; i < kept; ++i) {
    const float rate = saved.rates[static_cast<std::size_t>(i)];
    if (!(rate >= 0) || !std::isfinite(rate)) continue;
    Bin& bin = Open(saved.newest - kept + 1 + i);
    bin.seconds = static_cast<float>(kBinS);
    bin.count = rate * static_cast<float>(kBinS);
  }
}

}  // namespace ringway::scale
