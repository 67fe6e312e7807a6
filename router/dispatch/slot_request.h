// What a job wants of its own region, and the answers: a worker to offer the job to, or why there is none.
//
// Two sources find slots: the prober (prober.h) and the client of the region's ledger
// (ledger/ledger_client.h). Both take a request for a job, answer it once, and forget it when the job leaves.
// A job has at most one request open, at one of them. Threads: values.
#ifndef RINGWAY_ROUTER_DISPATCH_SLOT_REQUEST_H_
#define RINGWAY_ROUTER_DISPATCH_SLOT_REQUEST_H_

#include <cstdint>

#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway::dispatch {

// Times are this router's own.
struct SlotRequest {
  Priority priority = 0;
  Time arrived;
  Time deadline;
  Duration expected;         // service time, at the quantile that "cannot finish in time" is judged by
  bool idle_only = false;    // refused unless a slot is idle now
  int offers_made = 0;       // to workers, for this job so far
  bool may_leave = false;    // may be redirected to another region that has an idle worker
  bool foreign = false;      // came from another region
  RegionId prefers = {};     // another region, if a worker there is believed to be idle
  RegionId refused_by = {};  // a region that did not take it since it was redirected there

  // After this moment the job cannot finish in time. InfiniteFuture without a deadline.
  Time latest_start() const { return deadline - expected; }
  RINGWAY_STATE(priority, arrived, deadline, expected, idle_only, offers_made, may_leave, foreign, prefers,
                refused_by)
};

// Offer the job to this worker now. The lease is empty where the worker was found by probing.
struct SlotGranted {
  JobId job;
  WorkerId worker;
  Lease lease;
};

enum class NoSlot : std::uint8_t {
  kTooLate,      // cannot finish before its deadline any more
  kNoneIdle,     // the request was for an idle slot only
  kLineFull,     // too many jobs wait already
  kMayNotWait,   // no slot is free, and the tier's jobs do not wait (waitingMax 0)
  kOffersSpent,  // the job has been offered attempts_max times
  kBusyAnswers,  // too many workers that were granted answered BUSY
};
struct SlotRefused {
  JobId job;
  NoSlot why = NoSlot::kTooLate;
};

// The job has left the line and may stand in another.
struct LineLeft {
  JobId job;
};

// No slot is wanted here: the job is to start in that region. `landing`: at once, because a worker there is
// believed to be idle; else it stands in the line there.
struct SlotElsewhere {
  JobId job;
  RegionId region;
  bool landing = false;
};

// The job has slept, and its next round of probes is due: it looks on, or leaves instead.
struct RoundDue {
  JobId job;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SLOT_REQUEST_H_
