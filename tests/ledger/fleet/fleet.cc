#include "tests/ledger/fleet/fleet.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace ringway::ledger::fleet {
namespace {

constexpr Duration kAnnouncePeriod = Seconds(1);
constexpr Duration kHeartbeatPeriod = Milliseconds(100);

// Standard normal quantile; only the few that the settings use.
double NormalQuantile(double q) {
  RINGWAY_CHECK(q == 0.5 || q == 0.75 || q == 0.9);
  if (q == 0.75) return 0.6745;
  return q == 0.9 ? 1.2816 : 0;
}

// What the routers are told to expect: the quantile of the law that the jobs are drawn from.
Duration ExpectedService(const sim::ServiceLaw& law, double quantile) {
  if (const auto* log_normal = std::get_if<sim::LogNormalService>(&law)) {
    const double variance = std::log1p(log_normal->cv * log_normal->cv);
    return Seconds(log_normal->mean_s *
                   std::exp(NormalQuantile(quantile) * std::sqrt(variance) - variance / 2));
  }
  if (const auto* exponential = std::get_if<sim::ExponentialService>(&law)) {
    return Seconds(exponential->mean_s * -std::log(1 - quantile));
  }
  return Seconds(sim::MeanServiceS(law));
}

}  // namespace

Fleet::Fleet(const FleetSettings& settings, LeaseChecker* checker)
    : settings_(settings),
      checker_(checker),
      mail_(settings.network, settings.seed),
      arrivals_rng_(settings.seed, 1),
      service_rng_(settings.seed, 2),
      users_rng_(settings.seed, 3),
      counted_from_(UnixEpoch() + settings.warm_up),
      expected_(ExpectedService(settings.service, settings.guard_quantile)) {
  for (int r = 0; r < settings.routers; ++r) {
    routers_.push_back({.client = LedgerClient(RouterId(r), UnixEpoch(), settings.client),
                        .budget = dispatch::RetryBudget(settings.budget),
                        .rng = Rng(settings.seed, 1000 + r)});
  }
  for (int h = 0; h < settings.leaders; ++h) leaders_.push_back({.ledger = SlotLedger(settings.ledger)});
  for (int w = 0; w < settings.workers; ++w) {
    workers_.push_back({.gate = LeaseGate(UnixEpoch())});
    // Spread over the period, as they would be.
    Push(kAnnouncePeriod * w / settings.workers, kAnnounce, static_cast<std::uint32_t>(w));
  }
  for (std::size_t i = 0; i < settings_.faults.size(); ++i) {
    Push(settings_.faults[i].begin, kFault, static_cast<std::uint32_t>(i), 1);
    Push(settings_.faults[i].end, kFault, static_cast<std::uint32_t>(i), 0);
  }
  if (settings_.policy == Policy::kLedger) Appoint(0);
  for (std::uint32_t h = 0; h < leaders_.size(); ++h) Push(kHeartbeatPeriod, kBeat, h);
  Push(ZeroDuration(), kArrival, 0);
}

const Tally& Fleet::Run() {
  RunUntil(settings_.duration);
  StopArrivals();
  // Each job ends at its deadline at the latest, so this is bounded by the patience of the users.
  while (jobs_open_ > 0) Dispatch(queue_.Pop());
  return tally_;
}

void Fleet::RunUntil(Duration at) {
  const std::int64_t end_ns = ToInt64Nanoseconds(at);
  while (!queue_.empty() && queue_.NextTime() <= end_ns) Dispatch(queue_.Pop());
}

void Fleet::Push(Duration after, EventKind kind, std::uint32_t subject, std::uint32_t detail) {
  queue_.Push(queue_.now_ns() + ToInt64Nanoseconds(after), kind, subject, detail);
}

void Fleet::Dispatch(const sim::SimEvent& event) {
  const std::uint32_t subject = event.subject;
  const JobId job(event.detail >> 16);
  switch (static_cast<EventKind>(event.kind())) {
    case kArrival:
      return Arrive();
    case kMessage:
      return Deliver(subject);
    case kFinish:
      return Finish(subject, event.detail);
    case kLeaderWake:
      if (leaders_[subject].wake <= Now()) StepLeader(subject, Wake{});
      return;
    case kRouterWake:
      return WakeRouter(subject);
    case kRetry:
      if (Find(subject, job, event.detail) != nullptr) Retry(subject, job);
      return;
    case kDeadline:
      if (Find(subject, job, event.detail) != nullptr) DeadlinePassed(subject, job);
      return;
    case kResubmit:
      return AddJob(subject);
    case kAnnounce:
      Announce(subject);
      return Push(kAnnouncePeriod, kAnnounce, subject);
    case kBeat:
      if (leaders_[subject].alive && leaders_[subject].ledger.View().holding) {
        for (std::uint32_t r = 0; r < routers_.size(); ++r) {
          Send({Process::Kind::kLeader, subject}, {Process::Kind::kRouter, r}, Heartbeat{});
        }
      }
      return Push(kHeartbeatPeriod, kBeat, subject);
    case kFault:
      return event.detail == 1 ? Begin(settings_.faults[subject]) : End(settings_.faults[subject]);
    case kReappoint:
      return Appoint(subject);
  }
}

void Fleet::Appoint(std::uint32_t leader) {
  const bool fresh = !leader_.router.valid();
  leader_ = {RouterId(leader), {1, leader_.fence.appointment + 1}};
  const Process controller{Process::Kind::kController, 0};
  const Process to{Process::Kind::kLeader, leader};
  if (!settings_.ledger.workers_announce || !fresh) {
    for (std::size_t w = 0; w < workers_.size(); ++w)
      Send(controller, to, LedgerEvent(WorkerListed{WorkerId(w)}));
  }
  Send(controller, to, LedgerEvent(Appointed{leader_.fence, fresh}));
  for (std::uint32_t r = 0; r < routers_.size(); ++r) Send(controller, {Process::Kind::kRouter, r}, leader_);
  if (!fresh) return;
  for (Worker& worker : workers_) worker.leader = leader;
}

void Fleet::Depose() {
  const Fence next{leader_.fence.leader_epoch, leader_.fence.appointment + 1};
  const Process seated{Process::Kind::kLeader, leader_.router.value()};
  Send({Process::Kind::kController, 0}, seated, LedgerEvent(Deposed{next}));
}

void Fleet::KillLeader(std::uint32_t leader) {
  Leader& dead = leaders_[leader];
  ++dead.life;
  dead.ledger = SlotLedger(settings_.ledger);
  dead.wake = InfiniteFuture();
}

void Fleet::KillRouter(std::uint32_t number) {
  Router& router = routers_[number];
  ++router.life;
  for (JobId job(0); job.index() < router.jobs.size(); job = JobId(job.index() + 1)) {
    Job& dying = router.jobs[job.index()];
    if (!dying.open) continue;
    if (dying.asking && checker_ != nullptr) checker_->AskEnded(dying.serial);
    // Its streams break, so its workers stop what they do for it.
    if (dying.worker) {
      Send({Process::Kind::kController, 0}, {Process::Kind::kWorker, dying.worker->value()},
           Cancel{{RouterId(number), job, dying.serial}});
    }
    dying.asking = false;
    EndJob(number, job);
  }
  if (checker_ != nullptr) checker_->RouterDied(RouterId(number), ToUnixMicros(Now()));
  router.client = LedgerClient(RouterId(number), Now(), settings_.client);
  router.wake = InfiniteFuture();
  for (std::uint32_t h = 0; h < leaders_.size(); ++h) {
    Send({Process::Kind::kController, 0}, {Process::Kind::kLeader, h},
         LedgerEvent(RouterGone{RouterId(number)}));
  }
  Send({Process::Kind::kController, 0}, {Process::Kind::kRouter, number}, leader_);
}

void Fleet::Begin(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kWorkersOff:
      for (std::uint32_t w = 0; w < workers_.size() * fault.size; ++w) {
        StopRun(w, Outcome::kFailed);
        workers_[w].off = true;
      }
      return;
    case FaultKind::kLoad:
      load_factor_ = fault.size;
      return;
    case FaultKind::kLeaderKilled:
      KillLeader(leader_.router.value());
      Push(settings_.reappoint_after, kReappoint, (leader_.router.value() + 1) % leaders_.size());
      return;
    case FaultKind::kSlow:
      slow_factor_ = fault.size;
      return;
  }
}

void Fleet::End(const Fault& fault) {
  if (fault.kind == FaultKind::kLoad) load_factor_ = 1;
  if (fault.kind == FaultKind::kSlow) slow_factor_ = 1;
  if (fault.kind != FaultKind::kWorkersOff) return;
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    if (!workers_[w].off) continue;
    workers_[w].off = false;
    Announce(w);
  }
}

SecondTally& Fleet::Second() {
  const auto second = static_cast<std::size_t>(queue_.now_ns() / 1'000'000'000);
  if (second >= tally_.seconds.size()) tally_.seconds.resize(second + 1);
  return tally_.seconds[second];
}

}  // namespace ringway::ledger::fleet
