// The router's machine, other regions: a job goes to one router there, and to the next if that one is gone.
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/router_machine.h"

namespace ringway::router {

void RouterMachine::Forward(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  const RouterId router = job.forwards_made < kForwardsMax
                              ? peers_.Choose(job.route.target, job.routers_tried(), turn.now, rng_)
                              : RouterId();
  if (!router.valid()) {
    FallHome(turn, id, job.import_full ? kImportCapReason : "target-unreachable");
    return;
  }
  if (!job.away.valid()) {
    job.away = job.route.target;
    tier_state(job).spill.Left(job.away);
  }
  job.forwarded_at = turn.now;
  job.forwards[job.forwards_made++] = router;
  job.router = router;
  job.worker = WorkerId();
  job.attempt = ++last_attempt_;
  job.phase = JobPhase::kForwarded;
  wakes_.Set(id.index(), job.facts.deadline);
  turn.actions.emplace_back(ForwardToRouter{
      .job = id, .attempt = job.attempt, .router = router, .route = job.route, .table = routes_.version()});
}

// Nobody there can be reached, or they are full: at home the job has a chance, if the tier has workers here.
void RouterMachine::FallHome(Turn& turn, JobId id, std::string_view reason) {
  JobRecord& job = jobs_[id];
  CameBack(turn, job);
  job.phase = JobPhase::kDelayed;
  if (workers_.listed_workers(job.facts.tier) == 0) {
    End(turn, id, Outcome::kFailed,
        absl::StrCat("no router of region ", region_name(job.route.target), " can be reached, and tier ",
                     tier_name(job), " has no workers in ", region_name(home_)));
    return;
  }
  tier_state(job).counters.MoveSent(job.route.target, home_);
  job.route = {.target = home_, .reason = reason};
  job.router = RouterId();
  AdmitHome(turn, id);
}

void RouterMachine::OnForwardEnded(Turn& turn, JobId id, const AttemptEnded& event) {
  JobRecord& job = jobs_[id];
  // Whatever the other router says of the job is final, but for "busy": it has not begun.
  // A job that spilled and was shed there has only lost time: it stands in line at home again.
  const bool refused_spill = job.spilled && event.outcome == Outcome::kShed && !event.may_have_started;
  if (event.answered && event.outcome != Outcome::kBusy && !refused_spill) {
    if (job.phase == JobPhase::kForwarded && event.outcome == Outcome::kDone) MarkStarted(id, turn.now);
    Finish(turn, id, event, /*elsewhere=*/true);
    return;
  }
  if (!MayAskAgain(turn, id, event)) return;
  if (job.phase == JobPhase::kRunning) ++tier_state(job).held;
  job.phase = JobPhase::kDelayed;
  job.started = absl::InfiniteFuture();
  if (!StillPossible(turn, id)) return;
  if (event.import_full) {
    job.import_full = true;
    ++job.import_refusals;
  }
  if (job.import_refusals >= kImportRefusalsMax) {
    FallHome(turn, id, kImportCapReason);
  } else if (refused_spill) {
    FallHome(turn, id, "spill-refused");
  } else {
    Forward(turn, id);
  }
}

}  // namespace ringway::router
