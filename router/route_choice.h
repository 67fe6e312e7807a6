// Which region a job goes to: the table's row for this router's own region, sampled in O(1).
//
// Only rows whose source is the own region matter to a router, so each table becomes one alias table for each
// tier and priority. Where the table says nothing (none yet, a tier or priority it does not know, an empty
// row) the job stays home: local first. A tier without workers at home goes to the nearest region that has
// some and that residency allows, because refusing would help nobody.
//
// A share that the table sheds is an answer to seconds-old demand, so it stands only while somebody renews
// it: the caller says whether a controller was heard of late. If not, those jobs stay home too, where the
// line knows what can still be served. Otherwise a controller that dies in an overload would leave its shed
// share behind for good.
//
// Fencing: a table with a lower (epoch, version) than the active one, or of a leader that was replaced, is
// refused. The same pair again is accepted and changes nothing.
//
// Complexity: a pick is one draw and two loads; taking a table is linear in the own rows. One owner thread.
#ifndef RINGWAY_ROUTER_ROUTE_CHOICE_H_
#define RINGWAY_ROUTER_ROUTE_CHOICE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/fleet.h"
#include "core/table.h"
#include "router/dispatch/alias.h"
#include "router/router_action.h"

namespace ringway::router {

// How long a share that the table sheds stands after the controller was heard last: longer than a controller
// takes to be replaced, shorter than an overload that nobody watches should cost.
inline constexpr absl::Duration kShedStands = absl::Seconds(5);

class RouteChooser {
 public:
  explicit RouteChooser(RegionId home) : home_(home) {}

  void UseFleet(const Fleet& fleet);
  // Empty when the table is active now; else why it was refused, in words.
  std::string UseTable(std::shared_ptr<const RoutingTable> table);
  // A controller of this epoch exists: tables of lower epochs are refused from now on.
  void SawEpoch(std::uint64_t epoch) { epoch_seen_max_ = std::max(epoch_seen_max_, epoch); }

  // `random` is uniform over all 64-bit values.
  RouteChoice Pick(TierId tier, Priority priority, std::uint64_t random, bool may_shed = true) const;

  TableVersion version() const { return table_ ? table_->version : TableVersion{}; }
  std::uint64_t epoch_seen_max() const { return epoch_seen_max_; }

 private:
  RouteChoice LocalFirst(TierId tier) const;

  RegionId home_;
  std::shared_ptr<const RoutingTable> table_;
  IdVector<TierId, PerPriority<dispatch::AliasTable>> rows_;  // the last choice of each is: shed
  IdVector<TierId, RegionId> without_table_;
  std::uint64_t epoch_seen_max_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTE_CHOICE_H_
