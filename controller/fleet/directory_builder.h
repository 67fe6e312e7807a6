// Keeps the directory: builds it from the view, numbers it when it changed, and says who must hear of it.
//
// A router is listed while it is connected and for a grace period after; an unhealthy worker is not listed,
// nor is a plain HTTP server, which routers know by their pool. A worker's entry names the router that speaks
// for it: the one beside it, or, when that is gone or silent, another of the region, chosen by the names of
// both (rendezvous), which then adopts it: watches it and reports it. So a worker outlives its router, and is
// looked for long after its router is forgotten (FleetView::gone): as draining, so that nobody uses it
// unheard. The version rises only when the content changed. Invariant: every router of the view is in the
// directory, once. Pure; one owner thread. A refresh is O(1) where nothing changed, else O(routers + workers
// log workers).
#ifndef RINGWAY_CONTROLLER_FLEET_DIRECTORY_BUILDER_H_
#define RINGWAY_CONTROLLER_FLEET_DIRECTORY_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/fleet/directory.h"
#include "controller/fleet/fleet_view.h"
#include "core/fleet.h"

namespace ringway::controller {

class DirectoryBuilder {
 public:
  // What a refresh changed.
  struct Change {
    bool any = false;                  // the directory, perhaps only what is kept for the next life
    bool routers = false;              // everyone must hear
    IdVector<RegionId, bool> regions;  // else the routers of these regions
    bool Concerns(RegionId region) const { return routers || regions[region]; }
  };

  // `epoch`: of the leader; a new one numbers the directory again and concerns everyone, as does the end of
  // its being `partial`.
  Change Refresh(Time now, const Fleet& fleet, const FleetView& view,
                 const IdVector<RegionId, std::vector<LeaderEntry>>& leaders, std::uint64_t epoch,
                 bool partial = false);
  // The ids have a new meaning: the next Refresh numbers the directory again.
  void Reset() { directory_ = nullptr; }
  // For the start from a checkpoint.
  void Restore(TableVersion version, std::shared_ptr<const Directory> directory) {
    version_ = version;
    TakeOverView(*directory);
    directory_ = std::move(directory);
  }
  // Which routers keep the records of keys is what it was in that directory until others are named.
  void TakeOverView(const Directory& directory);
  TableVersion view() const { return view_; }
  // Somebody knows of a later view: this one gets a later number with the next Refresh.
  void NumberViewAnew() { view_overtaken_ = true; }
  TableVersion version() const { return version_; }
  // Null before the first Refresh.
  const std::shared_ptr<const Directory>& directory() const { return directory_; }

 private:
  void NumberView(Time now, Directory& next);

  TableVersion version_;
  TableVersion view_;                      // of view_routers_; version 0: none yet
  std::vector<std::string> view_routers_;  // in order
  std::vector<PastView> before_;
  bool view_overtaken_ = false;  // within a step of the machine
  std::shared_ptr<const Directory> directory_;
  std::uint64_t listing_ = 0;  // of the view, at the last refresh
  bool named_twice_ = false;   // some worker, at the last refresh
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_DIRECTORY_BUILDER_H_
