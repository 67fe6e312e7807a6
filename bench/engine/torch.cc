// The same network at full width, in the same run, by the engine and by torch: bf16, traced and frozen, as
// many threads.
#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_weights.h"
#include "bench/engine/stopwatch.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/cpu/peak.h"
#include "engine/networks/unet_sd.h"

namespace ringway::bench {
namespace {

struct Ours {
  double seconds = 1e9, flops = 0;
};

Ours Measure(std::int64_t side, const RunOptions& options) {
  const engine::CpuBackend backend({.threads = options.threads});
  RandomWeights weights;
  engine::PassOptions passes;
  passes.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32;
  const auto plan = engine::Plan::Freeze(BuildSdUNet(engine::SdUNetConfig{}, weights, {1, side, side}, 77),
                                         passes, backend, weights);
  RINGWAY_CHECK(plan.ok());
  for (const char* input : {"sample", "context"})
    for (float& v : (*plan)->Input(input)) v = 0.1f;
  (*plan)->Input("time")[0] = 500;
  Ours ours;
  for (int round = 0; round < 4; ++round) {
    const double seconds = SecondsOf(**plan);
    if (round > 0) ours.seconds = std::min(ours.seconds, seconds);
  }
  ours.flops = (*plan)->report().flops;
  return ours;
}

// Nothing when there is no python3 with torch (Debian: python3-torch).
std::optional<double> TorchSeconds(std::int64_t side, int threads) {
  const std::string command =
      absl::StrFormat("/usr/bin/python3 '%s/bench/engine/torch_unet.py' %d %d 3 2>/dev/null",
                      RINGWAY_SOURCE_DIR, side, threads);
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) return std::nullopt;
  double seconds = 0;
  const bool read = std::fscanf(out, "%*s %lf", &seconds) == 1;
  return pclose(out) == 0 && read ? std::optional(seconds) : std::nullopt;
}

}  // namespace

void MeasureAgainstTorch(const RunOptions& options, Claims& claims) {
  if (options.quick) return;
  const double peak = engine::PeakFlops(engine::BestIsa(), options.threads);
  for (const std::int64_t side : {32, 64}) {
    const Ours ours = Measure(side, options);
    const std::string name = absl::StrFormat("unet_%d", side * 8);
    claims.AtLeast((name + "_share_of_peak").c_str(), ours.flops / ours.seconds / peak, 0.7,
                   absl::StrFormat("%.0f GFLOP in %.3f s: %.0f of %.0f GFLOP/s", ours.flops / 1e9,
                                   ours.seconds, ours.flops / ours.seconds / 1e9, peak / 1e9));
    const std::optional<double> torch = TorchSeconds(side, options.threads);
    if (torch)
      claims.AtLeast((name + "_against_torch").c_str(), *torch / ours.seconds, 1.6,
                     absl::StrFormat("torch, bf16, traced and frozen: %.3f s", *torch));
    else
      claims.Remark("no /usr/bin/python3 with torch here: nothing to compare with");
  }
}

}  // namespace ringway::bench
