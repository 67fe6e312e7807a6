#include "router/daemon/pools/http_pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Requests of all routers in the pool's line.
constexpr std::size_t kPoolLineMax = 100'000;
// Routers come back to a new leader within a third of a second.
constexpr Duration kPoolTakeoverHold = Seconds(2);
// Without a controller for so long, another may have been appointed whom this leader has not heard of.
constexpr Duration kPoolUncontrolledMax = Seconds(5);

}  // namespace

Fleet WithPoolTier(Fleet fleet, const Settings& settings) {
  if (!settings.pool || fleet.FindTier(settings.pool->tier)) return fleet;
  Tier tier;
  tier.name = settings.pool->tier;
  tier.service_mean = settings.pool->service_mean;
  tier.deadline = settings.pool->deadline;
  tier.dispatch.mode = DispatchMode::kLedger;
  tier.dispatch.waiting_max = settings.pool->waiting_max;
  tier.regions.assign(fleet.world.regions.size(), TierRegion());
  tier.regions[*fleet.world.FindRegion(settings.region)].workers =
      static_cast<int>(settings.pool->workers.size());
  fleet.tiers.push_back(std::move(tier));
  return fleet;
}

// The pool's ledger: its workers cannot be fenced, so its leader is more careful than others. Without a
// controller the operator says who holds it, or it is this router, alone.
std::optional<PlainTier> PoolTier(const Settings& settings) {
  if (!settings.pool) return std::nullopt;
  PlainTier plain{.tier = settings.pool->tier, .settings = {}, .fixed = {}};
  ledger::LedgerSettings& ledger = plain.settings.ledger;
  ledger.workers_announce = false;
  ledger.waiting_max = kPoolLineMax;
  ledger.service_bound = settings.pool->service_bound;
  ledger.abandoned_hold = settings.pool->abandoned_hold;
  ledger.takeover_hold = kPoolTakeoverHold;
  plain.settings.uncontrolled_max = kPoolUncontrolledMax;
  if (settings.leader) {
    plain.fixed = {.router = settings.leader->router, .address = settings.leader->address, .fresh = false};
  } else if (settings.controller.empty()) {
    plain.fixed = {.router = settings.name, .address = "", .fresh = true};
  }
  if (plain.fixed) plain.settings.uncontrolled_max = InfiniteDuration();
  return plain;
}

HttpPool::HttpPool(const PoolSurroundings& around)
    : around_(around),
      spec_(*around_.settings.pool),
      tier_(*around_.fleet.fleet->FindTier(spec_.tier)),
      forwards_(around_.loop, around_.streams, around_.tell),
      proxy_(around_.loop, spec_, tier_, around_.jobs, static_cast<ProxyHost&>(*this)),
      workers_(around_.loop, around_.log,
               [this](const std::vector<NamedWorker>& workers) { ListWorkers(workers); }),
      tick_(around_.loop, [this] { Tick(); }) {
  around_.sessions.UseFixedLeader();
  workers_.Set(spec_.workers);
  Tick();
}

HttpPool::~HttpPool() = default;

absl::StatusOr<std::string> HttpPool::Listen() {
  if (absl::Status listens = proxy_.Listen(); !listens.ok()) return listens;
  return proxy_.listener().address();
}

void HttpPool::Tick() {
  const Time now = runtime::MonotonicNow();
  proxy_.OnTick(now);
  SampleBusy(now);
  tick_.Arm(now + http::Listener::kTick);
}

const LedgerStatus* HttpPool::StatusIn(const std::vector<LedgerStatus>& statuses) const {
  const auto pool = std::find_if(statuses.begin(), statuses.end(),
                                 [this](const LedgerStatus& status) { return status.tier == tier_; });
  return pool == statuses.end() ? nullptr : &*pool;
}

// Plain servers do not say how busy they are. The ledger's leader knows by the leases, for all routers;
// without a leader each router knows of its own requests.
void HttpPool::SampleBusy(Time now) {
  const std::vector<LedgerStatus> statuses = around_.sessions.Statuses();
  const LedgerStatus* pool = StatusIn(statuses);
  double share = around_.machine.workers().BusyShare(tier_);
  if (pool != nullptr && pool->holding) {
    const auto leased = static_cast<double>(pool->view.leased);
    share = leased / std::max(1.0, leased + static_cast<double>(pool->view.idle));
  }
  if (sampled_ != InfinitePast()) busy_s_ += share * ToDoubleSeconds(now - sampled_);
  sampled_ = now;
}

// The leader reports the pool, once for all of its routers; while nobody is heard of, whoever knows it does.
void HttpPool::Report(v1::Report& report) {
  SampleBusy(runtime::MonotonicNow());
  const double busy_s = std::exchange(busy_s_, 0);
  const std::vector<LedgerStatus> statuses = around_.sessions.Statuses();
  const LedgerStatus* pool = StatusIn(statuses);
  if (pool != nullptr && pool->reached && !pool->holding) return;
  for (WorkerId id(0); id != around_.addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (report.workers_size() >= static_cast<int>(WorkerRegistry::kWorkersReportedMax)) break;
    if (!around_.registry.in_pool(id)) continue;
    v1::WorkerReport& worker = *report.add_workers();
    worker.set_name(around_.addresses.worker(id).address);
    worker.set_tier(spec_.tier);
    worker.set_address(around_.addresses.worker(id).address);
    worker.set_healthy(around_.registry.well(id));
    worker.set_busy_s(busy_s);
    worker.set_plain(true);
  }
}

void HttpPool::ListWorkers(const std::vector<NamedWorker>& workers) {
  std::set<WorkerId> listed;
  for (const NamedWorker& worker : workers) {
    const WorkerId id = around_.addresses.WorkerAt(worker.name, runtime::MonotonicNow(), /*local=*/true);
    if (!id.valid()) {
      around_.log.Error("the table of workers is full; restart this router");
      break;
    }
    listed.insert(id);
    around_.addresses.worker(id).tier = spec_.tier;
    proxy_.SetWorker(id, worker.name, worker.endpoint);
  }
  for (WorkerId id(0); id != around_.addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (around_.registry.in_pool(id) && !listed.contains(id)) proxy_.ForgetWorker(id);
  }
  around_.know(PoolGiven{tier_, {listed.begin(), listed.end()}});
  around_.log.Info(absl::StrCat("pool of tier ", spec_.tier, ": ", listed.size(), " workers"));
}

void HttpPool::SetHealth(WorkerId worker, bool healthy) {
  if (!around_.registry.in_pool(worker)) return;
  around_.log.Info(absl::StrCat("worker ", around_.addresses.worker(worker).address,
                                healthy ? " is healthy again" : " fails its health check"));
  around_.know(PoolWorkerChecked{worker, healthy});
}

std::shared_ptr<http::Upstream> HttpPool::Forward(const ForwardToRouter& forward, Exchange& exchange) {
  around_.metrics.CountForward(forward);
  v1::JobHeader header = HeaderOf(exchange);
  header.set_tier(spec_.tier);
  header.set_request_id(absl::StrCat(around_.settings.name, "-http-", forward.attempt));
  header.set_source_region(around_.settings.region);
  const Duration rtt =
      Milliseconds(around_.fleet.fleet->world.rtt.ms(around_.fleet.home, forward.route.target));
  return forwards_.Begin(
      forward, around_.addresses.PeerStub(forward.router),
      HeaderForRouter(header, exchange.facts, forward, rtt, runtime::MonotonicNow(),
                      AttemptName(around_.settings.name, around_.incarnation, forward.attempt)),
      around_.settings.calls.emulate_rtt ? rtt / 2 : ZeroDuration(), exchange);
}

void HttpPool::CountEnd(const EndJob& end, const JobFacts& facts) {
  around_.metrics.CountEnd(end, facts, runtime::MonotonicNow());
}

}  // namespace ringway::router
