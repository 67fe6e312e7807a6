// Runs a router: brings together the node that decides, the calls that carry jobs, and the controller.
//
// The coordinator only sequences. What clients, workers, routers and the controller say becomes events of the
// node (router/router_node.h); its actions become calls, streams, reports and acknowledgements. It keeps the
// names: the fleet as merged so far, the address addresses, which workers are watched. What it adds of its
// own: a router that nobody told anything learns its tiers from the workers beside it, so that a pod of one
// router and one worker serves.
//
// Invariants: a directory or table of a replaced leader changes nothing; whatever became active is saved.
// Threads: everything on the loop, but the constructor, which runs before the loop starts.
#ifndef RINGWAY_ROUTER_DAEMON_ROUTER_AGENT_H_
#define RINGWAY_ROUTER_DAEMON_ROUTER_AGENT_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "router/daemon/control/address_table.h"
#include "router/daemon/control/control_link.h"
#include "router/daemon/control/last_good.h"
#include "router/daemon/control/worker_watch.h"
#include "router/daemon/jobs/job_calls.h"
#include "router/daemon/ledgers/ledger_sessions.h"
#include "router/daemon/node_driver.h"
#include "router/daemon/once/once_link.h"
#include "router/daemon/operations/fleet_show.h"
#include "router/daemon/operations/operations.h"
#include "router/daemon/operations/router_metrics.h"
#include "router/daemon/pools/http_pool.h"
#include "router/daemon/settings.h"
#include "router/journal/recorder.h"
#include "router/node_event.h"
#include "router/order_records.h"
#include "router/router_node.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

class RouterAgent final : private ControlSink, private NodePerformer {
 public:
  // `fleet` contains the home region. With `learns_tiers`, workers beside may bring tiers it does not have.
  RouterAgent(runtime::EventLoop& loop, const Settings& settings, const Fleet& fleet, bool learns_tiers,
              const runtime::Logger& log);
  ~RouterAgent();

  // On the loop, once: reads what is on disk, begins to watch and to connect. `address`: where this router is
  // reached.
  void Start(const std::string& address);
  // Admits nothing new; `quiet` is called once, when no call is left, at the latest after the grace.
  void BeginStop(std::function<void()> quiet);

  // After Start: the pool of plain HTTP workers and the listener in front of it, if there is one. Returns its
  // address, or nothing.
  absl::StatusOr<std::string> ListenForClients();
  // The pool's file has been read again.
  void UsePoolWorkers(const std::vector<std::string>& workers) {
    if (pool_ != nullptr) pool_->UseWorkers(workers);
  }

  JobCalls& calls() { return calls_; }
  // Before Start: who is told, on the loop, when what the videos front must know has changed.
  void ShowFleetTo(FleetShow::Show show) { show_.To(std::move(show)); }
  LedgerSessions& sessions() { return sessions_; }
  OnceLink& once() { return once_; }
  Operations& operations() { return operations_; }
  RouterMetrics& metrics() { return metrics_; }
  // Client calls that gRPC still knows.
  int streams() const { return streams_.live(); }
  // Closes what is not a job: watches, the controller's stream, attempts that nobody wants. On the loop.
  void Disconnect();

 private:
  // NodePerformer.
  void Perform(RouterAction& action) override;
  void Perform(TierId tier, SessionAction& action) override { sessions_.Perform(tier, action); }
  void Perform(const RegistryAction& action) override;
  void Perform(const NodeAction& action) override;
  void Do(const SendReport& report);
  void Do(const TableDecided& decided);

  // ControlSink (agent_control.cc).
  v1::Hello MakeHello() override;
  void OnWelcome(const std::string& controller, const ControllerWelcomed& welcomed) override;
  void OnFleetMap(const v1::FleetMap& message) override;
  void OnDirectory(const v1::Directory& message) override;
  void OnTable(const v1::RoutingTable& message) override;
  void OnControllerLost() override;
  void TakeTable(const v1::RoutingTable& message, bool from_disk);
  void Acknowledge(const TableDecided& decided);
  bool UseFleet(const Fleet& next);
  void LoadLastGood();

  // Workers (agent_workers.cc).
  void Do(const RouterListed& action);
  void Do(const RouterUnlisted& action);
  void Do(const WatchWorker& action);
  void Do(const UnwatchWorker& action);
  void Do(const AdoptionChanged& action);
  void Do(const TierNotServed& action);
  void Do(const DirectoryDecided& decided);
  void Do(const EpochForgotten& forgotten);
  template <class Action>
  void Do(const Action&) {}  // the node's own
  DirectoryHeard ReadDirectory(const v1::Directory& directory, bool from_disk);
  void ApplyDirectory(const v1::Directory& directory, bool from_disk);
  // What the tiers that workers were last said to be of are now.
  std::vector<TierResolved> ResolveTiers() const;
  void OnNews(WorkerId id, const v1::WorkerState& state);
  void OnWatchEnded(WorkerId id, bool dead);
  void LearnTier(const std::string& tier);
  void SayLonely(Time now);
  void ReportWorkers(v1::Report& report);
  void ReadPages();

  void Beat();
  void CheckQuiet();

  runtime::EventLoop& loop_;
  const Settings settings_;
  const runtime::Logger& log_;
  bool learns_tiers_;
  std::string address_;
  StreamCount streams_;
  KnownFleet fleet_;
  AddressTable addresses_;
  RouterMetrics metrics_;
  const LastLife last_life_;
  const std::uint64_t incarnation_;  // rises from one life to the next
  JobTable jobs_;
  std::unique_ptr<Recorder> journal_;  // null: nothing is recorded
  NodeDriver driver_;
  const WorkerRegistry& registry_;  // of the node
  JobCalls calls_;
  LedgerSessions sessions_;
  OnceLink once_;
  OrderRecords orders_;
  Operations operations_;
  std::map<WorkerId, std::unique_ptr<WorkerWatch>> watches_;
  std::unique_ptr<HttpPool> pool_;  // null: no plain HTTP workers
  std::unique_ptr<ControlLink> link_;
  LastGood disk_;
  v1::RouterState state_;     // what is, or will be, on disk
  v1::RoutingTable offered_;  // the table that the machine is deciding on
  v1::Directory read_;        // the directory that the node is deciding on
  bool unsaved_ = false;
  Time pages_at_ = InfinitePast();  // when the workers' pages are due
  Time table_since_ = InfinitePast();
  Time lonely_at_ = InfiniteFuture();  // when it is worth a line that nobody told us of the fleet
  FleetShow show_;
  runtime::Alarm beat_;
  std::function<void()> quiet_;  // set: stopping
  Time stop_at_ = InfiniteFuture();
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_ROUTER_AGENT_H_
