// The jobs in a ledger's line at home that may leave for another region, and whose turn it is to be
// considered. A job that probes is no part of it: it looks by itself whenever its next round is due.
//
// When leaving is worth it is decided in dispatch/spill.h; this keeps the line, so that nobody looks at every
// waiting job: the first of each priority has waited longest, and one alarm is set for when leaving is worth
// it to the first of them. Each job is considered once when it is the first and has waited long enough; then
// it goes, or stays because too little time is left. What lets somebody leave who could not is an event: an
// arrival that brings a token, a job that comes back from a region, another fleet or another router.
//
// The line is by age and not by when a job joined, because one that comes back to it has its old place.
//
// While the ledger's leader decides who leaves, the line is Suspended: it is kept, and nobody is considered.
//
// Invariant: a job is in the line from Join until Leave or until NextDue gave it. Complexity: O(log jobs) a
// call, and O(regions) for each job considered. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_JOBS_SPILL_LINE_H_
#define RINGWAY_ROUTER_JOBS_SPILL_LINE_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"
#include "router/dispatch/spill.h"
#include "router/dispatch/wake_heap.h"

namespace ringway::router {

class SpillLine {
 public:
  explicit SpillLine(const SpillSpec& spec) : gate_(spec) {}
  void Reconfigure(const SpillSpec& spec) { gate_.Reconfigure(spec); }
  void Aim(std::vector<dispatch::SpillTarget> targets) { gate_.Aim(std::move(targets)); }

  // A job entered the tier at this router.
  void OnArrival(Time now);
  // It waits at home since `since`. It must not be in the line.
  void Join(Time now, JobId job, Priority priority, Time since);
  // Does nothing if it is not in the line.
  void Leave(JobId job);
  // Whoever waits may go where nobody could before.
  void LookAgain(Time now) { alarm_ = now; }
  void Suspend(Time now, bool suspended);

  Time NextWake() const { return suspended_ ? InfiniteFuture() : alarm_; }
  // Takes the next job to be considered out of the line; invalid: none by now, and the alarm is set anew.
  JobId NextDue(Time now);
  // Where a job goes that has waited `waited` and has to start within `left`; null: it stays. The job that
  // goes is counted as spilled and as under way.
  const dispatch::SpillTarget* Send(Time now, Duration waited, Duration left);

  // Null: jobs of this tier may not spill there.
  const dispatch::SpillTarget* Target(RegionId region) const { return gate_.Target(region); }
  // A job that the table sends to the region.
  void Left(RegionId region) { gate_.Left(region); }
  // It, or a spilled one, came back. `served`: it had waited `waited_there` for its worker.
  void Came(Time now, RegionId region, Duration waited_there, bool served);

  RINGWAY_STATE(gate_, waiting_, priorities_, alarm_, suspended_)

 private:
  dispatch::SpillGate gate_;
  // Of one priority, by when they began to wait.
  struct Waiting {
    dispatch::WakeHeap since{0};
    RINGWAY_STATE(since)
  };
  PerPriority<Waiting> waiting_;
  IdVector<JobId, Priority> priorities_;  // of the jobs in the line
  Time alarm_ = InfiniteFuture();
  bool suspended_ = false;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_SPILL_LINE_H_
