// Streams of jobs, from a router to a worker or to a router of another region, that break while both ends
// live.
//
// Whoever dialled, the router that offered or forwarded the job, notices at once: the attempt has ended
// without an answer, and what the other end says on that stream is not heard any more. The other end notices
// at once or late, and stops at its next step then; until it does, it goes on with what nobody waits for.
//
// Owned by the faults. Complexity: O(jobs that the region's routers hold) for each call. One owner.
#ifndef RINGWAY_SIM_FLEET_JOB_STREAMS_H_
#define RINGWAY_SIM_FLEET_JOB_STREAMS_H_

#include <cstdint>

#include "core/rng.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/stage.h"

namespace ringway::sim {

class JobStreams {
 public:
  JobStreams(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers);
  // Of those of the region's routers this share.
  void Break(RegionId region, double share, std::int64_t late_ns);

 private:
  void BreakOne(RouterId router, JobId job, JobSerial serial, std::int64_t late_ns);

  Stage& stage_;
  Routers& routers_;
  const Workers& workers_;
  Rng chosen_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_JOB_STREAMS_H_
