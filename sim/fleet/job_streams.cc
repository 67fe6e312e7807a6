#include "sim/fleet/job_streams.h"

#include <utility>
#include <vector>

#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kJobStream = 0x6a6f6273;

}  // namespace

JobStreams::JobStreams(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers)
    : stage_(stage), routers_(routers), workers_(workers), chosen_(scenario.seed, kJobStream) {}

void JobStreams::Break(RegionId region, double share, std::int64_t late_ns) {
  for (RouterId router(0); router != routers_.places().end_id(); router = RouterId(router.index() + 1)) {
    if (routers_.places()[router] != region || !routers_.alive(router)) continue;
    std::vector<std::pair<JobId, JobSerial>> chosen;
    routers_.ForJobs(router, [&](JobId job, JobSerial serial, bool) {
      const bool under_way = routers_.machine(router).job(job).attempt != 0;
      if (under_way && chosen_.Chance(share)) chosen.emplace_back(job, serial);
    });
    for (const auto& [job, serial] : chosen) BreakOne(router, job, serial, late_ns);
  }
}

void JobStreams::BreakOne(RouterId router, JobId id, JobSerial serial, std::int64_t late_ns) {
  const router::JobRecord& job = routers_.machine(router).job(id);
  const Caller caller{router, routers_.life(router), id, job.attempt};
  const bool sent = routers_.CloseStream(caller);
  for (Observer* observer : stage_.observers) observer->OnStreamBroke(stage_.Now(), serial);
  stage_.TellRouter(0, {.router = router,
                        .life = caller.life,
                        .event = router::AttemptEnded{.job = id,
                                                      .attempt = job.attempt,
                                                      .worker = job.worker,
                                                      .router = job.router,
                                                      .may_have_started = sent}});
  if (job.worker.valid()) {
    const WorkerId worker = workers_.Global(routers_.places()[router], job.worker);
    stage_.After(late_ns, Happening::kCancelReaches, worker.value(),
                 stage_.to_worker.Put({.caller = caller}));
  } else {
    stage_.TellRouter(
        late_ns, {.router = job.router, .life = kAnyLife, .event = router::ClientGone{}, .caller = caller});
  }
}

}  // namespace ringway::sim
