// How long a message takes from one region to another in virtual time, and whether it arrives.
//
// Jitter is drawn from a table of the exponential's quantiles, because every message has some. One way is
// half the round trip of the topology, times jitter (1 + share x Exp(1)), plus the extra delay of a scenario.
// Within a region it is half the region's own round trip. A partition loses everything between the two sides;
// random loss strikes only between regions. Messages of one pair may overtake each other; whoever needs an
// order must carry a sequence, as on real streams the agents do.
//
// Complexity: O(1) a message. Own random stream.
#ifndef RINGWAY_SIM_NETWORK_H_
#define RINGWAY_SIM_NETWORK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rng.h"
#include "core/world.h"
#include "sim/scenario.h"

namespace ringway::sim {

class Network {
 public:
  Network(const World& world, const NetworkSpec& spec, std::uint64_t seed);

  // Nanoseconds that a message takes, or nothing if it is lost.
  std::optional<std::int64_t> DelayNs(RegionId from, RegionId to) {
    if (from == to) return HereNs(from);
    if (!Connected(from, to)) return std::nullopt;
    if (spec_.loss_share > 0 && rng_.Chance(spec_.loss_share)) return std::nullopt;
    return Jittered(one_way_ns_[Cell(from, to)]);
  }
  // Of unary calls alone, which no stream keeps in order: how much later than others this message comes, and
  // whether it comes once more. Nothing is drawn where the scenario does not ask for it.
  std::int64_t LateNs() {
    if (spec_.late_share <= 0 || !calls_.Chance(spec_.late_share)) return 0;
    return static_cast<std::int64_t>(kLateMaxNs * calls_.Uniform());
  }
  bool Repeats() { return spec_.repeat_share > 0 && calls_.Chance(spec_.repeat_share); }
  // Within a region nothing is lost.
  std::int64_t HereNs(RegionId region) { return Jittered(one_way_ns_[Cell(region, region)]); }
  std::int64_t LocalNs() { return Jittered(local_ns_); }
  // Both ways, without jitter: for time-outs of what was lost.
  std::int64_t RoundTripNs(RegionId from, RegionId to) const;
  bool Connected(RegionId from, RegionId to) const { return cut_[Cell(from, to)] == 0; }

  // Partitions nest: each Cut needs its Heal.
  void Cut(const RegionSet& from, const RegionSet& to);
  void Heal(const RegionSet& from, const RegionSet& to);
  void AddDelayMs(const RegionSet& from, const RegionSet& to, double rtt_ms);

 private:
  static constexpr int kStretchBits = 10;
  static constexpr double kLateMaxNs = 1.5e9;  // a leader waits two seconds for the answer to a fence
  std::size_t Cell(RegionId from, RegionId to) const { return from.index() * regions_ + to.index(); }
  // Calls f(cell) for both directions of every pair, each cell once.
  template <class F>
  void ForPairs(const RegionSet& from, const RegionSet& to, F f);
  std::int64_t Jittered(double ns) {
    if (spec_.jitter_share <= 0) return static_cast<std::int64_t>(ns);
    return static_cast<std::int64_t>(ns * stretch_[rng_.Next() >> (64 - kStretchBits)]);
  }

  std::size_t regions_;
  NetworkSpec spec_;
  double local_ns_;
  Rng rng_;
  Rng calls_;
  std::vector<double> stretch_;  // 1 + jitter x quantile
  std::vector<double> one_way_ns_;
  std::vector<std::uint16_t> cut_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_NETWORK_H_
