// The memory of a router that remembers keyed jobs: it rises for as long as a key is remembered, and then no
// more.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

constexpr int kResultBytes = 200'000;
constexpr int kKeep_s = 2;

double ResidentMib(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(OnceMemoryTest, MemoryOfKeyedJobsReachesAPlateau) {
  SmallWorld world({.regions = {{"oslo", 1, 1}},
                    .service_mean_s = 0.005,
                    .worker_flags = {"--result-bytes", absl::StrCat(kResultBytes)},
                    .router_flags = {"--once-keep-secs", absl::StrCat(kKeep_s)},
                    .controlled = false});
  ASSERT_TRUE(world.AwaitReady());
  DaemonProcess& router = world.router("oslo-0");
  const auto door = world.Door("oslo-0");
  const auto records = [&] { return MetricValue(router.http(), "ringway_router_once_records").value_or(-1); };
  int sent = 0;
  const auto send_for = [&](Duration span) {
    const Time until = absl::Now() + span;
    while (absl::Now() < until) {
      v1::JobHeader header = Header(kTier, absl::StrCat("keyed-", sent));
      header.set_idempotency_key(absl::StrCat("key-", sent++));
      ASSERT_EQ(JobCall::ToRouter(*door).Send(header, "picture").Await().outcome(), "done");
      absl::SleepFor(Milliseconds(20));
    }
  };
  const double before = ResidentMib(router.pid());
  send_for(Seconds(2 * kKeep_s));
  const double plateau = ResidentMib(router.pid());
  const double kept = records();
  const int at_plateau = sent;
  send_for(Seconds(4 * kKeep_s));
  const double after = ResidentMib(router.pid());
  const double leak = static_cast<double>(sent - at_plateau) * kResultBytes / (1 << 20);
  std::printf("%d keyed jobs: %.1f MiB before, %.1f MiB with %.0f records, %.1f MiB after %d more\n",
              at_plateau, before, plateau, kept, after, sent - at_plateau);
  EXPECT_GT(kept, 1);
  ASSERT_GT(leak, 8) << "too few jobs to tell a leak";
  EXPECT_LT(after, plateau + leak / 4) << "memory goes on rising when as many keys are forgotten as come";
  EXPECT_TRUE(Eventually([&] { return records() == 0; })) << "keys are not forgotten";
}

}  // namespace
}  // namespace ringway::live
