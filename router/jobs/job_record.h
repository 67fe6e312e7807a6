// One job inside a router: what it is, where it stands, and what has happened to it.
//
// Records live in an arena indexed by JobId and are reused, so a router in steady state allocates nothing.
// What belongs to a part of the router alone (the round of probes, the place in a line, the claim of a key)
// is kept by that part. One owner thread.
#ifndef RINGWAY_ROUTER_JOBS_JOB_RECORD_H_
#define RINGWAY_ROUTER_JOBS_JOB_RECORD_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/cache_line.h"
#include "core/state.h"
#include "router/dispatch/service_estimate.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

enum class JobPhase : std::uint8_t {
  kFree,       // no job
  kHeld,       // admitted; whoever sees to its key lets it go
  kAcquiring,  // waits for a slot of this region, or to leave the line for another region
  kOffered,    // a worker has been asked
  kForwarded,  // another router has been asked
  kRunning,    // a worker, here or there, has started
};

// Routers of the target region that one job may be sent to, one after the other.
inline constexpr std::size_t kForwardsMax = 4;
// Workers that may fail with one job; it is sent to no more of them, and only the first is blamed. A request
// that kills its worker must not go round the fleet.
inline constexpr int kWorkersFailedMax = 2;
// Routers of a region that may refuse a spilled job because of their part of the import cap, before it goes
// home: each costs it a round trip.
inline constexpr int kImportRefusalsMax = 2;
// Regions with an idle worker that one job is sent to and refused by, before it waits at home whatever is
// said of others. High: giving up early costs more than the round trips (docs/dispatch.md).
inline constexpr int kLandingsRefusedMax = 32;

// Begins with a cache line, and ends with what a job needs that is forwarded or fails.
struct alignas(kCacheLine) JobRecord {
  JobFacts facts;
  JobPhase phase = JobPhase::kFree;
  bool leaving = false;      // acquiring: has asked to leave the line, to go to another region
  bool leased = false;       // the last offer was under a lease
  bool spilled = false;      // left for another region beneath the table
  bool landing = false;      // sent to another region to start at once, or to come back
  bool imported = false;     // from another region, and counted as such
  bool import_full = false;  // refused there, or here, because of the region's import cap
  bool restarted = false;
  bool withdrawn = false;  // by whoever forwarded it; ends with its attempt
  AttemptId attempt = 0;   // in flight; 0: none
  WorkerId worker;         // of the attempt
  RouterId router;
  RouteChoice route;
  Time started = InfiniteFuture();
  Time home_since = InfinitePast();  // waits for a slot of this region
  RegionId away;                     // counted as under way there
  int attempts = 0;                  // offers to workers
  int busy = 0;                      // of those, refused as busy

  std::string_view no_repeat;          // why it cannot be offered again; empty: it can
  Time forwarded_at = InfinitePast();  // the last time
  int import_refusals = 0;             // of the regions' routers
  int workers_failed = 0;              // that had it and failed
  int landings_refused = 0;            // of regions where a worker was believed idle
  RegionId refused_by;                 // the last of them, until the leader has been told
  std::array<RouterId, kForwardsMax> forwards;
  std::size_t forwards_made = 0;

  // Holds nothing that matters to the next job.
  bool vacant() const { return phase == JobPhase::kFree; }
  // For a region that the table did not choose.
  bool may_spill() const { return !facts.forwarded && !spilled && !route.shed; }
  // For a region that has an idle worker.
  bool may_leave() const { return !facts.forwarded && !route.shed && landings_refused < kLandingsRefusedMax; }
  bool ran() const { return started != InfiniteFuture(); }
  std::span<const RouterId> routers_tried() const { return {forwards.data(), forwards_made}; }
  RINGWAY_STATE(facts, phase, leaving, leased, spilled, landing, imported, import_full, restarted, attempt,
                worker, router, route, started, home_since, away, attempts, busy, no_repeat, forwarded_at,
                import_refusals, workers_failed, landings_refused, refused_by, forwards, forwards_made,
                withdrawn)
};

using JobArena = IdVector<JobId, JobRecord>;

// The last moment to start. It moves while the job waits, with every service time learnt.
inline Time LatestStart(const JobRecord& job, const dispatch::ServiceEstimate& service) {
  if (job.facts.deadline == InfiniteFuture()) return job.facts.deadline;
  return job.facts.deadline - service.Within(job.facts.cost);
}

// When to look whether a job that waits can still finish: at the last moment to start, and, because that
// moves, twice before it comes. A job that cannot finish any longer is not left waiting for an answer that
// was due.
Time NextLook(Time now, const JobRecord& job, const dispatch::ServiceEstimate& service);

// An attempt is over without a result. Nothing: the job may be sent again, and the failure is noted in the
// record; else why it may not, for a person.
std::optional<std::string> WhyNotAgain(JobRecord& job, const AttemptEnded& event);

// How the end of the job's current attempt counts for its worker: a failure of a job that failed elsewhere
// too is the job's.
Outcome OutcomeForWorker(const JobRecord& job, const AttemptEnded& event);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_JOB_RECORD_H_
