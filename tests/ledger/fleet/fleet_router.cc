// The routers of the small fleet: what a router's machine does around its LedgerClient, in a few lines.
#include <algorithm>

#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {
namespace {

constexpr Duration kNaiveRetry = Milliseconds(20);
constexpr int kProbesPerRound = 16;
constexpr double kBackoffOfService = 0.06;

std::uint32_t Detail(JobId job, std::uint64_t serial) {
  return job.value() << 16 | static_cast<std::uint32_t>(serial & 0xffffu);
}

}  // namespace

void Fleet::Arrive() {
  if (!arrivals_open_) return;
  const double mean_s = sim::MeanServiceS(settings_.service);
  const double per_s = settings_.rho * settings_.workers / mean_s * load_factor_;
  const double gap_s = arrivals_rng_.Exponential() / per_s;
  const auto router = static_cast<std::uint32_t>(arrivals_rng_.Below(routers_.size()));
  Push(Seconds(gap_s), kArrival, 0);
  ++Second().fresh;
  AddJob(router);
}

void Fleet::AddJob(std::uint32_t number) {
  Router& router = routers_[number];
  if (router.free.empty()) {
    router.free.push_back(JobId(router.jobs.size()));
    router.jobs.emplace_back();
  }
  const JobId id = router.free.back();
  router.free.pop_back();
  Job& job = router.jobs[id.index()];
  job = {.serial = ++last_serial_,
         .arrived = Now(),
         .deadline = Now() + settings_.patience,
         .service_s = sim::DrawServiceS(settings_.service, service_rng_),
         .open = true};
  ++jobs_open_;
  router.budget.OnArrival(Now());
  ++Second().arrived;
  if (Counted(job.arrived)) ++tally_.arrived;
  Push(settings_.patience, kDeadline, number, Detail(id, job.serial));
  if (settings_.policy == Policy::kLedger) return Acquire(number, id);
  Probe(number, id);
}

void Fleet::Acquire(std::uint32_t number, JobId id) {
  Job& job = routers_[number].jobs[id.index()];
  SlotRequest wish{0, job.arrived, job.deadline, Expected()};
  // Feasible for as long as the question travels, and no longer.
  if (settings_.no_wait) {
    wish.deadline = Now() + settings_.network.hop * (1 + settings_.network.jitter) + Expected() +
                    settings_.ledger.start_margin;
  }
  job.asking = true;
  if (checker_ != nullptr) checker_->AskBegun(job.serial);
  std::vector<ClientAction> actions;
  routers_[number].client.Begin(Now(), id, wish, actions);
  Act(number, actions);
}

void Fleet::Act(std::uint32_t number, const std::vector<ClientAction>& actions) {
  for (const ClientAction& action : actions) Act(number, action);
  Router& router = routers_[number];
  const Time wake = router.client.NextWake();
  if (wake >= router.wake && router.wake > Now()) return;
  router.wake = std::max(wake, Now());
  if (wake != InfiniteFuture()) Push(router.wake - Now(), kRouterWake, number);
}

void Fleet::Act(std::uint32_t number, const ClientAction& action) {
  Router& router = routers_[number];
  if (const auto* tell = std::get_if<TellLeader>(&action)) {
    if (const auto* acquire = std::get_if<ledger::Acquire>(&tell->event)) {
      Job& job = router.jobs[acquire->key.slot];
      job.generation = acquire->key.generation;
      const RequestKey before{acquire->key.router, acquire->key.slot, acquire->key.generation - 1};
      if (checker_ != nullptr) checker_->Voided(before);
    }
    const auto* release = std::get_if<Release>(&tell->event);
    if (release != nullptr && release->outcome == Outcome::kShed && checker_ != nullptr) {
      checker_->GivenUp(release->worker, release->lease);
    }
    Send({Process::Kind::kRouter, number}, {Process::Kind::kLeader, tell->leader.value()}, tell->event);
  } else if (const auto* granted = std::get_if<SlotGranted>(&action)) {
    AskOver(router.jobs[granted->job.index()]);
    OfferTo(number, granted->job, granted->worker, granted->lease);
  } else if (const auto* refused = std::get_if<SlotRefused>(&action)) {
    AskOver(router.jobs[refused->job.index()]);
    Lost(number, refused->job, true);
  } else if (const auto* left = std::get_if<LineLeft>(&action)) {
    AskOver(router.jobs[left->job.index()]);
    Lost(number, left->job, true);
  } else if (const auto* none = std::get_if<NoLeader>(&action)) {
    Job& job = router.jobs[none->job.index()];
    AskOver(job);
    if (checker_ != nullptr) checker_->Voided({RouterId(number), none->job.value(), job.generation});
    Probe(number, none->job);
  } else if (const auto* lost = std::get_if<SlotLost>(&action)) {
    // On its way or running: the stream is closed; the user gets an error, for the job may have started.
    Send({Process::Kind::kRouter, number}, {Process::Kind::kWorker, lost->worker.value()},
         Cancel{{RouterId(number), lost->job, router.jobs[lost->job.index()].serial}});
    Lost(number, lost->job, false);
  }
}

void Fleet::AskOver(Job& job) {
  if (checker_ != nullptr) checker_->AskEnded(job.serial);
  job.asking = false;
}

void Fleet::OfferTo(std::uint32_t number, JobId id, WorkerId worker, const Lease& lease) {
  Job& job = routers_[number].jobs[id.index()];
  job.worker = worker;
  job.lease = lease;
  if (lease != Lease{} && checker_ != nullptr) checker_->Offered(worker, lease);
  if (Counted(job.arrived)) ++tally_.offers;
  ++Second().offers;
  Send({Process::Kind::kRouter, number}, {Process::Kind::kWorker, worker.value()},
       Offer{{RouterId(number), id, job.serial}, lease, job.service_s});
}

void Fleet::Probe(std::uint32_t number, JobId id) {
  Router& router = routers_[number];
  Job& job = router.jobs[id.index()];
  const bool naive = settings_.policy == Policy::kNaive;
  if (!naive && Now() + Expected() > job.deadline) return Lost(number, id, true);
  if (!naive && settings_.no_wait && job.probes >= kProbesPerRound) return Lost(number, id, true);
  // Offers after a job's first come out of the router's budget.
  if (!naive && job.probes > 0 && router.budget.Reserve(1, Now()) == 0) return Sleep(number, id);
  ++job.probes;
  OfferTo(number, id, WorkerId(router.rng.Below(workers_.size())), Lease{});
}

void Fleet::Retry(std::uint32_t number, JobId id) {
  if (settings_.policy == Policy::kLedger) return Acquire(number, id);
  Probe(number, id);
}

void Fleet::Hear(std::uint32_t number, const Answer& answer) {
  Router& router = routers_[number];
  const JobId id = answer.name.job;
  const bool done = answer.outcome == Outcome::kDone;
  if (id.index() >= router.jobs.size()) return;
  Job& job = router.jobs[id.index()];
  if (!job.open || job.serial != answer.name.serial || job.worker != answer.worker) {
    if (done) tally_.wasted_s += answer.held_s;
    return;
  }
  job.worker.reset();
  std::vector<ClientAction> actions;
  if (job.lease != Lease{}) {
    const bool unstarted = answer.outcome == Outcome::kBusy || answer.held_s == 0;
    if (unstarted && checker_ != nullptr) checker_->GivenUp(answer.worker, job.lease);
    router.client.End(id, answer.outcome, ZeroDuration(), actions);
    Act(number, actions);
  }
  if (done) {
    tally_.useful_s += answer.held_s;
    ++Second().done;
    if (Counted(job.arrived)) {
      ++tally_.done;
      tally_.waits_s.push_back(ToDoubleSeconds(Now() - job.arrived) - answer.held_s);
    }
    return EndJob(number, id);
  }
  if (answer.outcome == Outcome::kCancelled || answer.held_s > 0) return Lost(number, id, false);
  const bool probing = job.lease == Lease{};
  job.lease = {};
  if (settings_.policy == Policy::kNaive) {
    return Push(kNaiveRetry, kRetry, number, Detail(id, job.serial));
  }
  if (!probing) return Acquire(number, id);
  if (job.probes % kProbesPerRound != 0) return Probe(number, id);
  Sleep(number, id);
}

void Fleet::Sleep(std::uint32_t number, JobId id) {
  Router& router = routers_[number];
  const double ceiling_s = kBackoffOfService * sim::MeanServiceS(settings_.service);
  Push(Seconds(router.rng.Uniform() * ceiling_s), kRetry, number, Detail(id, router.jobs[id.index()].serial));
}

void Fleet::DeadlinePassed(std::uint32_t number, JobId id) {
  Job& job = routers_[number].jobs[id.index()];
  if (job.asking) return;  // the ledger refuses it in this very moment
  if (job.worker) {
    if (Counted(job.arrived)) ++tally_.late;
    // The naive router does not tell the worker that the client has left.
    if (settings_.policy == Policy::kLedger) {
      Send({Process::Kind::kRouter, number}, {Process::Kind::kWorker, job.worker->value()},
           Cancel{{RouterId(number), id, job.serial}});
      std::vector<ClientAction> actions;
      routers_[number].client.End(id, Outcome::kTimeout, ZeroDuration(), actions);
      Act(number, actions);
    }
  }
  Lost(number, id, false);
}

void Fleet::Lost(std::uint32_t number, JobId id, bool cut_off) {
  const Job& job = routers_[number].jobs[id.index()];
  if (cut_off && Counted(job.arrived)) ++tally_.refused;
  EndJob(number, id);
  if (settings_.resubmit > 0 && arrivals_open_ && users_rng_.Chance(settings_.resubmit)) {
    Push(settings_.think * users_rng_.Exponential(), kResubmit, number);
  }
}

void Fleet::EndJob(std::uint32_t number, JobId id) {
  Router& router = routers_[number];
  router.jobs[id.index()].open = false;
  router.free.push_back(id);
  --jobs_open_;
}

void Fleet::WakeRouter(std::uint32_t number) {
  Router& router = routers_[number];
  if (router.wake > Now()) return;
  std::vector<ClientAction> actions;
  router.client.Wake(Now(), actions);
  Act(number, actions);
}

Fleet::Job* Fleet::Find(std::uint32_t number, JobId id, std::uint32_t serial_low) {
  std::vector<Job>& jobs = routers_[number].jobs;
  if (id.index() >= jobs.size()) return nullptr;
  Job& job = jobs[id.index()];
  return job.open && (job.serial & 0xffffu) == (serial_low & 0xffffu) ? &job : nullptr;
}

}  // namespace ringway::ledger::fleet
