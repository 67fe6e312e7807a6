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
// Nor may a table refuse what an idle worker at home could take: it knows demand by what routers report, and
// one of them may be wrong. Home is open for such jobs if some row sends jobs to it, and no operator has
// fixed what it gets (a drain, a pin).
//
// Fencing: a table with a lower (epoch, version) than the active one, or of a leader that was replaced, is
// refused. The same pair again is accepted and changes nothing. An epoch so far above a controller's that no
// leader can have had it is forgotten when that controller welcomes this router (core/leader_epoch.h); the
// active table stands until its first one.
//
// Complexity: a pick is one draw and two loads; taking a table is linear in the own rows. One owner thread.
#ifndef RINGWAY_ROUTER_ROUTES_ROUTE_CHOICE_H_
#define RINGWAY_ROUTER_ROUTES_ROUTE_CHOICE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/fleet.h"
#include "core/state.h"
#include "core/table.h"
#include "core/time.h"
#include "router/dispatch/alias.h"
#include "router/router_action.h"

namespace ringway::router {

// How long a share that the table sheds stands after the controller was heard last: longer than a controller
// takes to be replaced, shorter than an overload that nobody watches should cost.
inline constexpr Duration kShedStands = Seconds(5);

class RouteChooser {
 public:
  explicit RouteChooser(RegionId home) : home_(home) {}

  void UseFleet(const Fleet& fleet);
  // Empty when the table is active now; else why it was refused, in words.
  std::string UseTable(std::shared_ptr<const RoutingTable> table, bool from_disk);
  // A controller of this epoch welcomes us: tables of lower epochs are refused from now on.
  void FollowLeader(std::uint64_t epoch);

  // `random` is uniform over all 64-bit values.
  RouteChoice Pick(TierId tier, Priority priority, std::uint64_t random, bool may_shed = true) const;

  // The active table does not keep jobs of the tier away from home.
  bool HomeOpen(TierId tier) const { return home_open_.contains(tier) && home_open_[tier]; }

  // An operator drains the region: nothing goes there that the table does not send.
  bool Drained(TierId tier, RegionId region) const;
  // Whether that has changed for some region since the last call.
  bool TakeDrainedChanged() { return std::exchange(drained_changed_, false); }

  TableVersion version() const { return table_ ? table_->version : TableVersion{}; }
  std::uint64_t epoch_seen_max() const { return epoch_seen_max_; }

  RINGWAY_STATE(table_, rows_, home_open_, drained_, drained_changed_, without_table_, taken_,
                epoch_seen_max_)

 private:
  RouteChoice LocalFirst(TierId tier) const;
  void FindDrained();

  RegionId home_;
  std::shared_ptr<const RoutingTable> table_;
  IdVector<TierId, PerPriority<dispatch::AliasTable>> rows_;  // the last choice of each is: shed
  IdVector<TierId, char> home_open_;
  IdVector<TierId, std::vector<RegionId>> drained_;  // sorted
  bool drained_changed_ = false;
  IdVector<TierId, RegionId> without_table_;
  TableVersion taken_;  // tables below are refused; of the active one, as long as its epoch is believed
  std::uint64_t epoch_seen_max_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTES_ROUTE_CHOICE_H_
