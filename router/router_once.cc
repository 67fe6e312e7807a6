// The router's machine, jobs with an idempotency key: claimed before they are dispatched, recorded before
// they are answered. What the replicas of a key agree on is decided in router/once/.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/router_machine.h"

namespace ringway::router {
namespace {

// However late a job comes: its key may have been answered already, which takes no longer than this to learn.
constexpr absl::Duration kLookMin = absl::Milliseconds(500);

}  // namespace

// The router where a job entered sees to its key; the one that it is forwarded to does as it is told.
bool RouterMachine::RunsOnce(const JobRecord& job) const {
  return job.facts.once != nullptr && !job.facts.forwarded && once_.on();
}

void RouterMachine::ClaimKey(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  job.phase = JobPhase::kRecording;
  const absl::Time latest = std::max(LatestStart(job), turn.now + kLookMin);
  wakes_.Set(id.index(), std::min(latest + absl::Nanoseconds(1), job.facts.deadline));
  once_.Begin(turn.now, id, job.facts.once->key, job.facts.once->fingerprint, job.facts.deadline);
}

void RouterMachine::OnRecordingWake(Turn& turn, JobId id) {
  if (jobs_[id].phase == JobPhase::kSettling) {
    End(turn, id, Outcome::kTimeout,
        "the deadline passed while the end of the job was being recorded; ask again with the same key");
  } else if (!once_.ready()) {
    End(turn, id, Outcome::kTimeout,
        "this router does not know yet which others keep the idempotency key; nothing was started");
  } else {
    End(turn, id, Outcome::kTimeout,
        "cannot finish in time: the routers that keep its idempotency key have not agreed yet; nothing was "
        "started");
  }
}

// The attempt has ended for good, with an end that is the job's.
void RouterMachine::Finish(Turn& turn, JobId id, const AttemptEnded& event, bool elsewhere) {
  JobRecord& job = jobs_[id];
  if (event.outcome != Outcome::kDone || !RunsOnce(job)) {
    End(turn, id, event.outcome, event.message, event.retry_after, elsewhere);
    return;
  }
  job.phase = JobPhase::kSettling;
  job.finished = turn.now;
  job.done_elsewhere = elsewhere;
  once_.Settle(turn.now, id, event.result);
}

void RouterMachine::RunOnce(Turn& turn) {
  std::vector<once::OnceAction>& wanted = once_.actions();
  // Handlers may make the machine want more, so the loop goes by index.
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const once::OnceAction action = std::move(wanted[i]);
    std::visit([&](const auto& a) { On(turn, a); }, action);
  }
  wanted.clear();
}

void RouterMachine::On(Turn& turn, const once::SendRequest& send) {
  turn.actions.emplace_back(AskReplica{.to = send.to, .request = send.request});
}

void RouterMachine::On(Turn& turn, const once::AnswerCall& answer) {
  turn.actions.emplace_back(AnswerOnce{.call = answer.call, .reply = answer.reply});
}

void RouterMachine::On(Turn& turn, const once::Granted& granted) {
  if (jobs_[granted.job].phase != JobPhase::kRecording) return;
  jobs_[granted.job].phase = JobPhase::kDelayed;
  if (StillPossible(turn, granted.job)) Dispatch(turn, granted.job);
}

void RouterMachine::On(Turn&, const once::Attached& attached) {
  const JobRecord& job = jobs_[attached.job];
  if (job.phase == JobPhase::kRecording) wakes_.Set(attached.job.index(), job.facts.deadline);
}

void RouterMachine::On(Turn& turn, const once::Answered& answered) {
  JobRecord& job = jobs_[answered.job];
  if (job.phase != JobPhase::kRecording) return;
  const bool kept = answered.result.bytes != nullptr;
  job.route = {.target = home_, .reason = "record"};
  job.result = answered.result;
  End(turn, answered.job, kept ? Outcome::kDone : Outcome::kRejected,
      kept ? ""
           : "the job of this idempotency key was done and delivered before, as the trace says; its result "
             "is not kept",
      absl::ZeroDuration(), /*answered_elsewhere=*/true);
}

void RouterMachine::On(Turn& turn, const once::Refused& refused) {
  if (jobs_[refused.job].phase != JobPhase::kRecording) return;
  End(turn, refused.job, refused.outcome, refused.message, refused.retry_after);
}

void RouterMachine::On(Turn& turn, const once::Settled& settled) {
  const JobRecord& job = jobs_[settled.job];
  if (job.phase != JobPhase::kSettling) return;
  End(turn, settled.job, Outcome::kDone, "", absl::ZeroDuration(), job.done_elsewhere);
}

void RouterMachine::On(Turn& turn, const once::Unsettled& unsettled) {
  if (jobs_[unsettled.job].phase != JobPhase::kSettling) return;
  End(turn, unsettled.job, Outcome::kFailed, unsettled.message, absl::Seconds(1));
}

void RouterMachine::On(Turn& turn, const OnceAsked& event) {
  if (once_.on()) {
    once_.Asked(turn.now, event.call, event.request);
  } else {
    turn.actions.emplace_back(AnswerOnce{.call = event.call, .reply = {.verdict = once::Verdict::kNotReady}});
  }
}

void RouterMachine::On(Turn& turn, const OnceReplied& event) {
  once_.Replied(turn.now, event.from, event.request, event.reply ? &*event.reply : nullptr);
}

void RouterMachine::On(Turn& turn, const RoutersComplete&) {
  if (once_.on()) once_.ViewComplete(turn.now);
}

}  // namespace ringway::router
