#include "controller/planner/reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/check.h"

namespace ringway::planner {

Reach::Reach(std::shared_ptr<const World> world, const Tier& tier) : world_(std::move(world)) {
  const std::size_t n = world_->regions.size();
  RINGWAY_CHECK(n <= kRegionsMax);
  RINGWAY_CHECK(world_->rtt.regions() == n);
  for (const RingSpec& ring : tier.route.rings) {
    rtt_ms_max_.push_back(ring.rtt_ms_max);
    unlock_load_.push_back(ring.unlock_load);
  }
  if (rtt_ms_max_.empty()) {
    rtt_ms_max_.push_back(std::numeric_limits<double>::max());
    unlock_load_.push_back(0);
  }
  forbidden_ = tier.residency_forbidden;
  forbidden_.resize(n);
  for (std::vector<RegionId>& list : forbidden_) std::sort(list.begin(), list.end());
  for (std::size_t r = 0; r < n; ++r) {
    has_workers_.push_back(r < tier.regions.size() && tier.regions[RegionId(r)].workers > 0);
  }

  spans_.resize(n);
  std::vector<std::pair<float, std::uint16_t>> row;
  for (std::size_t s = 0; s < n; ++s) {
    const RegionId source(s);
    row.clear();
    for (std::size_t t = 0; t < n; ++t) {
      if (!RingOf(source, RegionId(t))) continue;
      row.emplace_back(static_cast<float>(rtt_ms(source, RegionId(t))), static_cast<std::uint16_t>(t));
    }
    std::sort(row.begin(), row.end());
    spans_[source] = {targets_.size(), targets_.size() + row.size()};
    for (const auto& [rtt, target] : row) targets_.push_back(target);
    for (const double ring_max : rtt_ms_max_) {
      const auto end = std::partition_point(row.begin(), row.end(),
                                            [ring_max](const auto& cell) { return cell.first <= ring_max; });
      ring_ends_.push_back(static_cast<std::uint16_t>(end - row.begin()));
    }
  }
}

std::span<const std::uint16_t> Reach::Targets(RegionId source) const {
  const Span span = spans_[source];
  return {targets_.data() + span.begin, span.end - span.begin};
}

std::size_t Reach::CountWithin(RegionId source, std::size_t open_rings) const {
  return open_rings == 0 ? 0 : ring_ends_[source.index() * rings() + std::min(open_rings, rings()) - 1];
}

std::size_t Reach::RingsUnlocked(double load) const {
  std::size_t open = 0;
  while (open < unlock_load_.size() && load >= unlock_load_[open]) ++open;
  return open;
}

std::optional<std::size_t> Reach::RingOf(RegionId source, RegionId target) const {
  if (source == target || !has_workers_[target.index()]) return std::nullopt;
  const double rtt = rtt_ms(source, target);
  if (!std::isfinite(rtt) || rtt < 0) return std::nullopt;
  const std::vector<RegionId>& forbidden = forbidden_[source];
  if (std::binary_search(forbidden.begin(), forbidden.end(), target)) return std::nullopt;
  for (std::size_t ring = 0; ring < rtt_ms_max_.size(); ++ring) {
    if (rtt <= rtt_ms_max_[ring]) return ring;
  }
  return std::nullopt;
}

}  // namespace ringway::planner
