// Linear layers in int8 against bf16 (f32 where that is not native), at the sizes of Stable Diffusion 1.5's
// UNet for a picture of 512 x 512: each layer by itself as it runs within a plan, in turn.
//
// The step of the layer alone is timed: rounding the rows to 8 bits is part of it, and so is widening where
// only weights are of 8 bits. Bytes are those of the packed weights.
#include <cmath>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_weights.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/blocks.h"
#include "engine/plan/plan.h"

namespace ringway::bench {
namespace {

constexpr double kInt8Faster = 1.5;
constexpr double kInt8WeightsNoSlowerThan = 0.8;
constexpr double kInt8BytesSaved = 1 / 0.55;

struct LinearShape {
  std::int64_t rows, in, out;
};
constexpr LinearShape kUNetLayers[] = {{4096, 320, 320},  {4096, 320, 2560},  {4096, 1280, 320},
                                       {1024, 640, 640},  {1024, 640, 5120},  {1024, 2560, 640},
                                       {256, 1280, 1280}, {256, 1280, 10240}, {256, 5120, 1280},
                                       {64, 1280, 1280},  {77, 768, 320},     {77, 768, 1280}};

struct TimedLayer {
  RandomWeights weights;
  std::shared_ptr<engine::WeightSet> set;
  std::unique_ptr<engine::Plan> plan;
  double seconds = 1e9;

  TimedLayer(const LinearShape& s, const engine::CpuBackend& backend, engine::Quantisation quantisation) {
    engine::Graph g;
    const engine::Scope scope(g, weights);
    const engine::ValueId y = LinearLayer(scope, g.Input("x", {1, s.rows, s.in}), s.out);
    // Not the last: what leaves a network is not quantised.
    g.Output("y", g.Add(engine::LayerNormOp{}, {y}));
    engine::PassOptions options;
    options.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32;
    options.quantisation = quantisation;
    set = std::make_shared<engine::WeightSet>(
        std::shared_ptr<const engine::WeightSource>(std::shared_ptr<void>(), &weights));
    auto made = engine::Plan::Freeze(g, options, backend, set);
    RINGWAY_CHECK(made.ok());
    plan = *std::move(made);
    std::size_t i = 0;
    for (float& v : plan->Input("x")) v = std::sin(static_cast<float>(++i));
    plan->Run();
  }
  void Time() {
    for (const engine::Plan::StepTime& step : plan->Profile(1))
      if (step.op == "linear") seconds = std::min(seconds, step.seconds);
  }
};

}  // namespace

void MeasureInt8(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  const int rounds = options.quick ? 20 : 60;
  double faster = 0, widened = 0, plain_bytes = 0, int8_bytes = 0;
  std::string table;
  for (const LinearShape& s : kUNetLayers) {
    TimedLayer plain(s, backend, engine::Quantisation::kNone);
    TimedLayer dynamic(s, backend, engine::Quantisation::kDynamic);
    TimedLayer weights(s, backend, engine::Quantisation::kWeights);
    for (int round = 0; round < rounds; ++round)
      for (TimedLayer* layer : {&plain, &dynamic, &weights}) layer->Time();
    faster += std::log(plain.seconds / dynamic.seconds);
    widened += std::log(plain.seconds / weights.seconds);
    plain_bytes += static_cast<double>(plain.set->packed_bytes());
    int8_bytes += static_cast<double>(dynamic.set->packed_bytes());
    const double flops = 2.0 * static_cast<double>(s.rows * s.in * s.out);
    table += absl::StrFormat(
        "\n        %4d x %4d -> %5d: %8.1f us, %6.0f GFLOP/s; int8 %8.1f us, %.2fx; weights alone %8.1f us, "
        "%.2fx",
        s.rows, s.in, s.out, plain.seconds * 1e6, flops / plain.seconds / 1e9, dynamic.seconds * 1e6,
        plain.seconds / dynamic.seconds, weights.seconds * 1e6, plain.seconds / weights.seconds);
  }
  const char* of = backend.FastBf16() ? "of bf16; geometric mean of:" : "of f32; geometric mean of:";
  const double layers = std::size(kUNetLayers);
  claims.AtLeast("int8_linear_layers", std::exp(faster / layers), kInt8Faster, of + table);
  claims.AtLeast("int8_weights_linear_layers", std::exp(widened / layers), kInt8WeightsNoSlowerThan, of);
  claims.AtLeast("int8_weights_bytes", plain_bytes / int8_bytes, kInt8BytesSaved,
                 absl::StrFormat("%.1f MB, %.1f MB in int8", plain_bytes / 1e6, int8_bytes / 1e6));
}

}  // namespace ringway::bench
