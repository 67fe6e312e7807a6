#include "router/dispatch/prober.h"

#include <algorithm>
#include <utility>

#include "router/dispatch/backoff.h"
#include "router/dispatch/probe_round.h"
#include "router/dispatch/scheduling_delay.h"

namespace ringway::dispatch {
namespace {

// When nobody could even be asked, without any backoff configured, asking again at once would spin.
constexpr Duration kSleepMin = Milliseconds(5);
// A job without a token sleeps as long as the backoff allows, and at least this.
constexpr Duration kBrokeSleepMin = Milliseconds(20);
// Rounds after which any backoff has reached its cap.
constexpr int kRoundsToCap = 1000;

}  // namespace

void Prober::Reconfigure(const DispatchSpec& spec) {
  spec_ = spec;
  budget_.Reconfigure(spec.budget);
}

Prober::Probe& Prober::ProbeOf(JobId job) {
  if (!probes_.contains(job)) probes_.resize(job.index() + 1);
  return probes_[job];
}

Prober::Found Prober::Begin(const SlotTurn& turn, JobId job, const SlotRequest& request, bool may_delay) {
  Probe& probe = ProbeOf(job);
  probe.request = request;
  if (request.idle_only) return FindIdle(turn, job);
  if (may_delay && may_wait()) {
    const double busy_share = turn.workers.BusyShare(tier_);
    probe.delay = SchedulingDelay(spec_.delay, busy_share, turn.service_mean, turn.rng);
    if (probe.delay > ZeroDuration()) {
      const Time until = std::min(turn.now + probe.delay, request.latest_start());
      wakes_.Set(job.index(), std::max(turn.now, until));
      return {};
    }
  }
  return StartRound(turn, job);
}

// Known to be idle: one that is free beside this router, or was so a moment ago.
Prober::Found Prober::FindIdle(const SlotTurn& turn, JobId job) {
  for (const WorkerId worker : turn.workers.local_workers(tier_)) {
    if (turn.workers.Idle(worker)) return SlotGranted{job, worker, Lease{}};
  }
  IdleHints& hints = turn.workers.hints(tier_);
  for (WorkerId hint = hints.Take(turn.now, turn.rng); hint.valid(); hint = hints.Take(turn.now, turn.rng)) {
    if (turn.workers.open(hint)) return SlotGranted{job, hint, Lease{}};
  }
  return SlotRefused{job, NoSlot::kNoneIdle};
}

bool Prober::TopUp(Probe& probe, Time now) {
  const int free_offer = probe.request.offers_made == 0 ? 1 : 0;
  const int left = spec_.attempts_max - probe.request.offers_made;
  const int wanted = std::min(spec_.probes_per_round, left) - free_offer;
  if (wanted > probe.reserved) probe.reserved += budget_.Reserve(wanted - probe.reserved, now);
  return probe.reserved + free_offer > 0;
}

Prober::Found Prober::StartRound(const SlotTurn& turn, JobId job) {
  Probe& probe = probes_[job];
  TopUp(probe, turn.now);
  const int affordable = probe.reserved + (probe.request.offers_made == 0 ? 1 : 0);
  const int left = spec_.attempts_max - probe.request.offers_made;
  const int width = std::max(0, std::min({spec_.probes_per_round, affordable, left}));
  ChooseRound(turn.workers, tier_, static_cast<std::size_t>(width), turn.now, turn.rng, probe.round);
  probe.round_next = 0;
  probe.round_granted = false;
  return NextOfRound(turn, job);
}

Prober::Found Prober::NextOfRound(const SlotTurn& turn, JobId job) {
  Probe& probe = probes_[job];
  const bool first = probe.request.offers_made == 0;
  if (first || (probe.reserved > 0 && probe.request.offers_made < spec_.attempts_max)) {
    while (probe.round_next < probe.round.size()) {
      const WorkerId worker = probe.round[probe.round_next++];
      if (!turn.workers.open(worker)) continue;  // another job of ours took it, or it left
      if (!first) --probe.reserved;
      probe.round_granted = true;
      return SlotGranted{job, worker, Lease{}};
    }
  }
  return Sleep(turn, job);
}

Prober::Found Prober::Again(const SlotTurn& turn, JobId job, const SlotRequest& request, bool refused) {
  Probe& probe = ProbeOf(job);
  probe.request = request;
  if (request.idle_only) return SlotRefused{job, NoSlot::kNoneIdle};
  if (!refused && probe.reserved == 0) TopUp(probe, turn.now);
  return NextOfRound(turn, job);
}

Prober::Found Prober::Sleep(const SlotTurn& turn, JobId job) {
  Probe& probe = probes_[job];
  if (probe.request.offers_made >= spec_.attempts_max) return SlotRefused{job, NoSlot::kOffersSpent};
  if (!may_wait()) return SlotRefused{job, NoSlot::kMayNotWait};
  const Time latest = probe.request.latest_start();
  if (turn.now >= latest) return SlotRefused{job, NoSlot::kTooLate};
  // Without a token it keeps its place: a worker that falls free, or a token, may still come in time.
  const bool broke = !TopUp(probe, turn.now);
  if (broke) ++probe.broke;
  const int round = broke ? kRoundsToCap : probe.rounds++;
  Duration sleep = Backoff(spec_.backoff, turn.service_mean, round, turn.rng);
  if (!broke && sleep <= ZeroDuration() && probe.round_granted) {
    return StartRound(turn, job);  // no backoff: at once; round_granted is false again, so this goes one deep
  }
  sleep = std::max(sleep, broke ? kBrokeSleepMin : kSleepMin);
  sleepers_.Join(job, probe.request.priority);
  wakes_.Set(job.index(), std::min(turn.now + sleep, latest));
  return {};
}

void Prober::Pause(JobId job, const SlotRequest& request, Time until) {
  ProbeOf(job).request = request;
  wakes_.Set(job.index(), until);
}

void Prober::Started(JobId job) {
  if (!probes_.contains(job)) return;
  if (std::exchange(probes_[job].invited, false)) turns_.Taken();
  Stop(job);
}

void Prober::Busy(JobId job) {
  if (probes_.contains(job) && std::exchange(probes_[job].invited, false)) turns_.Refused();
}

void Prober::Stop(JobId job) {
  if (!probes_.contains(job)) return;
  wakes_.Clear(job.index());
  sleepers_.Leave(job);
  budget_.Return(std::exchange(probes_[job].reserved, 0));
}

void Prober::Forget(JobId job) {
  if (!probes_.contains(job)) return;
  Stop(job);
  std::vector<WorkerId> kept = std::move(probes_[job].round);  // its memory
  kept.clear();
  probes_[job] = Probe();
  probes_[job].round = std::move(kept);
}

JobId Prober::TakeDue() {
  const JobId job(wakes_.Pop());
  sleepers_.Leave(job);
  return job;
}

Prober::Found Prober::Look(const SlotTurn& turn, JobId job) { return StartRound(turn, job); }

bool Prober::PutOff(const SlotTurn& turn, WorkerId worker) {
  if (sleepers_.size() == 0) return false;
  const Duration wait = turns_.Wait(turn.rng);
  if (wait <= ZeroDuration()) return false;
  // One at a time; another worker that falls free meanwhile is a hint for the next round.
  if (freed_at_ == InfiniteFuture() || !turn.workers.Idle(freed_)) {
    freed_ = worker;
    freed_at_ = turn.now + wait;
  }
  return true;
}

WorkerId Prober::TakeTurn(const SlotTurn& turn) {
  if (freed_at_ > turn.now) return WorkerId();
  freed_at_ = InfiniteFuture();
  return turn.workers.Idle(freed_) ? freed_ : WorkerId();
}

JobId Prober::TakeFor(const SlotTurn& turn, WorkerId worker) {
  const JobId job = sleepers_.front();
  if (!job.valid()) return job;
  if (!turn.workers.open(worker) || probes_[job].request.offers_made >= spec_.attempts_max) return JobId();
  sleepers_.Leave(job);
  wakes_.Clear(job.index());
  return job;
}

SlotGranted Prober::Invite(JobId job, WorkerId worker, bool local) {
  Probe& probe = probes_[job];
  probe.round.assign(1, worker);
  probe.round_next = 1;
  probe.round_granted = true;
  probe.invited = local;
  return SlotGranted{job, worker, Lease{}};
}

}  // namespace ringway::dispatch
