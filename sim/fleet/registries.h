// What the routers of a simulation are told of workers and of each other: directories, pools, and the watch
// streams that their registries want, in virtual time.
//
// Who is listed, watched, adopted and reported is the registry's to say (router/worker_registry.h), which the
// router's node owns; nothing is decided here. As the daemon does (router/daemon/agent_workers.cc,
// worker_watch.cc), this gives directories to nodes, and opens watch streams: the worker answers with its
// state, sends every change, and a stream that ends is opened again after 100 ms to 2 s. What was sent over
// an earlier stream is dropped. A router that starts knows its local workers, and what the last directory
// said before it died; at the beginning of a run that is everybody.
//
// Not sent are a worker's repeats of what it said last: a report reads its counters as if the last repeat had
// just come.
//
// Memory: 8 bytes for each router and worker of its region. Complexity: O(1) a message beside the registry's
// own. One owner.
#ifndef RINGWAY_SIM_FLEET_REGISTRIES_H_
#define RINGWAY_SIM_FLEET_REGISTRIES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "router/node_event.h"
#include "router/worker_registry.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/kernel/prefetch.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

// A directory as it goes to a router, and is kept on its disk.
struct Listing {
  std::uint64_t epoch = 0;  // of the controller
  std::shared_ptr<const router::DirectoryGiven> given;
  router::LeadersGiven leaders = {};
  std::shared_ptr<const std::string> message = nullptr;  // where there is a wire: as it came
};

class Registries {
 public:
  // In which a run begins: all routers, by an earlier life of the controller.
  static constexpr TableVersion kFirstView = {.epoch = 0, .version = 1};

  Registries(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers);

  void Begin();
  void OnWatchOpens(WorkerId worker, std::uint32_t detail);
  void OnWatchEnds(RouterId router, std::uint32_t detail);
  void OnWatchReopens(RouterId router, std::uint32_t detail);
  // Routers ask the plain servers of their pools whether they live (pools.cc).
  void OnPoolsChecked();

  // One reached the router, which does not name itself as another one.
  void Direct(RouterId router, const Listing& listing);
  // It reports the worker, by its region's number: as beside it, or adopted.
  bool SpeaksFor(RouterId router, WorkerId worker) const {
    return routers_.alive(router) && RegistryOf(router).Own(worker);
  }
  // What the router's report says of workers, by the numbers that its region knows them by.
  void Report(RouterId router, std::vector<router::WorkerReported>& report);

  // A hint to the memory: something comes over the stream to the worker, by its region's number.
  void Foresee(RouterId router, WorkerId worker) const { Prefetch(&sites_[router].streams[worker]); }

  // Of a pool's worker, by its region's number: its health check at the router does not object.
  bool Well(RouterId router, WorkerId worker) const { return RegistryOf(router).well(worker); }

  // The router's process ended, or begins.
  void RouterDied(RouterId router);
  void RouterRevived(RouterId router);
  // As Routers::LoseWrites, of directories.
  void LoseWrites(RouterId router, bool lost, bool wiped);
  // This share of the region's watch streams breaks; the workers' ends so much later.
  void BreakStreams(RegionId region, double share, std::int64_t late_ns);
  void OnWatchFalls(WorkerId worker, WatchNumber watch) { workers_.RemoveWatcher(worker, watch); }

 private:
  // A watch stream to a worker.
  struct Stream {
    WatchNumber watch = 0;
    std::uint32_t told = 0;  // what came last over it, the low bits; 0: nothing yet
  };
  struct Site {
    IdVector<WorkerId, Stream> streams;   // by the region's numbers
    Listing stored;                       // what the node wanted stored last; null: nothing
    Listing disk;                         // the same, as the next life will find it
    Release disk_by = Release::kPresent;  // of which release it was then
    bool writes_lost = false;
    IdVector<WorkerId, int> unanswered;  // health checks in a row
  };
  // A watch stream on its way: it opens, has ended, or is to be tried again.
  struct WatchNote {
    RouterId router;
    Life life = 0;
    WorkerId worker;  // in its region
    WatchNumber watch = 0;
    std::uint32_t tries = 0;  // in vain
  };

  void Open(RouterId router);
  static router::DirectoryHeard Heard(RouterId router, const Listing& listing, bool from_disk);
  std::optional<router::DirectoryHeard> Stored(RouterId router) const;
  Listing ReadDisk(RouterId router) const;
  const router::WorkerRegistry& RegistryOf(RouterId router) const { return routers_.node(router).registry(); }
  void GivePools(RouterId router);
  void CheckPool(RouterId router, TierId tier);
  void Dial(RouterId router, WorkerId worker, std::uint32_t tries);
  void Ended(const WatchNote& note, std::int64_t after_ns);
  bool Stands(const WatchNote& note) const;
  WorkerId Global(RouterId router, WorkerId worker) const {
    return workers_.Global(routers_.places()[router], worker);
  }
  std::int64_t HopNs(RouterId router, WorkerId global);
  void UseFleet(RouterId router, const std::shared_ptr<const Fleet>& fleet);
  void OnNews(RouterId router, const RouterMessage& message);
  static router::WorkerSaid Said(WorkerId worker, TierId tier, const dispatch::WorkerNews& news,
                                 std::int64_t busy_ns) {
    return {.worker = worker,
            .tier = tier,
            .healthy = news.state != dispatch::WorkerState::kFailed,
            .draining = news.draining,
            .busy = news.state == dispatch::WorkerState::kBusy,
            .busy_total = Nanoseconds(busy_ns)};
  }

  // What the registry wants.
  void Do(RouterId router, const router::WatchWorker& action) { Dial(router, action.worker, 0); }
  void Do(RouterId router, const router::UnwatchWorker& action);
  template <class Action>
  void Do(RouterId, const Action&) {}

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  Workers& workers_;
  Rng retries_;
  IdVector<RouterId, Site> sites_;
  IdVector<RegionId, std::shared_ptr<const router::DirectoryGiven>> first_;
  MessagePool<WatchNote> notes_;
  WatchNumber last_watch_ = 0;
  const Listing* directed_ = nullptr;  // that a node is deciding on
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_REGISTRIES_H_
