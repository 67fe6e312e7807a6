// What the first request of a size costs against a later one of that size: 200 sizes between 256 and 1536
// pixels a side, drawn at random, on one narrow UNet, where building a plan weighs the most. A request is of
// kSteps passes; its first, of a size that is new, builds the plan and touches its arena. In seconds of the
// processors, of which a busy machine takes none away.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_weights.h"
#include "bench/engine/stopwatch.h"
#include "core/rng.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/unet_sd.h"
#include "engine/plan/plan_cache.h"

namespace ringway::bench {
namespace {

constexpr int kSteps = 20, kSizes = 200, kQuickSizes = 25;
constexpr double kAllowed = 1.1;

engine::SdUNetConfig NarrowUNet() {
  engine::SdUNetConfig config;
  config.layout.channels = {32, 64, 64, 64};
  config.layout.layers = 1;
  config.layout.down_attends = {false, false, true, false};
  config.layout.up_attends = {false, true, false, false};
  return config;
}

struct SizeCost {
  std::int64_t height = 0, width = 0;
  double plan = 0, first_pass = 0, pass = 0;
  double ratio() const { return (plan + first_pass + (kSteps - 1) * pass) / (kSteps * pass); }
};

}  // namespace

void MeasureSizes(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  const engine::SdUNetConfig config = NarrowUNet();
  const engine::PassOptions passes = {.precision =
                                          backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32};
  const auto source = std::make_shared<RandomWeights>();
  const auto set = std::make_shared<engine::WeightSet>(source);
  engine::PlanCache cache(backend, std::size_t{256} << 20);
  const auto take = [&](std::int64_t height, std::int64_t width) {
    auto plan = cache.Take(BuildSdUNet(config, *source, {1, height, width}, kTokens), passes, set);
    RINGWAY_CHECK(plan.ok());
    return *std::move(plan);
  };
  take(32, 32)->Run();
  const std::size_t packed = set->packed_bytes();
  std::vector<SizeCost> costs;
  Rng rng(2);
  for (int i = 0; i < (options.quick ? kQuickSizes : kSizes); ++i) {
    const auto side = [&] { return 32 + static_cast<std::int64_t>(rng.Below(161)); };
    SizeCost cost{side(), side()};
    std::unique_ptr<engine::Plan> plan;
    cost.plan = ProcessorSecondsOf([&] { plan = take(cost.height, cost.width); });
    cost.first_pass = ProcessorSecondsOf([&] { plan->Run(); });
    cost.pass = ProcessorSecondsOf([&] { plan->Run(); });
    costs.push_back(cost);
    cache.GiveBack(std::move(plan));
  }
  std::sort(costs.begin(), costs.end(),
            [](const SizeCost& a, const SizeCost& b) { return a.ratio() < b.ratio(); });
  const SizeCost& p99 = costs[(costs.size() * 99 + 99) / 100 - 1];
  const SizeCost& half = costs[costs.size() / 2];
  claims.AtLeast("sizes_first_request_p99_allowed_of_it", kAllowed / p99.ratio(), 1.0,
                 absl::StrFormat(
                     "%d sizes, %d steps: the first request takes %.3f times a later one at the median, %.3f "
                     "at p99 (%d x %d: plan %.1f ms, first pass %.1f ms, a pass %.1f ms)",
                     costs.size(), kSteps, half.ratio(), p99.ratio(), 8 * p99.width, 8 * p99.height,
                     p99.plan * 1e3, p99.first_pass * 1e3, p99.pass * 1e3));
  claims.AtLeast("sizes_pack_nothing", static_cast<double>(packed) / static_cast<double>(set->packed_bytes()),
                 1.0,
                 absl::StrFormat("%.1f MB packed before and after; %d plans rest in %.0f MB",
                                 static_cast<double>(packed) / 1e6, cache.resting(),
                                 static_cast<double>(cache.resting_bytes()) / 1e6));
}

}  // namespace ringway::bench
