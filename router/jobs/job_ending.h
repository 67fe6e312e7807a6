// How a job ends that gets no worker, in words for its client: what happened, the figures, and when to ask
// again.
//
// Texts are made here and nowhere else, so that the machine's code is about decisions. What each says was
// decided before: these functions only read the view, the tier and the job's record.
//
// Invariant: a refusal that another attempt could overcome says when (retry_after); one that cannot says
// zero. Complexity: that of the text. Pure.
#ifndef RINGWAY_ROUTER_JOBS_JOB_ENDING_H_
#define RINGWAY_ROUTER_JOBS_JOB_ENDING_H_

#include <string>

#include "core/time.h"
#include "router/dispatch/slot_request.h"
#include "router/jobs/job_record.h"
#include "router/jobs/tier_state.h"
#include "router/routes/router_view.h"

namespace ringway::router {

struct Ending {
  Outcome outcome = Outcome::kDone;
  std::string message = {};
  Duration retry_after = ZeroDuration();
  bool counted = true;  // among this router's jobs; false: another router counts it
};

// `broke`: times that the job slept because the retry budget was spent.
Ending TooLate(const RouterView& view, const TierState& tier, const JobRecord& job, int broke, Time now);
Ending ShedByTable(const RouterView& view, const TierState& tier, const JobRecord& job);
// It was to start here at once, and no worker is idle any more.
Ending NoneIdleHere(const RouterView& view, const JobRecord& job);
// No slot was found. Not for kTooLate and kNoneIdle, which are the two above.
Ending WithoutSlot(const RouterView& view, const TierState& tier, const JobRecord& job, dispatch::NoSlot why);
// This router holds as many jobs of the tier as it may.
Ending LineFull(const RouterView& view, const TierState& tier, const JobRecord& job);
// This region has taken in its cap of other regions' jobs.
Ending ImportsFull(const RouterView& view, const TierState& tier, const JobRecord& job);
// Nobody wants it any more.
Ending Unwanted();
// To another router "busy" means: not begun, ask the next one.
Ending Draining(const JobRecord& job);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_JOB_ENDING_H_
