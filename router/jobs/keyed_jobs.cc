#include "router/jobs/keyed_jobs.h"

#include <algorithm>
#include <utility>

namespace ringway::router {
namespace {

// However late a job comes: its key may have been answered already, which takes no longer than this to learn.
constexpr Duration kLookMin = Milliseconds(500);

}  // namespace

KeyedJobs::Keyed* KeyedJobs::Find(JobId id, Stage stage) {
  const auto found = keyed_.find(id);
  return found != keyed_.end() && found->second.stage == stage ? &found->second : nullptr;
}

void KeyedJobs::Forget(JobId id) {
  const auto keyed = keyed_.find(id);
  if (keyed->second.stage == Stage::kSettling) --settling_;
  wakes_.Clear(id.index());
  keyed_.erase(keyed);
}

void KeyedJobs::On(Turn& turn, JobMachine& jobs, const JobArrived& event) {
  const JobId id = event.job;
  const JobRecord& job = jobs.job(id);
  if (job.phase != JobPhase::kHeld) return;  // no key, or not admitted
  keyed_[id].deadline = job.facts.deadline;
  const Time latest = std::max(jobs.latest_start(id), turn.now + kLookMin);
  wakes_.Set(id.index(), std::min(latest + Nanoseconds(1), job.facts.deadline));
  once_.Begin(turn.now, id, job.facts.once->key, job.facts.once->fingerprint, job.facts.deadline);
}

void KeyedJobs::On(Turn& turn, const AttemptEnded& event) {
  if (!on()) return;
  once_.AttemptOver(turn.now, event.attempt);
  Keyed* const keyed = Find(event.job, Stage::kRunning);
  if (keyed == nullptr) return;
  if (event.outcome == Outcome::kDone) keyed->result = event.result;
  if (keyed->withdrawn == event.attempt) keyed->withdrawn = 0;
}

void KeyedJobs::On(Turn& turn, const ClientGone& event) {
  if (Find(event.job, Stage::kSettling) == nullptr) return;
  const Ending gone{.outcome = Outcome::kCancelled, .message = "the client left"};
  EndSettling(turn, event.job, &gone);
}

void KeyedJobs::On(Turn& turn, const RouterListed& event) {
  if (on() && !event.name.empty()) once_.List(turn.now, event.router, event.name);
}

void KeyedJobs::On(Turn&, const RouterUnlisted& event) {
  if (on()) once_.Unlist(event.router);
}

void KeyedJobs::On(Turn& turn, const RoutersComplete& event) {
  if (on() && event.view) once_.UseView(turn.now, event.view);
}

void KeyedJobs::On(Turn& turn, const OnceAsked& event) {
  if (on()) {
    once_.Asked(turn.now, event.call, event.request);
  } else {
    turn.actions.emplace_back(AnswerOnce{.call = event.call, .reply = {.verdict = once::Verdict::kNotReady}});
  }
}

void KeyedJobs::On(Turn& turn, const OnceReplied& event) {
  once_.Replied(turn.now, event.from, event.request, event.reply ? &*event.reply : nullptr);
}

void KeyedJobs::Finish(Turn& turn, JobMachine& jobs, std::size_t first) {
  if (!on()) return;
  ReadActions(turn, first);
  while (wakes_.Due(turn.now)) OnWake(turn, jobs, JobId(wakes_.Pop()));
  if (once_.NextWake() <= turn.now) once_.Wake(turn.now);
  // What is done about one action may make the machine want more; each round is about jobs that go on.
  while (!once_.actions().empty()) {
    std::vector<once::OnceAction> wanted;
    wanted.swap(once_.actions());
    for (const once::OnceAction& action : wanted) Act(turn, jobs, action);
    jobs.Finish(turn);
    ReadActions(turn, read_);
  }
}

void KeyedJobs::ReadActions(Turn& turn, std::size_t first) {
  std::vector<RouterAction>& actions = turn.actions;
  if (keyed_.empty()) {
    read_ = actions.size();
    return;
  }
  std::size_t kept = first;
  for (std::size_t i = first; i < actions.size(); ++i) {
    auto* const end = std::get_if<EndJob>(&actions[i]);
    if (end != nullptr && OnEnd(turn, *end)) continue;
    if (const auto* withdraw = std::get_if<WithdrawAttempt>(&actions[i])) {
      if (Keyed* keyed = Find(withdraw->job, Stage::kRunning)) keyed->withdrawn = withdraw->attempt;
    }
    if (kept != i) actions[kept] = std::move(actions[i]);
    ++kept;
  }
  actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(kept), actions.end());
  read_ = kept;
}

bool KeyedJobs::OnEnd(Turn& turn, EndJob& end) {
  const JobId id = end.job;
  const auto found = keyed_.find(id);
  if (found == keyed_.end()) return false;
  Keyed& keyed = found->second;
  if (end.outcome != Outcome::kDone) {
    once_.Drop(turn.now, id, keyed.withdrawn);
    Forget(id);
    return false;
  }
  keyed.stage = Stage::kSettling;
  ++settling_;
  wakes_.Set(id.index(), keyed.deadline);
  keyed.end = std::move(end);
  once_.Settle(turn.now, id, keyed.result);
  return true;
}

void KeyedJobs::OnWake(Turn& turn, JobMachine& jobs, JobId id) {
  Ending ending{.outcome = Outcome::kTimeout};
  if (Find(id, Stage::kSettling) != nullptr) {
    ending.message =
        "the deadline passed while the end of the job was being recorded; ask again with the same key";
    return EndSettling(turn, id, &ending);
  }
  ending.message =
      once_.view().stated()
          ? "cannot finish in time: the routers that keep its idempotency key have not agreed yet; nothing "
            "was started; ask again in a second"
          : "no controller has told this router yet which routers keep idempotency keys (a controller of an "
            "earlier release never does: upgrade it first); nothing was started; ask again in a second";
  ending.retry_after = Seconds(1);
  EndHeld(turn, jobs, id, ending);
}

void KeyedJobs::EndHeld(Turn& turn, JobMachine& jobs, JobId id, const Ending& ending) {
  once_.Drop(turn.now, id, 0);
  Forget(id);
  jobs.EndHeld(turn, id, ending);
}

void KeyedJobs::EndSettling(Turn& turn, JobId id, const Ending* instead) {
  EndJob end = std::move(keyed_[id].end);
  if (instead != nullptr) {
    end.outcome = instead->outcome;
    end.message = instead->message;
    end.retry_after = instead->retry_after;
  }
  once_.Drop(turn.now, id, 0);
  Forget(id);
  turn.actions.emplace_back(std::move(end));
}

void KeyedJobs::Act(Turn& turn, JobMachine& jobs, const once::OnceAction& action) {
  if (const auto* send = std::get_if<once::SendRequest>(&action)) {
    turn.actions.emplace_back(AskReplica{.to = send->to, .request = send->request});
  } else if (const auto* answer = std::get_if<once::AnswerCall>(&action)) {
    turn.actions.emplace_back(AnswerOnce{.call = answer->call, .reply = answer->reply});
  } else if (const auto* granted = std::get_if<once::Granted>(&action)) {
    Keyed* const keyed = Find(granted->job, Stage::kClaiming);
    if (keyed == nullptr) return;
    keyed->stage = Stage::kRunning;
    wakes_.Clear(granted->job.index());
    jobs.Resume(turn, granted->job);
  } else if (const auto* attached = std::get_if<once::Attached>(&action)) {
    Keyed* const keyed = Find(attached->job, Stage::kClaiming);
    if (keyed != nullptr) wakes_.Set(attached->job.index(), keyed->deadline);
  } else if (const auto* answered = std::get_if<once::Answered>(&action)) {
    OnAnswered(turn, jobs, *answered);
  } else if (const auto* refused = std::get_if<once::Refused>(&action)) {
    if (Find(refused->job, Stage::kClaiming) == nullptr) return;
    EndHeld(turn, jobs, refused->job,
            {.outcome = refused->outcome, .message = refused->message, .retry_after = refused->retry_after});
  } else if (const auto* settled = std::get_if<once::Settled>(&action)) {
    if (Find(settled->job, Stage::kSettling) != nullptr) EndSettling(turn, settled->job, nullptr);
  } else if (const auto* unsettled = std::get_if<once::Unsettled>(&action)) {
    if (Find(unsettled->job, Stage::kSettling) == nullptr) return;
    const Ending failed{
        .outcome = Outcome::kFailed, .message = unsettled->message, .retry_after = Seconds(1)};
    EndSettling(turn, unsettled->job, &failed);
  }
}

void KeyedJobs::OnAnswered(Turn& turn, JobMachine& jobs, const once::Answered& answered) {
  if (Find(answered.job, Stage::kClaiming) == nullptr) return;
  const bool kept = answered.result.bytes != nullptr;
  EndHeld(turn, jobs, answered.job,
          {.outcome = kept ? Outcome::kDone : Outcome::kRejected,
           .message = kept ? ""
                           : "the job of this idempotency key was done and delivered before, as the trace "
                             "says; its result is not kept",
           .counted = false});
  EndJob& end = std::get<EndJob>(turn.actions.back());
  end.trace.route = {.target = turn.view.home, .reason = "record"};
  end.result = answered.result;
}

}  // namespace ringway::router
