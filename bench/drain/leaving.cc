#include "bench/drain/leaving.h"

#include <algorithm>
#include <csignal>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"

namespace ringway::live {
namespace {

v1::JobHeader JobOf(double seconds, const std::string& id) {
  v1::JobHeader header = Header(kTier, id);
  header.set_steps(static_cast<std::uint32_t>(seconds / kStepS));
  return header;
}

// Knocks every few milliseconds for a second; the last knock after which a job was let in, in milliseconds
// from now. 0: none.
double LastAdmissionMs(v1::Ingress::Stub& door, double job_s) {
  const Time asked = absl::Now();
  double last_ms = 0;
  for (int i = 0; absl::Now() - asked < Seconds(1); ++i) {
    const double knocked_ms = ToDoubleMilliseconds(absl::Now() - asked);
    JobCall call = JobCall::ToRouter(door);
    if (call.Send(JobOf(job_s, absl::StrCat("late-", i)), "picture").AwaitAccepted()) last_ms = knocked_ms;
    call.Cancel();
    (void)call.Await();
    absl::SleepFor(Milliseconds(5));
  }
  return last_ms;
}

}  // namespace

WorldPlan DrainWorld(double job_s) {
  return {.regions = {{"oslo", 1, 2}, {"bergen", 1, 1}},
          .service_mean_s = job_s,
          .deadline = absl::StrCat(3 * job_s, "s"),
          .controlled = false};
}

std::vector<double> CancelMs(SmallWorld& world, double job_s, int times) {
  std::vector<double> freed_ms;
  const auto door = world.Door("bergen-0");
  DaemonProcess& worker = world.worker("bergen-0-w0");
  for (int i = 0; i < times; ++i) {
    JobCall call = JobCall::ToRouter(*door);
    call.Send(JobOf(job_s, absl::StrCat("leaves-", i)), "picture");
    if (!call.AwaitStep(1)) continue;
    // Anywhere in a step, not only at its beginning.
    absl::SleepFor(Milliseconds((i * 37) % 200));
    const Time left = absl::Now();
    call.Cancel();
    if (Eventually([&] { return MetricValue(worker.http(), "ringway_worker_busy") == 0; })) {
      freed_ms.push_back(ToDoubleMilliseconds(absl::Now() - left));
    }
    (void)call.Await();
  }
  std::sort(freed_ms.begin(), freed_ms.end());
  return freed_ms;
}

std::vector<bench::Claim> Drain(SmallWorld& world, double job_s) {
  const auto oslo = world.Door("oslo-0"), bergen = world.Door("bergen-0");
  const Duration limit = Seconds(2 * job_s + 10);
  JobCall at_router = JobCall::ToRouter(*oslo, limit), at_worker = JobCall::ToRouter(*bergen, limit);
  at_router.Send(JobOf(job_s, "router-drains"), "picture");
  at_worker.Send(JobOf(job_s, "worker-drains"), "picture");
  const bool under_way = at_router.AwaitStep(1) && at_worker.AwaitStep(1);
  world.worker("bergen-0-w0").Signal(SIGTERM);
  world.router("oslo-0").Signal(SIGTERM);
  const double last_ms = LastAdmissionMs(*oslo, job_s);
  const int finished = (at_router.Await().outcome() == "done") + (at_worker.Await().outcome() == "done");
  const int ended = world.router("oslo-0").WaitFor(Seconds(10)).has_value() +
                    world.worker("bergen-0-w0").WaitFor(Seconds(10)).has_value();
  return {bench::AtLeast("drain.jobs_under_way", under_way ? 2 : 0, 2, "jobs"),
          bench::AtLeast("drain.jobs_finished", finished, 2, "jobs"),
          bench::AtLeast("drain.processes_ended", ended, 2, "processes"),
          bench::AtMost("drain.last_admission_ms", last_ms, 100, "ms")};
}

}  // namespace ringway::live
