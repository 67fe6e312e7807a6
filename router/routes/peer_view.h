// The other routers, by region, and which of them was unreachable a moment ago.
//
// A forward goes to a random router of the target region. One that could not be reached is passed over for
// kSuspectFor, unless every other has been tried too; the first answer clears it. A job tries each router at
// most once.
//
// Bounds: kRoutersMax. Complexity: a choice is linear in the routers of one region. One owner thread.
#ifndef RINGWAY_ROUTER_ROUTES_PEER_VIEW_H_
#define RINGWAY_ROUTER_ROUTES_PEER_VIEW_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway::router {

class PeerView {
 public:
  static constexpr std::size_t kRoutersMax = 65536;
  static constexpr Duration kSuspectFor = Seconds(2);

  void List(RouterId router, RegionId region);
  void Unlist(RouterId router);
  void Unreachable(RouterId router, Time now);
  void Answered(RouterId router);

  // Listed routers of the region, and of all regions.
  std::size_t count(RegionId region) const { return regions_.contains(region) ? regions_[region].size() : 0; }
  std::size_t count() const { return listed_; }

  // Invalid: every known router of the region is among `tried`.
  RouterId Choose(RegionId region, std::span<const RouterId> tried, Time now, Rng& rng) const;

  RINGWAY_STATE(peers_, listed_, regions_)

 private:
  struct Peer {
    RegionId region;  // invalid: not listed
    Time suspect_until = InfinitePast();
    RINGWAY_STATE(region, suspect_until)
  };
  IdVector<RouterId, Peer> peers_;
  std::size_t listed_ = 0;
  IdVector<RegionId, std::vector<RouterId>> regions_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTES_PEER_VIEW_H_
