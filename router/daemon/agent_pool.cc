// The router's agent, towards plain HTTP clients and workers: the pool's tier, its workers, its leader.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/daemon/router_agent.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Requests of all routers in the pool's line.
constexpr std::size_t kPoolLineMax = 100'000;
// Routers come back to a new leader within a third of a second.
constexpr absl::Duration kPoolTakeoverHold = absl::Seconds(2);
// Without a controller for so long, another may have been appointed whom this leader has not heard of.
constexpr absl::Duration kPoolUncontrolledMax = absl::Seconds(5);

}  // namespace

// A fleet that does not name the pool's tier gets it, with what the pool's file says.
Fleet RouterAgent::WithPoolTier(Fleet fleet, const Settings& settings) {
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
std::optional<PlainTier> RouterAgent::PoolTier(const Settings& settings) {
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
  if (plain.fixed) plain.settings.uncontrolled_max = absl::InfiniteDuration();
  return plain;
}

absl::StatusOr<std::string> RouterAgent::ListenForClients() {
  if (!settings_.pool) return std::string();
  pool_tier_ = *fleet_.fleet->FindTier(settings_.pool->tier);
  proxy_ = std::make_unique<HttpProxy>(loop_, *settings_.pool, pool_tier_, JobId(settings_.calls.jobs_max),
                                       static_cast<ProxyHost&>(*this));
  calls_.UseHttpWorkers(*proxy_);
  sessions_.UseFixedLeader();
  pool_workers_ = std::make_unique<PoolWorkers>(
      loop_, log_, [this](const std::vector<NamedWorker>& workers) { ListPoolWorkers(workers); });
  pool_workers_->Set(settings_.pool->workers);
  pool_tick_ = std::make_unique<runtime::Alarm>(loop_, [this] { TickPool(); });
  TickPool();
  if (absl::Status listens = proxy_->Listen(); !listens.ok()) return listens;
  return proxy_->listener().address();
}

void RouterAgent::TickPool() {
  const absl::Time now = runtime::MonotonicNow();
  proxy_->OnTick(now);
  SamplePool(now);
  pool_tick_->Arm(now + http::Listener::kTick);
}

const LedgerStatus* RouterAgent::PoolStatus(const std::vector<LedgerStatus>& statuses) const {
  const auto pool = std::find_if(statuses.begin(), statuses.end(),
                                 [this](const LedgerStatus& status) { return status.tier == pool_tier_; });
  return pool == statuses.end() ? nullptr : &*pool;
}

// Plain servers do not say how busy they are. The ledger's leader knows by the leases, for all routers;
// without a leader each router knows of its own requests.
void RouterAgent::SamplePool(absl::Time now) {
  const std::vector<LedgerStatus> statuses = sessions_.Statuses();
  const LedgerStatus* pool = PoolStatus(statuses);
  double share = driver_.machine().workers().BusyShare(pool_tier_);
  if (pool != nullptr && pool->holding) {
    const auto leased = static_cast<double>(pool->view.leased);
    share = leased / std::max(1.0, leased + static_cast<double>(pool->view.idle));
  }
  if (pool_sampled_ != absl::InfinitePast())
    pool_busy_s_ += share * absl::ToDoubleSeconds(now - pool_sampled_);
  pool_sampled_ = now;
}

// The leader reports the pool, once for all of its routers; while nobody is heard of, whoever knows it does.
void RouterAgent::ReportPool(v1::Report& report) {
  if (proxy_ == nullptr) return;
  SamplePool(runtime::MonotonicNow());
  const double busy_s = std::exchange(pool_busy_s_, 0);
  const std::vector<LedgerStatus> statuses = sessions_.Statuses();
  const LedgerStatus* pool = PoolStatus(statuses);
  if (pool != nullptr && pool->reached && !pool->holding) return;
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (report.workers_size() >= static_cast<int>(WorkerRegistry::kWorkersReportedMax)) break;
    if (!registry_.in_pool(id)) continue;
    v1::WorkerReport& worker = *report.add_workers();
    worker.set_name(addresses_.worker(id).address);
    worker.set_tier(settings_.pool->tier);
    worker.set_address(addresses_.worker(id).address);
    worker.set_healthy(registry_.well(id));
    worker.set_busy_s(busy_s);
    worker.set_plain(true);
  }
}

void RouterAgent::UsePoolWorkers(const std::vector<std::string>& workers) {
  if (pool_workers_ != nullptr) pool_workers_->Set(workers);
}

void RouterAgent::ListPoolWorkers(const std::vector<NamedWorker>& workers) {
  std::set<WorkerId> listed;
  for (const NamedWorker& worker : workers) {
    const WorkerId id = addresses_.WorkerAt(worker.name, runtime::MonotonicNow(), /*local=*/true);
    if (!id.valid()) {
      log_.Error("the table of workers is full; restart this router");
      break;
    }
    listed.insert(id);
    addresses_.worker(id).tier = settings_.pool->tier;
    proxy_->SetWorker(id, worker.name, worker.endpoint);
  }
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (registry_.in_pool(id) && !listed.contains(id)) proxy_->ForgetWorker(id);
  }
  Know(PoolGiven{pool_tier_, {listed.begin(), listed.end()}});
  log_.Info(absl::StrCat("pool of tier ", settings_.pool->tier, ": ", listed.size(), " workers"));
}

void RouterAgent::SetHealth(WorkerId worker, bool healthy) {
  if (!registry_.in_pool(worker)) return;
  log_.Info(absl::StrCat("worker ", addresses_.worker(worker).address,
                         healthy ? " is healthy again" : " fails its health check"));
  Know(PoolWorkerChecked{worker, healthy});
}

bool RouterAgent::DoForPool(RouterAction& action) {
  if (proxy_ == nullptr) return false;
  if (const auto* offer = std::get_if<OfferToWorker>(&action)) {
    const bool ours = proxy_->Owns(offer->job);
    const bool plain = ours || calls_.IsPlain(offer->job);
    const bool speaks_http = proxy_->Knows(offer->worker);
    if (ours && speaks_http) {
      proxy_->Perform(*offer);
    } else if (plain && speaks_http) {
      calls_.Perform(*offer);
    } else if (plain || speaks_http) {
      // A tier has workers of one kind; a job that came by the other door cannot be carried to them.
      Tell(AttemptEnded{.job = offer->job,
                        .attempt = offer->attempt,
                        .worker = offer->worker,
                        .outcome = Outcome::kRejected,
                        .answered = true,
                        .may_have_started = false,
                        .message = "the workers of this tier do not speak the protocol of this request"});
    }
    return plain || speaks_http;
  }
  if (const auto* forward = std::get_if<ForwardToRouter>(&action); forward != nullptr) {
    if (!proxy_->Owns(forward->job)) return false;
    proxy_->Perform(*forward);
    return true;
  }
  if (const auto* withdraw = std::get_if<WithdrawAttempt>(&action)) {
    if (!proxy_->Owns(withdraw->job)) return false;
    proxy_->Perform(*withdraw);
    return true;
  }
  if (auto* end = std::get_if<EndJob>(&action)) {
    if (!proxy_->Owns(end->job)) return false;
    proxy_->Perform(*end);
    return true;
  }
  return false;
}

std::shared_ptr<http::Upstream> RouterAgent::Forward(const ForwardToRouter& forward, Exchange& exchange) {
  metrics_.CountForward(forward);
  v1::JobHeader header = HeaderOf(exchange);
  header.set_tier(settings_.pool->tier);
  header.set_request_id(absl::StrCat(settings_.name, "-http-", forward.attempt));
  header.set_source_region(settings_.region);
  const absl::Duration rtt =
      absl::Milliseconds(fleet_.fleet->world.rtt.ms(fleet_.home, forward.route.target));
  return http_forwards_.Begin(forward, addresses_.PeerStub(forward.router),
                              HeaderForRouter(header, exchange.facts, forward, rtt, runtime::MonotonicNow()),
                              settings_.calls.emulate_rtt ? rtt / 2 : absl::ZeroDuration(), exchange);
}

void RouterAgent::CountEnd(const EndJob& end, const JobFacts& facts) {
  metrics_.CountEnd(end, facts, runtime::MonotonicNow());
}

}  // namespace ringway::router
