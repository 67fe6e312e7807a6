#include "router/dispatch/ledger/ledger_client.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::ledger {

void LedgerClient::Follow(Time now, const CurrentLeader& leader, std::vector<ClientAction>& actions) {
  if (leader.fence < leader_.fence) return;
  if (leader.fence == leader_.fence && leader.router == leader_.router) return;
  // What has been said to a leader that is replaced says nothing to the next.
  if (leader_.fence < leader.fence) ended_.clear();
  leader_ = leader;
  Heard(now);
  if (!leader.router.valid()) {
    GiveUp(actions);
    return;
  }
  // Backwards, because Close moves the last entry into the gap.
  for (std::size_t i = live_.size(); i-- > 0;) {
    const JobId job = live_[i];
    Entry& entry = entries_[job];
    if (entry.state == State::kRequested) {
      ++entry.generation;
      SendRequest(job, requests_[job], actions);
    } else if (entry.state == State::kLeaving) {
      // The old leader cannot grant any more, and the new one was never asked.
      Close(job);
      actions.push_back(LineLeft{job});
    } else {
      Tell(Renew{self_, entry.worker, entry.lease}, actions);
    }
  }
  RepeatLast(actions);
}

void LedgerClient::Reconnect(Time now, std::vector<ClientAction>& actions) {
  Heard(now);
  for (const JobId job : live_) {
    const Entry& entry = entries_[job];
    if (entry.state == State::kRequested) SendRequest(job, requests_[job], actions);
    if (entry.state == State::kLeaving) Tell(Withdraw{KeyOf(job)}, actions);
    if (entry.state == State::kHeld) Tell(Renew{self_, entry.worker, entry.lease}, actions);
  }
  RepeatLast(actions);
}

void LedgerClient::Begin(Time now, JobId job, const SlotRequest& request,
                         std::vector<ClientAction>& actions) {
  if (!entries_.contains(job)) {
    entries_.resize(job.index() + 1);
    requests_.resize(job.index() + 1);
  }
  Entry& entry = entries_[job];
  RINGWAY_CHECK(entry.state == State::kNone);
  if (!Reachable(now)) {
    actions.push_back(NoLeader{job});
    return;
  }
  requests_[job] = request;
  entry.generation = std::max(entry.generation, first_generation_) + 1;
  Open(job, State::kRequested);
  SendRequest(job, request, actions);
}

void LedgerClient::Leave(Time, JobId job, std::vector<ClientAction>& actions) {
  Entry& entry = entries_[job];
  RINGWAY_CHECK(entry.state == State::kRequested);
  entry.state = State::kLeaving;
  Tell(Withdraw{KeyOf(job)}, actions);
}

void LedgerClient::Abandon(JobId job, std::vector<ClientAction>& actions) {
  if (!entries_.contains(job)) return;
  const State state = entries_[job].state;
  if (state == State::kNone || state == State::kHeld) return;
  if (state == State::kRequested) TellLast(Withdraw{KeyOf(job)}, actions);
  Close(job);
}

void LedgerClient::End(JobId job, Outcome outcome, Duration retry_after, std::vector<ClientAction>& actions,
                       Contact contact) {
  if (!HoldsLease(job)) return;
  Entry& entry = entries_[job];
  entry.ended = outcome;
  TellLast(Release{entry.worker, entry.lease, outcome, retry_after, contact}, actions);
  Close(job);
}

void LedgerClient::On(Time now, const Grant& grant, std::vector<ClientAction>& actions) {
  // A deposed leader's grant binds nobody, and giving it back would reach the wrong one.
  if (grant.lease.fence < leader_.fence) return;
  Heard(now);
  // From a leader appointed again, which the directory has not told yet: not wanted before it has.
  Entry* entry = grant.lease.fence == leader_.fence ? Answered(grant.key, State::kRequested) : nullptr;
  if (entry != nullptr) {
    entry->state = State::kHeld;
    entry->worker = grant.worker;
    entry->lease = grant.lease;
    entry->round = round_;
    --waiting_;
    if (renew_at_ == InfiniteFuture()) renew_at_ = now + settings_.renew_period;
    actions.push_back(SlotGranted{JobId(grant.key.slot), grant.worker, grant.lease});
    return;
  }
  Unwanted(grant, actions);
}

void LedgerClient::Unwanted(const Grant& grant, std::vector<ClientAction>& actions) {
  // The withdrawal that is under way voids it.
  if (Answered(grant.key, State::kLeaving) != nullptr) return;
  // Unless the ask is known to have had no grant, the lease may have been used and its release lost; then
  // nobody but the worker can tell whether the slot is free.
  Outcome outcome = Outcome::kCancelled;
  const JobId job(grant.key.slot);
  if (entries_.contains(job) && entries_[job].generation == grant.key.generation) {
    const Entry& entry = entries_[job];
    if (entry.lease == grant.lease && entry.state == State::kHeld) return;
    outcome = entry.lease == grant.lease ? entry.ended : Outcome::kShed;
  }
  TellLast(Release{grant.worker, grant.lease, outcome, ZeroDuration(), Contact::kAnswered}, actions);
}

void LedgerClient::On(Time now, const Refuse& refuse, std::vector<ClientAction>& actions) {
  Heard(now);
  const JobId job(refuse.key.slot);
  Entry* entry = Answered(refuse.key, State::kRequested);
  if (entry != nullptr && refuse.reason == RefuseReason::kStale) {
    // The answer to an earlier copy was lost on the way, or an earlier life got further: ask anew.
    Lift(*entry);
    SendRequest(job, requests_[job], actions);
    return;
  }
  if (entry == nullptr) return;
  Close(job);
  if (refuse.reason == RefuseReason::kNotLeader || refuse.reason == RefuseReason::kOutOfRange) {
    actions.push_back(NoLeader{job});
  } else if (requests_[job].idle_only) {
    actions.push_back(SlotRefused{job, NoSlot::kNoneIdle});
  } else {
    const bool full = refuse.reason == RefuseReason::kLineFull;
    actions.push_back(SlotRefused{job, full ? NoSlot::kLineFull : NoSlot::kTooLate});
  }
}

void LedgerClient::On(Time now, const Withdrawn& withdrawn, std::vector<ClientAction>& actions) {
  Heard(now);
  if (Answered(withdrawn.key, State::kLeaving) == nullptr) return;
  Close(JobId(withdrawn.key.slot));
  actions.push_back(LineLeft{JobId(withdrawn.key.slot)});
}

void LedgerClient::On(Time, const LeaseLost& lost, std::vector<ClientAction>& actions) {
  // Rare, so it is searched for: the leader knows the lease, not always the job.
  for (const JobId job : live_) {
    Entry& entry = entries_[job];
    if (entry.state != State::kHeld || entry.lease != lost.lease || entry.worker != lost.worker) continue;
    entry.ended = Outcome::kCancelled;
    Close(job);
    actions.push_back(SlotLost{job, lost.worker, lost.lease});
    return;
  }
}

// A job that is leaving for another line is not in this one any more, and goes where it wanted.
void LedgerClient::On(Time now, const Redirect& redirect, std::vector<ClientAction>& actions) {
  Heard(now);
  const JobId job(redirect.key.slot);
  if (Answered(redirect.key, State::kRequested) == nullptr) return;
  Close(job);
  actions.push_back(dispatch::SlotElsewhere{job, redirect.region, /*landing=*/true});
}

void LedgerClient::Wake(Time now, std::vector<ClientAction>& actions) {
  if (now >= renew_at_) RenewOld(now, actions);
  if (waiting_ > 0 && !Reachable(now)) GiveUp(actions);
}

LedgerClient::Entry* LedgerClient::Answered(const RequestKey& key, State state) {
  const JobId job(key.slot);
  if (key.router != self_ || !entries_.contains(job)) return nullptr;
  Entry& entry = entries_[job];
  return entry.state == state && entry.generation == key.generation ? &entry : nullptr;
}

void LedgerClient::TellLast(const LastWord& word, std::vector<ClientAction>& actions) {
  std::visit([&](const auto& event) { Tell(event, actions); }, word);
  if (ended_.size() < kRepeatedMax) {
    oldest_ended_ = 0;
    ended_.push_back(word);
  } else {
    ended_[oldest_ended_] = word;
    oldest_ended_ = (oldest_ended_ + 1) % kRepeatedMax;
  }
}

void LedgerClient::RepeatLast(std::vector<ClientAction>& actions) const {
  for (const LastWord& word : ended_) std::visit([&](const auto& event) { Tell(event, actions); }, word);
}

// Twice as far above the start each time: a clock that was set back by an hour is made up for in 32 answers.
void LedgerClient::Lift(Entry& entry) {
  entry.generation += std::max<std::uint64_t>(1, entry.generation - started_generation_);
  first_generation_ = std::max(first_generation_, entry.generation);
}

void LedgerClient::SendRequest(JobId job, const SlotRequest& request,
                               std::vector<ClientAction>& actions) const {
  Tell(Acquire{.key = KeyOf(job),
               .priority = request.priority,
               .arrived = request.arrived,
               .deadline = request.deadline,
               .expected = request.expected,
               .idle_only = request.idle_only,
               .may_leave = request.may_leave,
               .foreign = request.foreign,
               .prefers = request.prefers,
               .refused_by = request.refused_by},
       actions);
}

void LedgerClient::Open(JobId job, State state) {
  entries_[job].state = state;
  entries_[job].live_at = static_cast<std::uint32_t>(live_.size());
  live_.push_back(job);
  ++waiting_;
}

void LedgerClient::Close(JobId job) {
  Entry& entry = entries_[job];
  if (entry.state != State::kHeld) --waiting_;
  const JobId last = live_.back();
  live_[entry.live_at] = last;
  entries_[last].live_at = entry.live_at;
  live_.pop_back();
  entry.state = State::kNone;
}

void LedgerClient::GiveUp(std::vector<ClientAction>& actions) {
  for (std::size_t i = live_.size(); i-- > 0;) {
    const JobId job = live_[i];
    const State state = entries_[job].state;
    if (state == State::kHeld) continue;
    // Should the leader live after all, it is not to keep the place in line.
    if (state == State::kRequested) TellLast(Withdraw{KeyOf(job)}, actions);
    Close(job);
    if (state == State::kRequested) {
      actions.push_back(NoLeader{job});
    } else {
      actions.push_back(LineLeft{job});
    }
  }
}

void LedgerClient::RenewOld(Time now, std::vector<ClientAction>& actions) {
  ++round_;
  bool any = false;
  for (const JobId job : live_) {
    Entry& entry = entries_[job];
    if (entry.state != State::kHeld) continue;
    any = true;
    if (round_ - entry.round < 2) continue;
    entry.round = round_;
    Tell(Renew{self_, entry.worker, entry.lease}, actions);
  }
  renew_at_ = any ? now + settings_.renew_period : InfiniteFuture();
}

}  // namespace ringway::ledger
