// The router's machine, own region in ledger mode: jobs stand in the leader's line instead of probing.
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "router/router_machine.h"

namespace ringway::router {
namespace {

// What the news of an end needs at most, from a worker of the region.
constexpr absl::Duration kEndingPause = absl::Milliseconds(1);
// That no worker is idle is believed for so long, where a table sheds: else each refused job would ask.
constexpr absl::Duration kNoneIdleStands = absl::Milliseconds(50);
// Between two BUSY answers to granted offers of one job; doubles with each.
constexpr absl::Duration kBusyPauseFirst = absl::Milliseconds(10);
constexpr absl::Duration kBusyPauseMax = absl::Milliseconds(500);

}  // namespace

// The one place that chooses between the ledger and probes. A router that hears no leader probes.
void RouterMachine::Seek(Turn& turn, JobId id) {
  const TierState& d = tier_state(jobs_[id]);
  if (d.spec.mode == DispatchMode::kLedger && d.client.Reachable(turn.now)) {
    AskLedger(turn, id);
  } else {
    StartRound(turn, id);
  }
}

// At once after the first BUSY, then after a while: each may be news that crossed the grant, but not all.
void RouterMachine::SeekAgain(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  if (job.busy < 2) {
    Seek(turn, id);
    return;
  }
  if (job.busy >= kBusyAnswersMax) {
    End(turn, id, Outcome::kShed,
        absl::StrCat(job.busy, " offers to free workers of tier ", tier_name(job), " in ", region_name(home_),
                     " were answered BUSY"),
        tier_state(job).service.mean());
    return;
  }
  const absl::Duration pause = std::min(kBusyPauseFirst * (std::int64_t{1} << (job.busy - 2)), kBusyPauseMax);
  wakes_.Set(id.index(), std::min(turn.now + pause * (0.5 + 0.5 * rng_.Uniform()), LatestStart(job)));
}

void RouterMachine::AskLedger(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  if (job.attempts >= d.spec.attempts_max) {
    Sleep(turn, id);
    return;
  }
  job.phase = JobPhase::kAsking;
  // The leader refuses it in time; this is for a leader that does not answer.
  wakes_.Set(id.index(), AskingWake(turn.now, job));
  const ledger::SlotRequest wish{.priority = job.facts.priority,
                                 .arrived = job.facts.arrived,
                                 .deadline = job.facts.deadline,
                                 .expected = d.service.Within(job.facts.cost),
                                 .idle_only = job.route.shed};
  d.client.Begin(turn.now, id, wish, d.client_actions);
  JoinSpillLine(turn.now, id);
}

// Performs what the ledger client wants done. Handlers may make it want more, so the loop goes by index; each
// entry is an answer to one ask or a message, and an ask made here is answered in a later turn.
void RouterMachine::RunAsks(Turn& turn, TierId tier) {
  TierState& d = tiers_[tier];
  for (std::size_t i = 0; i < d.client_actions.size(); ++i) {
    const ledger::AskAction action = d.client_actions[i];
    std::visit([&](const auto& a) { On(turn, tier, a); }, action);
  }
  d.client_actions.clear();
}

void RouterMachine::On(Turn& turn, TierId tier, const ledger::TellLeader& tell) {
  turn.actions.emplace_back(TellLedger{.tier = tier, .leader = tell.leader, .event = tell.event});
}

void RouterMachine::On(Turn& turn, TierId tier, const ledger::SlotGranted& granted) {
  TierState& d = tiers_[tier];
  JobRecord& job = jobs_[granted.job];
  if (job.phase != JobPhase::kAsking || !d.client.HoldsLease(granted.job)) return;
  LeaveSpillLine(granted.job);
  // The estimate may have grown, or the moment have passed, while the grant was on its way.
  if (!StillPossible(turn, granted.job)) return;
  const bool listed = workers_.listed(granted.worker);
  const bool ending = listed && workers_.held(granted.worker) != 0;
  // Whether a worker is fit is the ledger's to say: who turned its grants down could do so for ever.
  if (listed && !ending) {
    OfferTo(turn, granted.job, granted.worker, granted.lease);
    return;
  }
  // An own offer there has not ended yet for us, though the worker says so: the slot is free in a moment, and
  // is asked for again after one, because a leader in this very process would grant it at once, again and
  // again. Else the directory has not told us of the worker, and somebody else shall have it.
  d.client.End(granted.job, ending ? Outcome::kShed : Outcome::kBusy, absl::ZeroDuration(), d.client_actions);
  job.phase = JobPhase::kDelayed;
  if (ending) {
    wakes_.Set(granted.job.index(), turn.now + kEndingPause);
  } else {
    Seek(turn, granted.job);
  }
}

void RouterMachine::On(Turn& turn, TierId tier, const ledger::SlotRefused& refused) {
  const JobId id = refused.job;
  JobRecord& job = jobs_[id];
  if (job.phase != JobPhase::kAsking) return;
  LeaveSpillLine(id);
  job.phase = JobPhase::kDelayed;
  if (job.route.shed) {
    tiers_[tier].none_idle_until = turn.now + kNoneIdleStands;
    EndShed(turn, id);
  } else if (refused.reason == ledger::RefuseReason::kInfeasible) {
    EndTooLate(turn, id);
  } else if (refused.reason == ledger::RefuseReason::kLineFull && !tiers_[tier].may_wait()) {
    EndWithoutWaiting(turn, id);
  } else if (refused.reason == ledger::RefuseReason::kLineFull) {
    End(turn, id, Outcome::kShed,
        absl::StrCat("the line of tier ", tier_name(job), " in ", region_name(home_), " is full"),
        tiers_[tier].service.mean());
  } else {
    StartRound(turn, id);
  }
}

void RouterMachine::On(Turn& turn, TierId, const ledger::LeftLine& left) { OnLeftLine(turn, left.job); }

void RouterMachine::On(Turn& turn, TierId, const ledger::NoLeader& none) {
  OnLeftLine(turn, none.job);
  if (jobs_[none.job].phase != JobPhase::kAsking) return;
  LeaveSpillLine(none.job);
  jobs_[none.job].phase = JobPhase::kDelayed;
  if (StillPossible(turn, none.job)) StartRound(turn, none.job);
}

void RouterMachine::On(Turn& turn, TierId, const ledger::SlotLost& lost) {
  JobRecord& job = jobs_[lost.job];
  if (job.phase != JobPhase::kOffered && job.phase != JobPhase::kRunning) return;
  // The worker may have started. Its end decides what becomes of the job; until then nobody else is asked.
  turn.actions.emplace_back(
      WithdrawAttempt{.job = lost.job, .attempt = job.attempt, .worker = job.worker, .router = job.router});
}

void RouterMachine::On(Turn& turn, const LeaderAppointed& event) {
  TierState& d = tiers_[event.tier];
  d.client.Follow(turn.now, event.leader, d.client_actions);
}

void RouterMachine::On(Turn& turn, const LeaderAnswered& event) {
  TierState& d = tiers_[event.tier];
  std::visit(
      [&](const auto& answer) {
        using Answer = std::decay_t<decltype(answer)>;
        constexpr bool kForWorkers =
            std::is_same_v<Answer, ledger::FenceWorker> || std::is_same_v<Answer, ledger::Revoke>;
        if constexpr (!kForWorkers) d.client.On(turn.now, answer, d.client_actions);
      },
      event.answer);
}

void RouterMachine::On(Turn& turn, const LeaderHeard& event) {
  TierState& d = tiers_[event.tier];
  if (event.again) {
    d.client.Reconnect(turn.now, d.client_actions);
  } else {
    d.client.Heard(turn.now);
  }
}

}  // namespace ringway::router
