#include "worker/slot.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/plausible_fence.h"

namespace ringway {
namespace {

constexpr std::uint64_t kSerialMax = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::string_view RefusalReason(Refusal refusal) {
  switch (refusal) {
    case Refusal::kBusy:
      return "the worker serves another job";
    case Refusal::kDraining:
      return "the worker is draining";
    case Refusal::kResting:
      return "the worker rests after failures in a row";
    case Refusal::kStaleLease:
      return "the lease was used before, called back, or granted by a ledger leader that has been replaced";
    case Refusal::kDoubleGrant:
      return "the worker serves another lease of the ledger";
    case Refusal::kExpired:
      return "the job's deadline has passed";
  }
  return "unknown";
}

Time Slot::NextWake() const {
  Time wake = resting_until_ == InfinitePast() ? InfiniteFuture() : resting_until_;
  if (phase_ == Phase::kReceiving) wake = std::min(wake, admitted_ + settings_.upload_max);
  if (phase_ == Phase::kReceiving || phase_ == Phase::kRunning) {
    wake = std::min({wake, deadline_, drain_until_});
  }
  return std::min(wake, drain_ends_);
}

SlotView Slot::View(Time now) const {
  SlotView view;
  view.busy = phase_ != Phase::kFree;
  view.draining = draining_;
  view.resting = now < resting_until_;
  view.drain_left = drain_ends_ - now;
  view.fence = gate_.fence();
  view.busy_total = busy_before_;
  if (!view.busy) return view;
  view.attempt = attempt_;
  view.lease = lease_;
  view.grant = grant_;
  view.step = step_;
  view.steps = steps_;
  view.busy_total += now - admitted_;
  view.expected_free = ExpectedFree(now);
  return view;
}

Duration Slot::ExpectedFree(Time now) const {
  if (phase_ == Phase::kFree) return ZeroDuration();
  const bool runs = phase_ != Phase::kReceiving;
  const Duration elapsed = runs ? now - started_ : ZeroDuration();
  Duration remaining = history_.Remaining(elapsed, step_, steps_);
  // The deadline bounds the stay, except for a backend that is slow to stop.
  if (now < deadline_) remaining = std::min(remaining, deadline_ - now);
  return remaining;
}

void Slot::On(Time now, const SlotOffer& offer, std::vector<SlotAction>& actions) {
  const auto refuse = [&](Refusal reason, Duration retry_after) {
    actions.push_back(RefuseAttempt{offer.attempt, reason, retry_after});
  };
  const bool granted = offer.grant != Lease{};
  if (granted) gate_.Object(now, offer.grant);
  const bool obeyed = gate_.Opens(offer.grant) && IsPlausible(gate_.fence().fence, offer.grant.fence);
  if (granted && !obeyed) return refuse(Refusal::kStaleLease, ZeroDuration());
  // A newer leader is obeyed even when its offer cannot be served.
  if (granted && gate_.fence().fence < offer.grant.fence) gate_.Raise({offer.grant.fence, 0}, now);
  if (offer.deadline <= now) return refuse(Refusal::kExpired, ZeroDuration());
  if (draining_) return refuse(Refusal::kDraining, ZeroDuration());
  if (phase_ != Phase::kFree) {
    const bool both_granted = granted && grant_ != Lease{};
    return refuse(both_granted ? Refusal::kDoubleGrant : Refusal::kBusy, ExpectedFree(now));
  }
  if (now < resting_until_) return refuse(Refusal::kResting, resting_until_ - now);

  // A lease numbered 0 was just raised past: nobody grants it.
  if (granted && !gate_.Pass(offer.grant)) return refuse(Refusal::kStaleLease, ZeroDuration());
  phase_ = Phase::kReceiving;
  attempt_ = offer.attempt;
  if (lease_ != offer.lease) lease_ = offer.lease;
  grant_ = offer.grant;
  admitted_ = now;
  deadline_ = offer.deadline;
  step_ = steps_ = 0;
  actions.push_back(AdmitAttempt{attempt_});
  actions.push_back(StateChanged{});
}

void Slot::On(Time now, const SlotPayloadComplete& complete, std::vector<SlotAction>& actions) {
  if (!Holds(complete.attempt) || phase_ != Phase::kReceiving) return;
  phase_ = Phase::kRunning;
  started_ = now;
  actions.push_back(StartJob{attempt_});
}

void Slot::On(Time, const SlotProgress& progress, std::vector<SlotAction>&) {
  if (!Holds(progress.attempt) || phase_ == Phase::kReceiving) return;
  if (progress.step < step_ || progress.step > progress.steps) return;
  step_ = progress.step;
  steps_ = progress.steps;
}

void Slot::On(Time now, const SlotFinished& finished, std::vector<SlotAction>& actions) {
  if (!Holds(finished.attempt) || phase_ == Phase::kReceiving) return;
  // A backend that stopped because it was asked to ends the way the asker said; one that was faster than the
  // request is taken at its word.
  const bool obeyed = phase_ == Phase::kStopping && finished.outcome == Outcome::kCancelled;
  const Outcome outcome = obeyed ? stop_outcome_ : finished.outcome;
  if (outcome == Outcome::kDone) history_.Add(now - started_);
  NoteHealth(now, outcome);
  Release(now, outcome, actions);
}

void Slot::On(Time now, const SlotWithdraw& withdraw, std::vector<SlotAction>& actions) {
  if (Holds(withdraw.attempt)) Stop(now, Outcome::kCancelled, actions);
}

void Slot::On(Time now, const SlotDrain& drain, std::vector<SlotAction>& actions) {
  drain_ends_ = drain.drain ? now + drain.lasts : InfiniteFuture();
  if (draining_ == drain.drain) return;
  draining_ = drain.drain;
  drain_until_ = draining_ ? now + settings_.drain_max : InfiniteFuture();
  actions.push_back(StateChanged{});
}

void Slot::On(Time now, const SlotFenced& fenced, std::vector<SlotAction>& actions) {
  if (!IsPlausible(gate_.fence().fence, fenced.by)) return;
  if (fenced.by < gate_.fence().fence) gate_.Object(now, {fenced.by, kSerialMax});
  if (fenced.by < gate_.fence().fence) return;
  gate_.Raise({fenced.by, 0}, now);
  // A leader cannot call back what only a later one may grant.
  if (fenced.upto.fence <= fenced.by) gate_.Raise(fenced.upto, now);
  const bool runs = phase_ != Phase::kFree && grant_ != Lease{} && grant_ == fenced.upto;
  if (fenced.revoke && runs) Stop(now, Outcome::kCancelled, actions);
}

void Slot::On(Time now, const SlotWake&, std::vector<SlotAction>& actions) {
  if (resting_until_ != InfinitePast() && now >= resting_until_) {
    resting_until_ = InfinitePast();
    actions.push_back(StateChanged{});
  }
  if (now >= drain_ends_) On(now, SlotDrain{false}, actions);
  if (phase_ == Phase::kFree || phase_ == Phase::kStopping) return;
  if (now >= deadline_) return Stop(now, Outcome::kTimeout, actions);
  const bool stalled = phase_ == Phase::kReceiving && now >= admitted_ + settings_.upload_max;
  if (stalled) return Stop(now, Outcome::kTimeout, actions);
  if (now >= drain_until_) return Stop(now, Outcome::kCancelled, actions);
}

void Slot::Stop(Time now, Outcome outcome, std::vector<SlotAction>& actions) {
  if (phase_ == Phase::kReceiving) return Release(now, outcome, actions);
  if (phase_ != Phase::kRunning) return;
  phase_ = Phase::kStopping;
  stop_outcome_ = outcome;
  actions.push_back(StopJob{attempt_});
}

void Slot::Release(Time now, Outcome outcome, std::vector<SlotAction>& actions) {
  const Duration held = now - admitted_;
  busy_before_ += held;
  phase_ = Phase::kFree;
  actions.push_back(AttemptEnded{attempt_, outcome, held});
  actions.push_back(StateChanged{});
}

void Slot::NoteHealth(Time now, Outcome outcome) {
  if (outcome == Outcome::kDone) failures_in_row_ = 0;
  if (outcome != Outcome::kFailed && outcome != Outcome::kBusy) return;
  if (++failures_in_row_ >= settings_.failures_before_rest) resting_until_ = now + settings_.rest;
}

}  // namespace ringway
