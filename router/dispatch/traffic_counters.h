// What a router counts for one tier between two reports to the controller.
//
// `entered` is demand: jobs that first entered here, the refused included, retries and forwarded jobs
// excluded. `sent` says where the table (or a failover) took them. Everything else is counted by the router
// that ended the job itself, so that a job is counted once in the whole fleet: for a job that another router
// answered, that router counts the outcome. Only `own_done` and `own_lost` are of the router where a job
// entered. Counters are since the last Take; bounded by the number of regions and priorities. One owner
// thread.
#ifndef RINGWAY_ROUTER_DISPATCH_TRAFFIC_COUNTERS_H_
#define RINGWAY_ROUTER_DISPATCH_TRAFFIC_COUNTERS_H_

#include <cstdint>

#include "core/ids.h"
#include "core/job.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::dispatch {

struct TrafficCounters {
  PerPriority<std::uint64_t> entered{};
  IdVector<RegionId, std::uint64_t> sent;
  std::uint64_t done = 0;
  std::uint64_t attempts = 0;  // offers made to workers
  std::uint64_t busy = 0;      // of those, refused as busy
  std::uint64_t failed = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t shed = 0;  // shed and rejected: refused before any work
  std::uint64_t spilled = 0;
  Duration wait = ZeroDuration();     // of done jobs: arrival to start
  Duration service = ZeroDuration();  // of done jobs: on the worker
  // Jobs that left a worker which this router had asked itself, however they ended, and how long they held
  // it.
  std::uint64_t ran = 0;
  Duration held = ZeroDuration();
  // Of jobs that first entered here, whichever router answered them: what came of this router's rows. A job
  // that failed, that its client withdrew or that was wrong says nothing about where it was sent.
  std::uint64_t own_done = 0;
  std::uint64_t own_lost = 0;  // shed, or too late

  void CountSent(RegionId region);
  // A job counted for `from` went to `to` after all.
  void MoveSent(RegionId from, RegionId to);
  void CountEnd(Outcome outcome);
  void CountOwnEnd(Outcome outcome);
  // The counts so far; starts again from zero.
  TrafficCounters Take();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_TRAFFIC_COUNTERS_H_
