#include "sim/network.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace ringway::sim {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::uint64_t kNetworkStream = 0x6e657477;
constexpr std::uint64_t kCallStream = 0x63616c6c;

RegionSet AllIfEmpty(const RegionSet& set, std::size_t regions) {
  if (!set.empty()) return set;
  RegionSet all;
  for (std::size_t r = 0; r < regions; ++r) all.push_back(RegionId(r));
  return all;
}

}  // namespace

Network::Network(const World& world, const NetworkSpec& spec, std::uint64_t seed)
    : regions_(world.regions.size()),
      spec_(spec),
      local_ns_(spec.local_ms * kNsPerMs),
      rng_(seed, kNetworkStream),
      calls_(seed, kCallStream),
      one_way_ns_(regions_ * regions_),
      cut_(regions_ * regions_) {
  constexpr int kQuantiles = 1 << kStretchBits;
  for (int i = 0; i < kQuantiles; ++i) {
    stretch_.push_back(1 - spec.jitter_share * std::log1p(-(i + 0.5) / kQuantiles));
  }
  for (std::size_t from = 0; from < regions_; ++from) {
    for (std::size_t to = 0; to < regions_; ++to) {
      one_way_ns_[from * regions_ + to] = world.rtt.ms(RegionId(from), RegionId(to)) / 2 * kNsPerMs;
    }
  }
}

std::int64_t Network::RoundTripNs(RegionId from, RegionId to) const {
  return static_cast<std::int64_t>(one_way_ns_[Cell(from, to)] + one_way_ns_[Cell(to, from)]);
}

template <class F>
void Network::ForPairs(const RegionSet& from, const RegionSet& to, F f) {
  std::vector<std::size_t> cells;
  for (const RegionId a : AllIfEmpty(from, regions_)) {
    for (const RegionId b : AllIfEmpty(to, regions_)) {
      if (a == b) continue;  // a region is never cut off from itself
      cells.push_back(Cell(a, b));
      cells.push_back(Cell(b, a));
    }
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  for (const std::size_t cell : cells) f(cell);
}

void Network::Cut(const RegionSet& from, const RegionSet& to) {
  ForPairs(from, to, [this](std::size_t cell) { ++cut_[cell]; });
}

void Network::Heal(const RegionSet& from, const RegionSet& to) {
  ForPairs(from, to, [this](std::size_t cell) {
    RINGWAY_CHECK(cut_[cell] > 0);
    --cut_[cell];
  });
}

void Network::AddDelayMs(const RegionSet& from, const RegionSet& to, double rtt_ms) {
  ForPairs(from, to, [this, rtt_ms](std::size_t cell) { one_way_ns_[cell] += rtt_ms / 2 * kNsPerMs; });
}

}  // namespace ringway::sim
