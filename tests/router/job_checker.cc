#include "tests/router/job_checker.h"

#include "absl/strings/str_cat.h"

namespace ringway::router {

void JobChecker::Before(const RouterEvent& event) {
  if (const auto* e = std::get_if<JobArrived>(&event)) {
    live_[e->job.value()] = {.facts = e->facts};
    ++arrived_;
  }
  if (const auto* e = std::get_if<JobWithdrawn>(&event)) {
    if (const auto job = live_.find(e->job.value()); job != live_.end()) job->second.withdrawn = true;
  }
  if (const auto* e = std::get_if<ClientGone>(&event)) {
    if (const auto job = live_.find(e->job.value()); job != live_.end()) job->second.gone = true;
  }
  if (const auto* e = std::get_if<WorkerHeard>(&event))
    freed_ += e->news.state == dispatch::WorkerState::kIdle;
  if (const auto* e = std::get_if<WorkerListed>(&event)) freed_ += e->local;
  if (const auto* e = std::get_if<AttemptEnded>(&event)) freed_ += e->outcome == Outcome::kDone;
  if (const auto* e = std::get_if<AttemptAccepted>(&event)) {
    const auto it = open_.find(e->attempt);
    if (it != open_.end()) it->second.accepted = true;
  }
  if (const auto* e = std::get_if<AttemptEnded>(&event)) {
    const auto it = open_.find(e->attempt);
    if (it == open_.end()) return;
    const auto job = live_.find(it->second.job.value());
    if (job != live_.end() && job->second.attempt == e->attempt) {
      job->second.attempt = 0;
      job->second.may_have_started |= e->may_have_started;
      // A job whose worker died goes back into the line, which was not asked for room.
      if (it->second.accepted) ++returned_;
    }
    open_.erase(it);
  }
}

std::string JobChecker::Ask(Time now, JobId id, AttemptId attempt, const OpenAttempt& asked) {
  const auto it = live_.find(id.value());
  if (it == live_.end()) return "somebody is asked for a job that is not there";
  Live& job = it->second;
  if (job.attempt != 0) return "two are asked for one job at a time";
  if (job.withdrawn) return "somebody is asked for a job that is not wanted";
  if (now + machine_.tier(job.facts.tier).service.mean() > job.facts.deadline)
    return "asked too late to finish";
  if (job.may_have_started) {
    if (!job.facts.keyed) return "a job without a key may be started twice";
    if (++job.restarts > 1) return "a keyed job is started a third time";
    ++restarts_;
    job.may_have_started = false;
  }
  for (const auto& [unused, other] : open_) {
    if (asked.worker.valid() && other.worker == asked.worker) return "a worker is offered two jobs at once";
  }
  if (asked.router.valid() && job.facts.forwarded) return "a forwarded job is sent on";
  if (asked.worker.valid()) {
    ++offers_;
    if (++job.offers > tier_.dispatch.attempts_max) return "more than attempts_max offers";
  }
  job.attempt = attempt;
  open_[attempt] = asked;
  return "";
}

std::string JobChecker::OnEnd(Time now, const EndJob& end) {
  const auto it = live_.find(end.job.value());
  if (it == live_.end()) return "a job ends twice";
  const Live& job = it->second;
  if (now > job.facts.deadline) return "a job outlives its deadline";
  if (job.attempt != 0 && !open_[job.attempt].withdrawn) return "a job ends while somebody works on it";
  if (job.withdrawn && job.attempt != 0 && !job.gone && now < job.facts.deadline)
    return "a withdrawn job ends before its attempt";
  if (end.outcome != Outcome::kDone && end.outcome != Outcome::kRejected && end.message.empty()) {
    return absl::StrCat("an end without a word why: ", std::string(OutcomeName(end.outcome)));
  }
  if (end.trace.attempts != static_cast<std::uint32_t>(job.offers)) return "the trace miscounts the offers";
  live_.erase(it);
  return "";
}

std::string JobChecker::After(Time now, const std::vector<RouterAction>& actions) {
  for (const RouterAction& action : actions) {
    std::string broken;
    if (const auto* a = std::get_if<OfferToWorker>(&action)) {
      broken = Ask(now, a->job, a->attempt, {.job = a->job, .worker = a->worker, .router = {}});
      // What the ledger grants is not a probe and costs no token; attempts_max bounds it.
      if (a->lease != Lease{}) --offers_;
    } else if (const auto* a = std::get_if<ForwardToRouter>(&action)) {
      broken = Ask(now, a->job, a->attempt, {.job = a->job, .worker = {}, .router = a->router});
    } else if (const auto* a = std::get_if<WithdrawAttempt>(&action)) {
      if (!open_.contains(a->attempt)) broken = "withdraws what nobody holds";
      open_[a->attempt].withdrawn = true;
    } else if (const auto* a = std::get_if<EndJob>(&action)) {
      broken = OnEnd(now, *a);
    }
    if (!broken.empty()) return broken;
  }
  const RetryBudgetSpec& budget = tier_.dispatch.budget;
  const double bound = static_cast<double>(arrived_) * (1 + budget.share) + static_cast<double>(freed_) +
                       budget.floor_per_second * (1 + ToDoubleSeconds(now - start_)) + 1e-6;
  if (static_cast<double>(offers_) > bound) return "more offers than the budget allows";
  const bool over = machine_.tier(TierId(0)).held > tier_.dispatch.waiting_max + returned_;
  if (tier_.dispatch.waiting_max > 0 && over) return "the line is over its bound";
  if (machine_.jobs() != live_.size()) return "miscounts its jobs";
  if (machine_.NextWake() <= now) return "wants to wake in the past";
  return "";
}

}  // namespace ringway::router
