// How soon is a slot free when its client leaves, and what does a drain lose or let in?
//
//   bench_drain [--quick] [--brief]      quick: a job of 6 s instead of 120 s, 10 clients that leave instead
//   of 100
#include <cstdio>
#include <utility>
#include <vector>

#include "bench/drain/leaving.h"
#include "bench/options.h"
#include "gtest/gtest.h"

namespace ringway::live {
namespace {

int RunDrainBench(bool quick, bool brief) {
  const double job_s = quick ? 6 : 120;
  const int times = quick ? 10 : 100;
  SmallWorld world(DrainWorld(job_s));
  if (!world.AwaitReady()) {
    std::fprintf(stderr, "bench_drain: the processes did not become ready\n");
    return 2;
  }
  const std::vector<double> freed_ms = CancelMs(world, job_s, times);
  const double longest_ms = freed_ms.empty() ? 1e9 : freed_ms.back();
  const double median_ms = freed_ms.empty() ? 1e9 : freed_ms[freed_ms.size() / 2];
  if (!brief) {
    std::printf("a step takes %.0f ms, the long job %.0f s; freed after the client left: median %.0f ms\n",
                1000 * kStepS, job_s, median_ms);
  }
  std::vector<bench::Claim> claims = {
      bench::AtLeast("cancel.slots_freed", static_cast<double>(freed_ms.size()), times, "slots"),
      bench::AtMost("cancel.longest_ms", longest_ms, 1000 * kStepS + 50, "ms")};
  for (bench::Claim& claim : Drain(world, job_s)) claims.push_back(std::move(claim));
  return bench::Report(claims, brief);
}

}  // namespace
}  // namespace ringway::live

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto options = ringway::bench::ReadOptions("bench_drain", argc, argv);
  return options ? ringway::live::RunDrainBench(options->quick, options->brief) : 2;
}
