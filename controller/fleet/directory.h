// Who can be reached where: all routers, and for each region the workers in it and who holds its ledgers.
//
// A router receives the list of all routers, the workers of its own region, and the leaders: its own region's
// to acquire slots from, the others' to hear of idle workers. The directory is versioned by (leader epoch,
// version) like tables, and sent again only to those whose part of it changed. A router whose stream broke
// stays listed for a grace period, because losing the controller is no reason to lose one's peers; after a
// restart the entries of the previous life count as such routers. A controller that has lost its state knows
// nobody at first, so until its routers have had the time to report its directories say that they are
// partial: whoever is named in them is there, and nobody is taken for gone.
//
// The names of the routers are also the view in which the records of idempotency keys are kept
// (router/once/view.h). It has a number of its own, which stays as long as the names do, over restarts of the
// controller too, and tells the views before it.
//
// Order: by name, so that equal content is equal bytes. Immutable once published.
#ifndef RINGWAY_CONTROLLER_FLEET_DIRECTORY_H_
#define RINGWAY_CONTROLLER_FLEET_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/table.h"
#include "core/time.h"

namespace ringway::controller {

inline constexpr std::size_t kViewsBeforeMax = 16;

struct RouterEntry {
  std::string name;
  RegionId region;
  std::string address;
  friend bool operator==(const RouterEntry&, const RouterEntry&) = default;
};

struct WorkerEntry {
  std::string name;
  std::string address;
  TierId tier;
  std::string router;  // that speaks for it
  bool draining = false;
  friend bool operator==(const WorkerEntry&, const WorkerEntry&) = default;
};

// Who holds the slot ledger of a tier in a region.
struct LeaderEntry {
  TierId tier;
  std::string router;             // empty: nobody, any more
  std::uint64_t incarnation = 0;  // of the router that was appointed
  Fence fence;                    // of the appointment; it may be of an earlier leader
  bool fresh = false;             // nobody held it before
  friend bool operator==(const LeaderEntry&, const LeaderEntry&) = default;
};

// The routers that kept the records of idempotency keys before others came or went.
struct PastView {
  TableVersion number;
  std::vector<std::string> routers;
  Time left;  // for the next
  friend bool operator==(const PastView&, const PastView&) = default;
};

struct Directory {
  TableVersion version;
  std::vector<RouterEntry> routers;
  IdVector<RegionId, std::vector<WorkerEntry>> workers;
  IdVector<RegionId, std::vector<LeaderEntry>> leaders = {};
  bool partial = false;  // of a controller that began without a state: who is not named may still be there
  // The view in which `routers` keep the records of keys: the version that first had just these names.
  // Version 0: there is none while the directory is partial.
  TableVersion view = {};
  std::vector<PastView> before = {};  // the newest first, at most kViewsBeforeMax
  // Workers that no router is told of, or one other than that in whose report they were last, who is named
  // here: unwell ones, and those of routers that are gone. Not for routers: for the next life of the
  // controller, in which that router may never report. By name; may leave out regions at the end.
  IdVector<RegionId, std::vector<WorkerEntry>> kept = {};
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_DIRECTORY_H_
