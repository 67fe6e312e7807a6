// What the routers of a simulation know of workers and of each other: the production registry of every
// router, and the watch streams that it wants, in virtual time.
//
// Who is listed, watched, adopted and reported is the registry's to say (router/worker_registry.h); nothing
// is decided here. As the daemon does (router/daemon/agent_workers.cc, worker_watch.cc), this carries
// directories to registries, what they say to machines and ledger sessions, and opens watch streams: the
// worker answers with its state, sends every change, and a stream that ends is opened again after 100 ms to 2
// s. What was sent over an earlier stream is dropped. A router that starts knows its local workers, and what
// the last directory said before it died; at the beginning of a run that is everybody.
//
// Not sent are a worker's repeats of what it said last: a report reads its counters as if the last repeat had
// just come.
//
// Memory: 4 bytes for each router and worker of its region. Complexity: O(1) a message beside the registry's
// own. One owner.
#ifndef RINGWAY_SIM_REGISTRIES_H_
#define RINGWAY_SIM_REGISTRIES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "router/worker_registry.h"
#include "sim/leaders.h"
#include "sim/routers.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "sim/workers.h"

namespace ringway::sim {

class Registries {
 public:
  // In which a run begins: all routers, by an earlier life of the controller.
  static constexpr TableVersion kFirstView = {.epoch = 0, .version = 1};

  Registries(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers, Leaders& leaders);

  void Begin();
  void OnWatchOpens(WorkerId worker, std::uint32_t detail);
  void OnWatchEnds(RouterId router, std::uint32_t detail);
  void OnWatchReopens(RouterId router, std::uint32_t detail);
  // Routers ask the plain servers of their pools whether they live (pools.cc).
  void OnPoolsChecked();

  // A directory reached the router. `leaders`: of its region's ledgers; null: it says nothing of them.
  void Direct(RouterId router, std::shared_ptr<const router::DirectoryGiven> given,
              const LeadersTold* leaders);
  // It reports the worker, by its region's number: as beside it, or adopted.
  bool SpeaksFor(RouterId router, WorkerId worker) const {
    return sites_[router].registry && sites_[router].registry->Own(worker);
  }
  // What the router's report says of workers, by the numbers that its region knows them by.
  void Report(RouterId router, std::vector<router::WorkerReported>& report);

  // Of a pool's worker, by its region's number: its health check at the router does not object.
  bool Well(RouterId router, WorkerId worker) const { return sites_[router].registry->well(worker); }

  // The router's process ended, or begins.
  void RouterDied(RouterId router);
  void RouterRevived(RouterId router);
  // This share of the region's watch streams breaks.
  void BreakStreams(RegionId region, double share);

 private:
  struct Site {
    std::optional<router::WorkerRegistry> registry;  // none: the router is dead
    IdVector<WorkerId, WatchNumber> watches;         // by the region's numbers
    std::shared_ptr<const router::DirectoryGiven> disk;
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
  void GivePools(RouterId router);
  void CheckPool(RouterId router, TierId tier);
  void Dial(RouterId router, WorkerId worker, std::uint32_t tries);
  void Ended(const WatchNote& note, std::int64_t after_ns);
  bool Stands(const WatchNote& note) const;
  WorkerId Global(RouterId router, WorkerId worker) const {
    return workers_.Global(routers_.places()[router], worker);
  }
  std::int64_t HopNs(RouterId router, WorkerId global);
  // Tiers that the fleet did not have may be there now, or be gone.
  void ResolveTiers(RouterId router);
  void OnNews(RouterId router, const RouterMessage& message);
  static router::WorkerSaid Said(WorkerId worker, TierId tier, const dispatch::WorkerNews& news,
                                 std::int64_t busy_ns);

  template <class Event>
  void Know(RouterId router, const Event& event) {
    stage_.kinds.registry_events.Count(event);
    actions_.clear();
    sites_[router].registry->Step(stage_.Now(), event, actions_);
    for (const router::RegistryAction& action : actions_) {
      stage_.kinds.registry_actions.Count(action);
      std::visit([&](const auto& a) { Do(router, a); }, action);
    }
  }
  template <class Event>
  void Do(RouterId router, const Event& event) {
    routers_.Step(router, event);
  }
  void Do(RouterId router, const router::WorkerListed& action);
  void Do(RouterId router, const router::WorkerUnlisted& action);
  void Do(RouterId router, const router::WatchWorker& action) { Dial(router, action.worker, 0); }
  void Do(RouterId router, const router::UnwatchWorker& action);
  void Do(RouterId, const router::AdoptionChanged&) {}
  void Do(RouterId, const router::TierNotServed&) {}

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  Workers& workers_;
  Leaders& leaders_;
  Rng retries_;
  IdVector<RouterId, Site> sites_;
  IdVector<RegionId, std::shared_ptr<const router::DirectoryGiven>> first_;
  MessagePool<WatchNote> notes_;
  WatchNumber last_watch_ = 0;
  std::vector<router::RegistryAction> actions_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REGISTRIES_H_
