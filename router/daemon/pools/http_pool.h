// The pool of plain HTTP servers of this router: its tier, its workers, its ledger, and the listener before
// it.
//
// A pool is a tier whose workers speak HTTP and know nothing of Ringway. What they do not say the router says
// for them: that they exist (the pool's file), whether they are well (health checks), how busy they are (the
// leases of the ledger's leader). Its door for jobs is the proxy (http/http_proxy.h).
//
// Invariants: a worker of the pool is reported by the leader of its ledger, and while nobody is heard of by
// whoever knows it. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_POOLS_HTTP_POOL_H_
#define RINGWAY_ROUTER_DAEMON_POOLS_HTTP_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ringway/v1/control.pb.h"
#include "router/daemon/control/address_table.h"
#include "router/daemon/ledgers/ledger_sessions.h"
#include "router/daemon/operations/router_metrics.h"
#include "router/daemon/pools/http_forwards.h"
#include "router/daemon/settings.h"
#include "router/http/http_proxy.h"
#include "router/http/pool_workers.h"
#include "router/jobs/job_table.h"
#include "router/node_event.h"
#include "router/worker_registry.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

// A fleet that does not name the pool's tier gets it, with what the pool's file says.
Fleet WithPoolTier(Fleet fleet, const Settings& settings);
// The pool's ledger; nothing without a pool.
std::optional<PlainTier> PoolTier(const Settings& settings);

// What the pool needs of the router around it; outlives it.
struct PoolSurroundings {
  runtime::EventLoop& loop;
  StreamCount& streams;
  const Settings& settings;
  std::uint64_t incarnation = 0;  // of this life of the router
  const KnownFleet& fleet;
  AddressTable& addresses;
  RouterMetrics& metrics;
  LedgerSessions& sessions;
  JobTable& jobs;
  const WorkerRegistry& registry;
  const RouterMachine& machine;
  const runtime::Logger& log;
  // Step the node, now or after the actions that are being performed.
  std::function<void(const RouterEvent&)> tell;
  std::function<void(const NodeEvent&)> know;
};

class HttpPool final : private ProxyHost {
 public:
  // The settings have a pool, and the fleet its tier. Begins to check its workers.
  explicit HttpPool(const PoolSurroundings& around);
  ~HttpPool() override;

  // Returns the address of the listener.
  absl::StatusOr<std::string> Listen();
  HttpProxy& proxy() { return proxy_; }
  // The pool's file has been read again.
  void UseWorkers(const std::vector<std::string>& workers) { workers_.Set(workers); }
  void Report(v1::Report& report);
  // For the end of the process: nobody waits for abandoned forwards any more.
  void CloseForwards() { forwards_.Close(); }

 private:
  // ProxyHost.
  void Tell(const RouterEvent& event) override { around_.tell(event); }
  const RouterMachine& machine() const override { return around_.machine; }
  std::string_view region() const override { return around_.settings.region; }
  void CountEnd(const EndJob& end, const JobFacts& facts) override;
  void CountAttempt(const AttemptEnded& ended) override { around_.metrics.CountAttempt(ended); }
  void SetHealth(WorkerId worker, bool healthy) override;
  std::shared_ptr<http::Upstream> Forward(const ForwardToRouter& forward, Exchange& exchange) override;

  void Tick();
  void SampleBusy(Time now);
  const LedgerStatus* StatusIn(const std::vector<LedgerStatus>& statuses) const;
  void ListWorkers(const std::vector<NamedWorker>& workers);

  const PoolSurroundings around_;
  const HttpPoolSpec& spec_;
  const TierId tier_;
  HttpForwards forwards_;
  HttpProxy proxy_;
  PoolWorkers workers_;
  double busy_s_ = 0;  // of each of its workers, on average, since the last report
  Time sampled_ = InfinitePast();
  runtime::Alarm tick_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_POOLS_HTTP_POOL_H_
