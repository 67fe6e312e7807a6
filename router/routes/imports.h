// What this router takes in of other regions' jobs, and where its own may spill to.
//
// A region's import cap bounds the jobs of other regions that are in it at a time. Its routers enforce it,
// each for its part (the parts add up to the cap, whole jobs to the routers first by name); what the table
// sends counts and is never refused, because the planner has kept to the cap already. A sender keeps its own
// jobs under way to the region within the cap too, shared by the routers of its own region: usually one
// region is hot at a time, and where two are, the receiver's word holds.
//
// Complexity: O(routers of the region) for a part, O(regions) for targets. Values; one owner thread.
#ifndef RINGWAY_ROUTER_ROUTES_IMPORTS_H_
#define RINGWAY_ROUTER_ROUTES_IMPORTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/fleet.h"
#include "core/ids.h"
#include "core/state.h"
#include "router/dispatch/spill.h"
#include "router/routes/peer_view.h"
#include "router/routes/route_choice.h"

namespace ringway::router {

// The routers of the own region, this one among them.
class RegionRouters {
 public:
  explicit RegionRouters(std::string own_name) : own_(std::move(own_name)) {}
  void List(RouterId router, const std::string& name) { others_[router] = name; }
  void Unlist(RouterId router) { others_.erase(router); }
  int count() const { return static_cast<int>(others_.size()) + 1; }
  // This router's part of `cap` whole jobs.
  int PartOf(int cap) const;

  RINGWAY_STATE(others_)

 private:
  std::string own_;
  std::map<RouterId, std::string> others_;
};

// Of one tier at one router.
struct Imports {
  int part = 0;               // of the region's import cap, what this router may take in
  int inside = 0;             // jobs of other regions that are here
  std::uint64_t refused = 0;  // since the start, because the cap was reached

  // Counts a job of another region. False: it spilled, and this router has taken in its part.
  bool TakeIn(bool spilled);
  RINGWAY_STATE(part, inside, refused)
};

// Jobs of other regions that may be in this one at a time.
int ImportCap(const TierRegion& region);

// The regions where the tier's jobs of `home` may spill to, nearest first: they have workers, routers that
// are known, room for imports, no operator drains them, and neither residency nor the last ring forbids them.
std::vector<dispatch::SpillTarget> SpillTargets(const Fleet& fleet, TierId tier, RegionId home,
                                                const PeerView& peers, const RouteChooser& routes,
                                                int senders);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTES_IMPORTS_H_
