// At most one completion for a key, and no request without an answer: 10,000 keys on real processes, while
// replies are lost, routers are killed with -9 and workers are killed with -9.
//
//   bench_once [--quick] [--brief]      quick: 1,000 keys
#include <cstdio>

#include "bench/options.h"
#include "gtest/gtest.h"
#include "tests/live/keyed_load.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

int RunOnceBench(bool quick, bool brief) {
  SmallWorld world(
      {.regions = {{"oslo", 4, 2}}, .service_mean_s = 0.01, .service_law = "lognormal", .deadline = "5s"});
  if (!world.AwaitReady()) {
    std::fprintf(stderr, "bench_once: the processes did not become ready\n");
    return 2;
  }
  const std::size_t keys = quick ? 1000 : 10000;
  const KeyedReport report = RunKeyedLoad(
      world, {.keys = keys, .clients = 12, .router_kills = quick ? 4 : 16, .worker_kills = quick ? 4 : 16});
  if (!brief) std::printf("%s\n", report.Line().c_str());
  if (!report.problem.empty()) std::printf("first problem: %s\n", report.problem.c_str());
  const struct {
    const char* name;
    std::size_t measured;
    bool holds;
    std::size_t bound;
  } claims[] = {{"once.duplicate_completions", report.duplicates, report.duplicates == 0, 0},
                {"once.silent_losses", report.silent, report.silent == 0, 0},
                {"once.keys_with_a_result", report.done, report.done == keys, keys}};
  bool all = true;
  for (const auto& claim : claims) {
    std::printf("%s %s %zu %zu\n", claim.holds ? "ok" : "short", claim.name, claim.measured, claim.bound);
    all = all && claim.holds;
  }
  return all ? 0 : 1;
}

}  // namespace
}  // namespace ringway::live

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto options = ringway::bench::ReadOptions("bench_once", argc, argv);
  return options ? ringway::live::RunOnceBench(options->quick, options->brief) : 2;
}
