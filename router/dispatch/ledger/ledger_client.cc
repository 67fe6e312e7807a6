#include "router/dispatch/ledger/ledger_client.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::ledger {

void LedgerClient::Follow(absl::Time now, const CurrentLeader& leader, std::vector<AskAction>& actions) {
  if (leader.fence < leader_.fence) return;
  if (leader.fence == leader_.fence && leader.router == leader_.router) return;
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
    if (entry.state == State::kAsked) {
      ++entry.generation;
      SendRequest(job, wishes_[job], actions);
    } else if (entry.state == State::kLeaving) {
      // The old leader cannot grant any more, and the new one was never asked.
      Close(job);
      actions.push_back(LeftLine{job});
    } else {
      Tell(Renew{self_, entry.worker, entry.lease}, actions);
    }
  }
}

void LedgerClient::Reconnect(absl::Time now, std::vector<AskAction>& actions) {
  Heard(now);
  for (const JobId job : live_) {
    const Entry& entry = entries_[job];
    if (entry.state == State::kAsked) SendRequest(job, wishes_[job], actions);
    if (entry.state == State::kLeaving) Tell(Withdraw{KeyOf(job)}, actions);
    if (entry.state == State::kHeld) Tell(Renew{self_, entry.worker, entry.lease}, actions);
  }
}

void LedgerClient::Begin(absl::Time now, JobId job, const SlotRequest& wish,
                         std::vector<AskAction>& actions) {
  if (!entries_.contains(job)) {
    entries_.resize(job.index() + 1);
    wishes_.resize(job.index() + 1);
  }
  Entry& entry = entries_[job];
  RINGWAY_CHECK(entry.state == State::kNone);
  if (!Reachable(now)) {
    actions.push_back(NoLeader{job});
    return;
  }
  wishes_[job] = wish;
  entry.generation = std::max(entry.generation, first_generation_) + 1;
  Open(job, State::kAsked);
  SendRequest(job, wish, actions);
}

void LedgerClient::Leave(absl::Time, JobId job, std::vector<AskAction>& actions) {
  Entry& entry = entries_[job];
  RINGWAY_CHECK(entry.state == State::kAsked);
  entry.state = State::kLeaving;
  Tell(Withdraw{KeyOf(job)}, actions);
}

void LedgerClient::Abandon(JobId job, std::vector<AskAction>& actions) {
  if (!entries_.contains(job)) return;
  const State state = entries_[job].state;
  if (state == State::kNone || state == State::kHeld) return;
  if (state == State::kAsked) Tell(Withdraw{KeyOf(job)}, actions);
  Close(job);
}

void LedgerClient::End(JobId job, Outcome outcome, absl::Duration retry_after,
                       std::vector<AskAction>& actions, Contact contact) {
  if (!HoldsLease(job)) return;
  Entry& entry = entries_[job];
  entry.ended = outcome;
  Tell(Release{entry.worker, entry.lease, outcome, retry_after, contact}, actions);
  Close(job);
}

void LedgerClient::On(absl::Time now, const Grant& grant, std::vector<AskAction>& actions) {
  // A deposed leader's grant binds nobody, and giving it back would reach the wrong one.
  if (grant.lease.fence < leader_.fence) return;
  Heard(now);
  // From a leader appointed again, which the directory has not told yet: not wanted before it has.
  Entry* entry = grant.lease.fence == leader_.fence ? Answered(grant.key, State::kAsked) : nullptr;
  if (entry != nullptr) {
    entry->state = State::kHeld;
    entry->worker = grant.worker;
    entry->lease = grant.lease;
    entry->round = round_;
    --waiting_;
    if (renew_at_ == absl::InfiniteFuture()) renew_at_ = now + settings_.renew_period;
    actions.push_back(SlotGranted{JobId(grant.key.slot), grant.worker, grant.lease});
    return;
  }
  Unwanted(grant, actions);
}

void LedgerClient::Unwanted(const Grant& grant, std::vector<AskAction>& actions) {
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
  Tell(Release{grant.worker, grant.lease, outcome, absl::ZeroDuration(), Contact::kAnswered}, actions);
}

void LedgerClient::On(absl::Time now, const Refuse& refuse, std::vector<AskAction>& actions) {
  Heard(now);
  const JobId job(refuse.key.slot);
  Entry* entry = Answered(refuse.key, State::kAsked);
  if (entry != nullptr && refuse.reason == RefuseReason::kStale) {
    // The answer to an earlier copy was lost on the way, or an earlier life got further: ask anew.
    Lift(*entry);
    SendRequest(job, wishes_[job], actions);
    return;
  }
  if (entry == nullptr) return;
  Close(job);
  if (refuse.reason == RefuseReason::kNotLeader) {
    actions.push_back(NoLeader{job});
  } else {
    actions.push_back(SlotRefused{job, refuse.reason});
  }
}

void LedgerClient::On(absl::Time now, const Withdrawn& withdrawn, std::vector<AskAction>& actions) {
  Heard(now);
  if (Answered(withdrawn.key, State::kLeaving) == nullptr) return;
  Close(JobId(withdrawn.key.slot));
  actions.push_back(LeftLine{JobId(withdrawn.key.slot)});
}

void LedgerClient::On(absl::Time, const LeaseLost& lost, std::vector<AskAction>& actions) {
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

void LedgerClient::Wake(absl::Time now, std::vector<AskAction>& actions) {
  if (now >= renew_at_) RenewOld(now, actions);
  if (waiting_ > 0 && !Reachable(now)) GiveUp(actions);
}

LedgerClient::Entry* LedgerClient::Answered(const RequestKey& key, State state) {
  const JobId job(key.slot);
  if (key.router != self_ || !entries_.contains(job)) return nullptr;
  Entry& entry = entries_[job];
  return entry.state == state && entry.generation == key.generation ? &entry : nullptr;
}

void LedgerClient::Tell(const LedgerEvent& event, std::vector<AskAction>& actions) const {
  if (leader_.router.valid()) actions.push_back(TellLeader{leader_.router, event});
}

// Twice as far above the start each time: a clock that was set back by an hour is made up for in 32 answers.
void LedgerClient::Lift(Entry& entry) {
  entry.generation += std::max<std::uint64_t>(1, entry.generation - started_generation_);
  first_generation_ = std::max(first_generation_, entry.generation);
}

void LedgerClient::SendRequest(JobId job, const SlotRequest& wish, std::vector<AskAction>& actions) const {
  Tell(Acquire{KeyOf(job), wish.priority, wish.arrived, wish.deadline, wish.expected, wish.idle_only},
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

void LedgerClient::GiveUp(std::vector<AskAction>& actions) {
  for (std::size_t i = live_.size(); i-- > 0;) {
    const JobId job = live_[i];
    const State state = entries_[job].state;
    if (state == State::kHeld) continue;
    // Should the leader live after all, it is not to keep the place in line.
    if (state == State::kAsked) Tell(Withdraw{KeyOf(job)}, actions);
    Close(job);
    if (state == State::kAsked) {
      actions.push_back(NoLeader{job});
    } else {
      actions.push_back(LeftLine{job});
    }
  }
}

void LedgerClient::RenewOld(absl::Time now, std::vector<AskAction>& actions) {
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
  renew_at_ = any ? now + settings_.renew_period : absl::InfiniteFuture();
}

}  // namespace ringway::ledger
