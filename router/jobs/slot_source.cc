#include "router/jobs/slot_source.h"

#include <type_traits>
#include <utility>

namespace ringway::router {
namespace {

using dispatch::NoSlot;
using dispatch::SlotGranted;
using dispatch::SlotRefused;
using dispatch::SlotRequest;

// What the news of an end needs at most, from a worker of the region.
constexpr Duration kEndingPause = Milliseconds(1);
// That no worker is idle is believed for so long, where a table sheds: else each refused job would ask.
constexpr Duration kNoneIdleStands = Milliseconds(50);
// Between two BUSY answers to granted offers of one job; doubles with each.
constexpr Duration kBusyPauseFirst = Milliseconds(10);
constexpr Duration kBusyPauseMax = Milliseconds(500);

}  // namespace

void SlotSource::Reconfigure(const DispatchSpec& spec) {
  spec_ = spec;
  prober_.Reconfigure(spec);
}

void SlotSource::Acquire(const SlotTurn& turn, JobId job, const SlotRequest& request) {
  // In the ledger's line a burst is served gradually as it is, and a delay would only idle workers.
  if (LedgerReachable(turn.now)) {
    Seek(turn, job, request);
  } else {
    Add(prober_.Begin(turn, job, request, /*may_delay=*/true));
  }
}

void SlotSource::Seek(const SlotTurn& turn, JobId job, const SlotRequest& request) {
  if (!LedgerReachable(turn.now)) {
    Add(prober_.Begin(turn, job, request, /*may_delay=*/false));
  } else if (request.offers_made >= spec_.attempts_max) {
    answers_.push_back(SlotRefused{job, request.idle_only ? NoSlot::kNoneIdle : NoSlot::kOffersSpent});
  } else {
    client_.Begin(turn.now, job, request, answers_);
  }
}

void SlotSource::Retry(const SlotTurn& turn, JobId job, const SlotRequest& request,
                       const FailedOffer& failed) {
  if (failed.leased) {
    RetryGranted(turn, job, request, failed);
  } else {
    Add(prober_.Again(turn, job, request, failed.refused));
  }
}

// At once after the first BUSY, then after a while: each may be news that crossed the grant, but not all.
void SlotSource::RetryGranted(const SlotTurn& turn, JobId job, const SlotRequest& request,
                              const FailedOffer& failed) {
  if (failed.busy_answers < 2) return Seek(turn, job, request);
  if (failed.busy_answers >= kBusyAnswersMax) {
    answers_.push_back(SlotRefused{job, NoSlot::kBusyAnswers});
    return;
  }
  const std::int64_t doubled = std::int64_t{1} << (failed.busy_answers - 2);
  const Duration pause =
      std::min(kBusyPauseFirst * doubled, kBusyPauseMax) * (0.5 + 0.5 * turn.rng.Uniform());
  prober_.Pause(job, request, std::min(turn.now + pause, request.latest_start()));
}

void SlotSource::Leave(const SlotTurn& turn, JobId job) {
  if (client_.Waits(job)) {
    client_.Leave(turn.now, job, answers_);  // the leader says first that the job has left its line
  } else {
    prober_.Stop(job);
    answers_.push_back(dispatch::LineLeft{job});
  }
}

void SlotSource::Ended(JobId job, Outcome outcome, Duration retry_after, ledger::Contact contact) {
  client_.End(job, outcome, retry_after, answers_, contact);
  if (outcome == Outcome::kBusy || outcome == Outcome::kShed) prober_.Busy(job);
}

void SlotSource::Forget(JobId job, Outcome outcome, Duration retry_after) {
  client_.Abandon(job, answers_);
  client_.End(job, outcome, retry_after, answers_);
  prober_.Forget(job);
}

// The worker asked for the job, so this offer is no retry: there are no more of them than jobs that ended.
void SlotSource::WakeFor(const SlotTurn& turn, WorkerId worker, bool beside) {
  const JobId job = prober_.TakeFor(turn, worker);
  if (!job.valid()) return;
  if (LedgerReachable(turn.now)) {
    Seek(turn, job, prober_.request(job));  // the worker is the leader's to give
  } else {
    answers_.push_back(prober_.Invite(job, worker, beside));
  }
}

bool SlotSource::MayBeIdle(Time now, const dispatch::WorkerView& workers, TierId tier) const {
  return LedgerReachable(now) ? now >= none_idle_until_ : workers.BusyShare(tier) < 1;
}

void SlotSource::Hear(Time now, const ledger::LedgerAction& answer) {
  std::visit(
      [&](const auto& a) {
        using A = std::decay_t<decltype(a)>;
        constexpr bool kForWorkers =
            std::is_same_v<A, ledger::FenceWorker> || std::is_same_v<A, ledger::Revoke>;
        if constexpr (!kForWorkers) client_.On(now, a, answers_);
      },
      answer);
}

void SlotSource::HearAlive(Time now, bool again, bool redirects) {
  redirects_ = redirects;
  if (again) {
    client_.Reconnect(now, answers_);
  } else {
    client_.Heard(now);
  }
}

void SlotSource::WakeOne(const SlotTurn& turn) {
  if (const WorkerId worker = prober_.TakeTurn(turn); worker.valid()) {
    WakeFor(turn, worker, /*beside=*/true);
  } else if (prober_.Due(turn.now)) {
    answers_.push_back(dispatch::RoundDue{prober_.TakeDue()});
  } else if (client_.NextWake() <= turn.now) {
    client_.Wake(turn.now, answers_);
  }
}

bool SlotSource::ReadOn(const SlotTurn& turn) {
  reading_.clear();
  read_ = 0;
  while (answers_.empty()) {
    if (NextWake() > turn.now) return false;
    WakeOne(turn);
  }
  reading_.swap(answers_);
  return true;
}

bool SlotSource::Concerns(const SlotTurn& turn, const Answer& answer) {
  if (const auto* granted = std::get_if<SlotGranted>(&answer)) return MayOffer(turn, *granted);
  if (const auto* none = std::get_if<ledger::NoLeader>(&answer)) {
    const RegionId prefers = client_.request(none->job).prefers;
    if (prefers.valid()) {
      answers_.push_back(dispatch::SlotElsewhere{none->job, prefers, /*landing=*/false});
      return false;
    }
    Add(prober_.Begin(turn, none->job, client_.request(none->job), /*may_delay=*/false));
    return false;
  }
  if (const auto* refused = std::get_if<SlotRefused>(&answer)) {
    if (refused->why == NoSlot::kNoneIdle) none_idle_until_ = turn.now + kNoneIdleStands;
  }
  return true;
}

bool SlotSource::MayOffer(const SlotTurn& turn, const SlotGranted& granted) {
  const JobId job = granted.job;
  if (granted.lease == Lease{}) {
    if (turn.workers.open(granted.worker)) return true;
    // Another job took it since, in this very turn.
    if (!prober_.Waits(job)) Add(prober_.Again(turn, job, prober_.request(job), /*refused=*/true));
    return false;
  }
  if (!client_.HoldsLease(job)) return false;  // granted and lost in one turn
  const bool listed = turn.workers.listed(granted.worker);
  const bool ending = listed && turn.workers.held(granted.worker) != 0;
  // Whether a worker is fit is the ledger's to say: who turned its grants down could do so for ever.
  if (listed && !ending) return true;
  // An own offer there has not ended yet for us, though the worker says so: the slot is free in a moment, and
  // is requested again after one, because a leader in this very process would grant it at once, again and
  // again. Else the directory has not told us of the worker, and somebody else shall have it.
  const SlotRequest request = client_.request(job);
  client_.End(job, ending ? Outcome::kShed : Outcome::kBusy, ZeroDuration(), answers_);
  if (ending) {
    prober_.Pause(job, request, turn.now + kEndingPause);
  } else {
    Seek(turn, job, request);
  }
  return false;
}

void SlotSource::Add(const dispatch::Prober::Found& found) {
  if (const auto* granted = std::get_if<SlotGranted>(&found)) answers_.push_back(*granted);
  if (const auto* refused = std::get_if<SlotRefused>(&found)) answers_.push_back(*refused);
}

}  // namespace ringway::router
