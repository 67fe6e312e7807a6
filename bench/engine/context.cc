// What it is worth to expand a shared context after the key and value projections instead of before: the
// second of the article's five optimisations, for the temporal and for the spatial cross-attention of a clip
// of 16 frames.
#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_weights.h"
#include "bench/engine/stopwatch.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/blocks.h"

namespace ringway::bench {
namespace {

using engine::Graph;
using engine::Scope;
using engine::ValueId;

constexpr std::int64_t kFrames = 16, kContextChannels = 768, kChannels = 320;
constexpr int kHeads = 8;

struct Layer {
  std::int64_t pixels;
  bool temporal;
};

// One cross-attention layer as the reference writes it: the context is expanded first.
Graph CrossAttention(const Layer& layer, RandomWeights& weights) {
  Graph g;
  const ValueId context = g.Input("context", {1, kTokens, 1, kContextChannels});
  const ValueId x = layer.temporal ? g.Input("x", {1, kFrames, layer.pixels, kChannels})
                                   : g.Input("x", {kFrames, layer.pixels, 1, kChannels});
  const engine::ExpandOp expand =
      layer.temporal ? engine::ExpandOp{2, layer.pixels} : engine::ExpandOp{0, kFrames};
  const ValueId expanded = g.Add(expand, {context});
  g.Output("y", AttentionLayer(Scope(g, weights), x, expanded, {.heads = kHeads}));
  return g;
}

std::unique_ptr<engine::Plan> Freeze(const Graph& graph, const engine::CpuBackend& backend, bool hoist) {
  engine::PassOptions options;
  options.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32;
  options.hoist_expansion = hoist;
  auto plan = engine::Plan::Freeze(graph, options, backend, RandomWeights());
  RINGWAY_CHECK(plan.ok());
  for (const char* input : {"x", "context"})
    for (float& v : (*plan)->Input(input)) v = 0.1f;
  return *std::move(plan);
}

// Of the expansion and the key and value projections, which are merged into one layer named after the first.
double ProjectionSeconds(engine::Plan& plan, int rounds) {
  double seconds = 0;
  for (const engine::Plan::StepTime& step : plan.Profile(rounds))
    if (step.op == "expand" || step.label == "to_k" || step.label == "to_v") seconds += step.seconds;
  return seconds;
}

}  // namespace

void MeasureContext(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  const int rounds = options.quick ? 1 : 3;
  for (const bool temporal : {true, false}) {
    const Layer layer{temporal && options.quick ? 32 * 32 : 64 * 64, temporal};
    const std::string kind = temporal ? "temporal" : "spatial";
    RandomWeights weights;
    const auto before = Freeze(CrossAttention(layer, weights), backend, false);
    const auto after = Freeze(CrossAttention(layer, weights), backend, true);
    const Pair time = FastestOfEach(*before, *after, rounds);
    const double flops = before->report().flops / after->report().flops;
    claims.AtLeast(
        (kind + "_cross_attention_of_flops_ratio").c_str(), time.ratio() / flops, 0.8,
        absl::StrFormat("%d positions: %.1f ms -> %.1f ms (%.1fx); floating-point operations %.1fx fewer; "
                        "memory %.0f MB -> %.0f MB",
                        layer.pixels, time.first * 1e3, time.second * 1e3, time.ratio(), flops,
                        static_cast<double>(before->report().arena_bytes) / 1e6,
                        static_cast<double>(after->report().arena_bytes) / 1e6));
    const double slow = ProjectionSeconds(*before, rounds), fast = ProjectionSeconds(*after, rounds + 2);
    // Repeated over 16 frames the projections cannot become more than 16 times cheaper; over the pixels they
    // can.
    claims.AtLeast(
        (kind + "_key_value_projections").c_str(), slow / fast, temporal ? 50 : 0.8 * kFrames,
        absl::StrFormat("expansion and projections alone: %.2f ms -> %.3f ms", slow * 1e3, fast * 1e3));
  }
}

}  // namespace ringway::bench
