// Routing tables: for each tier, priority and source region, where its requests go.
//
// A row's fractions and its shed fraction sum to 1. Every entry that sends traffic away carries the ring, the
// load that unlocked it and the reason, so that a person can be told why. A RoutingTable covers all tiers and
// is versioned as a whole by (leader epoch, version): routers take a higher pair and refuse a lower one, so a
// deposed controller cannot push.
//
// Threads: immutable once published (shared_ptr<const RoutingTable>).
#ifndef RINGWAY_CORE_TABLE_H_
#define RINGWAY_CORE_TABLE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway {

enum class RouteReason : std::uint8_t {
  kHome,       // served where it entered
  kOverload,   // the source is above its threshold; this is the nearest unlocked region with room
  kDisplaced,  // moved on to make room for another source (refine pass)
  kDrain,      // the source is being drained
  kNoWorkers,  // the tier has no workers in the source region
  kLevel,      // everything reachable is full; the overload is levelled over the regions
  kPinned,     // an operator fixed this row
};
// Inline: routers ask it for every job.
constexpr std::string_view RouteReasonName(RouteReason reason) {
  switch (reason) {
    case RouteReason::kHome:
      return "home";
    case RouteReason::kOverload:
      return "overload";
    case RouteReason::kDisplaced:
      return "displaced";
    case RouteReason::kDrain:
      return "drain";
    case RouteReason::kNoWorkers:
      return "no-workers";
    case RouteReason::kLevel:
      return "level";
    case RouteReason::kPinned:
      return "pinned";
  }
  return "unknown";
}

inline constexpr std::int8_t kHomeRing = -1;

struct Route {
  RegionId target;
  double fraction = 0;
  std::int8_t ring = kHomeRing;  // index into RouteSpec::rings; kHomeRing when target == source
  double unlock_load = 0;        // load of the source that opened the ring
  RouteReason reason = RouteReason::kHome;
  friend bool operator==(const Route&, const Route&) = default;
};

struct Row {
  std::vector<Route> routes;  // home first, then by ring and RTT; fractions > 0
  double shed_fraction = 0;   // refused at once: no reachable capacity for this priority
  friend bool operator==(const Row&, const Row&) = default;
};

class TierTable {
 public:
  TierTable() = default;
  TierTable(TierId tier, std::size_t regions, std::size_t priorities)
      : tier_(tier), regions_(regions), priorities_(priorities), rows_(regions * priorities) {}
  TierId tier() const { return tier_; }
  std::size_t regions() const { return regions_; }
  std::size_t priorities() const { return priorities_; }
  const Row& at(Priority priority, RegionId source) const {
    return rows_[priority * regions_ + source.index()];
  }
  Row& at(Priority priority, RegionId source) { return rows_[priority * regions_ + source.index()]; }
  friend bool operator==(const TierTable&, const TierTable&) = default;

 private:
  TierId tier_;
  std::size_t regions_ = 0;
  std::size_t priorities_ = 0;
  std::vector<Row> rows_;
};

// Every request stays where it enters: what a router does when it knows nothing better.
TierTable HomeTable(TierId tier, std::size_t regions, std::size_t priorities);

struct TableVersion {
  std::uint64_t epoch = 0;    // of the leader that made it
  std::uint64_t version = 0;  // counts up within an epoch
  friend auto operator<=>(const TableVersion&, const TableVersion&) = default;
};

struct RoutingTable {
  TableVersion version;
  Time planned_at = UnixEpoch();
  IdVector<TierId, TierTable> tiers;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_TABLE_H_
