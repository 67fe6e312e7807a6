#include "router/jobs/job_record.h"

#include "absl/strings/str_cat.h"

namespace ringway::router {

Time NextLook(Time now, const JobRecord& job, const dispatch::ServiceEstimate& service) {
  const Time latest = LatestStart(job, service);
  if (latest == InfiniteFuture()) return latest;
  const Duration takes = job.facts.deadline - latest;
  for (const int part : {4, 16}) {
    const Time look = latest - takes / part;
    if (now < look) return look;
  }
  return latest + Nanoseconds(1);
}

std::optional<std::string> WhyNotAgain(JobRecord& job, const AttemptEnded& event) {
  const std::string why = event.message.empty() ? "the connection broke" : event.message;
  if (!job.no_repeat.empty()) {
    return absl::StrCat(why, "; the job cannot be sent again: ", std::string(job.no_repeat));
  }
  const bool had_it = event.worker.valid() && event.outcome == Outcome::kFailed &&
                      ContactOf(event) != ledger::Contact::kUnreached;
  if (had_it) ++job.workers_failed;
  if (event.may_have_started && !job.facts.safe) {
    if (!job.facts.keyed) {
      return absl::StrCat(
          why, "; a worker may have started the job, and without an idempotency key it is not started again");
    }
    if (job.restarted) return absl::StrCat(why, "; it had been started again once already");
    job.restarted = true;
    return std::nullopt;
  }
  if (job.workers_failed >= kWorkersFailedMax) {
    return absl::StrCat(
        why, "; ", job.workers_failed,
        " workers failed with this job, and it is sent to no other: its input is the likelier cause");
  }
  return std::nullopt;
}

Outcome OutcomeForWorker(const JobRecord& job, const AttemptEnded& event) {
  const bool failed = event.outcome == Outcome::kFailed && ContactOf(event) != ledger::Contact::kUnreached;
  return failed && job.workers_failed > 0 ? Outcome::kCancelled : event.outcome;
}

}  // namespace ringway::router
