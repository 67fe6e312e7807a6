// A whole denoising pass of Stable Diffusion 1.5's UNet with random weights: against the machine's peak, and
// what fusing and freezing are worth on it. Quick: a quarter of the width at 256 x 256, which takes seconds.
#include <map>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_weights.h"
#include "bench/engine/stopwatch.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/cpu/peak.h"
#include "engine/networks/unet_sd.h"

namespace ringway::bench {
namespace {

std::unique_ptr<engine::Plan> Freeze(const engine::Graph& graph, const engine::PassOptions& options,
                                     const engine::CpuBackend& backend) {
  auto plan = engine::Plan::Freeze(graph, options, backend, RandomWeights());
  RINGWAY_CHECK(plan.ok());
  for (const char* input : {"sample", "context"})
    for (float& v : (*plan)->Input(input)) v = 0.1f;
  (*plan)->Input("time")[0] = 500;
  return *std::move(plan);
}

void RemarkOnSteps(engine::Plan& plan, int rounds, const Claims& claims) {
  struct Sum {
    double seconds = 0, flops = 0;
    int steps = 0;
  };
  std::map<std::string_view, Sum> by_op;
  for (const engine::Plan::StepTime& step : plan.Profile(rounds)) {
    Sum& sum = by_op[step.op];
    sum.seconds += step.seconds;
    sum.flops += step.flops;
    ++sum.steps;
  }
  for (const auto& [op, sum] : by_op)
    claims.Remark(absl::StrFormat("%-14s %4d steps %8.1f ms %6.0f GFLOP/s", op, sum.steps, sum.seconds * 1e3,
                                  sum.flops / sum.seconds / 1e9));
}

}  // namespace

void MeasureUNet(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  engine::SdUNetConfig config;
  if (options.quick) config.layout.channels = {160, 320, 640, 640};
  RandomWeights weights;
  const engine::Graph graph = BuildSdUNet(config, weights, {1, 32, 32}, 77);
  RINGWAY_CHECK(graph.status().ok());
  engine::PassOptions all;
  all.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32;
  engine::PassOptions none = {.precision = all.precision,
                              .fold_constants = false,
                              .hoist_expansion = false,
                              .merge_projections = false,
                              .fuse = false};
  const auto fast = Freeze(graph, all, backend);
  const auto plain = Freeze(graph, none, backend);
  engine::PassOptions narrow = all;
  narrow.wide_sums = false;
  const auto rounded = Freeze(graph, narrow, backend);
  const int rounds = options.quick ? 3 : 5;
  const Pair sums = FastestOfEach(*rounded, *fast, rounds);
  claims.AtLeast("wide_sums_against_rounded", sums.ratio(), 0.95,
                 absl::StrFormat("sums of residuals in bf16 %.1f ms, in f32 %.1f ms; memory %.1f MB, %.1f MB",
                                 sums.first * 1e3, sums.second * 1e3,
                                 static_cast<double>(rounded->report().arena_bytes) / 1e6,
                                 static_cast<double>(fast->report().arena_bytes) / 1e6));
  const Pair time = FastestOfEach(*plain, *fast, rounds);
  const engine::PlanReport& report = fast->report();
  claims.AtLeast("fused_and_frozen_against_plain", time.ratio(), 1.0,
                 absl::StrFormat("%d -> %d steps, %.1f ms -> %.1f ms", plain->report().steps, report.steps,
                                 time.first * 1e3, time.second * 1e3));
  claims.AtLeast("liveness_bound_of_arena",
                 static_cast<double>(report.liveness_bound_bytes) / static_cast<double>(report.arena_bytes),
                 1 / 1.1, absl::StrFormat("%.1f MB planned", static_cast<double>(report.arena_bytes) / 1e6));
  const double peak = engine::PeakFlops(engine::BestIsa(), options.threads);
  claims.AtLeast(
      "unet_256_of_peak", report.flops / time.second / peak, options.quick ? 0.5 : 0.7,
      absl::StrFormat("%.1f GFLOP in %.1f ms: %.0f of %.0f GFLOP/s on %d threads", report.flops / 1e9,
                      time.second * 1e3, report.flops / time.second / 1e9, peak / 1e9, options.threads));
  claims.Remark("fused and frozen, by operation:");
  RemarkOnSteps(*fast, rounds, claims);
  claims.Remark("plain:");
  RemarkOnSteps(*plain, rounds, claims);
}

}  // namespace ringway::bench
