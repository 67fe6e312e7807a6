// The map: regions and the round-trip times between them.
//
// A World is loaded once from a topology file (topology/) or received from the controller, and never changes
// while it is in use; an edited world is another World. Round-trip times are in milliseconds, symmetric or
// not as the file says; the diagonal is the RTT inside a region. A pair that the file leaves out is estimated
// from the great-circle distance and marked, so that every screen can say so; so is one that was measured to
// be otherwise (controller/fleet/measured_rtt.h).
//
// Invariants: rtt is regions x regions, finite and >= 0. Threads: immutable, share freely.
#ifndef RINGWAY_CORE_WORLD_H_
#define RINGWAY_CORE_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace ringway {

struct Region {
  std::string name;   // unique, for example "us-east-1"
  std::string title;  // for people, for example "N. Virginia"
  double latitude_deg = 0;
  double longitude_deg = 0;
  int utc_offset_minutes = 0;
  double population_share =
      0;  // share of the world's users, used by synthetic workloads; the shares sum to 1
};

enum class RttSource : std::uint8_t { kGiven, kEstimated, kMeasured };

class RttMatrix {
 public:
  RttMatrix() = default;
  explicit RttMatrix(std::size_t regions) : regions_(regions), cells_(regions * regions) {}
  std::size_t regions() const { return regions_; }
  double ms(RegionId from, RegionId to) const { return at(from, to).ms; }
  RttSource source(RegionId from, RegionId to) const { return at(from, to).source; }
  bool estimated(RegionId from, RegionId to) const { return source(from, to) == RttSource::kEstimated; }
  void Set(RegionId from, RegionId to, double rtt_ms, RttSource source = RttSource::kGiven) {
    cells_[from.index() * regions_ + to.index()] = {static_cast<float>(rtt_ms), source};
  }

 private:
  struct Cell {
    float ms = 0;
    RttSource source = RttSource::kGiven;
  };
  const Cell& at(RegionId from, RegionId to) const { return cells_[from.index() * regions_ + to.index()]; }
  std::size_t regions_ = 0;
  std::vector<Cell> cells_;
};

struct World {
  std::string name;
  IdVector<RegionId, Region> regions;
  RttMatrix rtt;

  // Linear in the number of regions; for the edges, not for inner loops.
  std::optional<RegionId> FindRegion(std::string_view region_name) const {
    for (RegionId id(0); id != regions.end_id(); id = RegionId(id.index() + 1)) {
      if (regions[id].name == region_name) return id;
    }
    return std::nullopt;
  }
};

// For each region the others by rising RTT (ties by id): the order in which rings open. O(n^2 log n), once
// per world.
IdVector<RegionId, std::vector<RegionId>> NearestFirst(const RttMatrix& rtt);

// Great-circle distance in km (haversine, mean Earth radius 6371 km).
double DistanceKm(const Region& a, const Region& b);

}  // namespace ringway

#endif  // RINGWAY_CORE_WORLD_H_
