// What freezing promises: passes keep the meaning and do what they are for, and memory is shared safely and
// tightly.
#include "engine/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cpu/cpu_backend.h"
#include "engine/plan/memory_plan.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

// A small block with everything that passes look for: q, k, v of one input, text that is repeated over frames
// and positions, a time embedding before a norm, residuals, and a constant that needs computing.
Graph SampleGraph() {
  Graph g;
  const std::int64_t frames = 3, pixels = 16, c = 32;
  const ValueId x = g.Input("x", {frames, 4, 4, c});
  const ValueId text = g.Input("text", {1, 7, 1, 24});
  const ValueId time = g.Input("time", {1, 1, 1, c});
  std::uint64_t seed = 100;
  const auto weight = [&](const Shape& s) { return g.Constant(RandomTensor(s, ++seed, 0.3f)); };
  const auto linear = [&](ValueId from, std::int64_t in, std::int64_t out) {
    return g.Add(LinearOp{}, {from, weight({out, in})}, "linear");
  };
  const ValueId conv = g.Add(ConvOp{.padding = {1, 1, 1, 1}}, {x, weight({c, 3, 3, c}), weight({c})}, "conv");
  const ValueId norm =
      g.Add(GroupNormOp{8}, {g.Add(AddOp{}, {conv, time}), weight({c}), weight({c})}, "norm");
  const ValueId act = g.Add(ActivateOp{Activation::kSilu}, {norm});
  const ValueId tokens = g.Add(ReshapeOp{{frames, pixels, 1, c}}, {act});
  const ValueId self =
      g.Add(AttentionOp{2}, {linear(tokens, c, c), linear(tokens, c, c), linear(tokens, c, c)}, "self");
  const ValueId spatial_text = g.Add(ExpandOp{0, frames}, {text});
  const ValueId cross =
      g.Add(AttentionOp{2}, {linear(self, c, c), linear(spatial_text, 24, c), linear(spatial_text, 24, c)},
            "cross");
  const ValueId by_time = g.Add(ReshapeOp{{1, frames, pixels, c}}, {cross});
  const ValueId time_text = g.Add(ExpandOp{2, pixels}, {text});
  const ValueId temporal =
      g.Add(AttentionOp{2}, {linear(by_time, c, c), linear(time_text, 24, c), linear(time_text, 24, c)},
            "temporal");
  const ValueId amount = g.Add(ActivateOp{Activation::kSigmoid}, {weight({1})});
  const ValueId mixed = g.Add(BlendOp{}, {temporal, by_time, amount});
  const ValueId out = g.Add(AddOp{}, {linear(mixed, c, c), by_time});
  g.Output("y", g.Add(ReshapeOp{{frames, 4, 4, c}}, {out}));
  return g;
}

std::vector<float> RunSample(const PassOptions& options, int threads = 2) {
  const CpuBackend backend({.threads = threads});
  const auto plan = Plan::Freeze(SampleGraph(), options, backend);
  RINGWAY_CHECK(plan.ok());
  FillRandomly((*plan)->Input("x"), 1);
  FillRandomly((*plan)->Input("text"), 2);
  FillRandomly((*plan)->Input("time"), 3);
  (*plan)->Run();
  return {(*plan)->Output("y").begin(), (*plan)->Output("y").end()};
}

PassOptions Nothing() {
  return {.fold_constants = false, .hoist_expansion = false, .merge_projections = false, .fuse = false};
}

TEST(Passes, KeepTheMeaning) {
  const std::vector<float> plain = RunSample(Nothing());
  for (int switches = 1; switches < 16; ++switches) {
    const PassOptions options = {.fold_constants = (switches & 1) != 0,
                                 .hoist_expansion = (switches & 2) != 0,
                                 .merge_projections = (switches & 4) != 0,
                                 .fuse = (switches & 8) != 0};
    EXPECT_LT(RelativeDistance(RunSample(options), plain), 1e-5) << switches;
  }
  PassOptions bf16;
  bf16.precision = DType::kBF16;
  EXPECT_LT(RelativeDistance(RunSample(bf16), plain), 2e-2);
}

int CountOps(const Graph& graph, std::string_view name) {
  int n = 0;
  for (const Node& node : graph.nodes()) n += OpName(node.op) == name ? 1 : 0;
  return n;
}

TEST(Passes, HoistMakesExpansionsVanish) {
  const Graph before = SampleGraph();
  const Graph after = Prune(HoistExpansion(before).value()).value();
  EXPECT_EQ(CountOps(before, "expand"), 2);
  EXPECT_EQ(CountOps(after, "expand"), 0);
  double flops_before = 0, flops_after = 0;
  for (const Node& n : before.nodes())
    flops_before += OpName(n.op) == "linear" ? FloatingPointOperations(before, n) : 0;
  for (const Node& n : after.nodes())
    flops_after += OpName(n.op) == "linear" ? FloatingPointOperations(after, n) : 0;
  // k and v of the text: 16 positions and 3 frames of it before, one after.
  EXPECT_EQ(flops_before - flops_after, 2.0 * 2 * 7 * 24 * 32 * (16 + 3 - 2));
}

TEST(Passes, ExpansionStaysWhereRowsAreMixed) {
  Graph g;
  const ValueId x = g.Input("x", {2, 3, 4});
  const ValueId wide = g.Add(ExpandOp{2, 2}, {x});  // along the channels: no copy of rows
  g.Output("y", g.Add(LinearOp{}, {wide, g.Constant(RandomTensor({5, 8}, 1))}));
  EXPECT_EQ(CountOps(HoistExpansion(g).value(), "expand"), 1);
}

TEST(Passes, MergeAndFuseLeaveFewerNodes) {
  const Graph before = SampleGraph();
  const Graph merged = Prune(MergeProjections(before).value()).value();
  EXPECT_EQ(CountOps(before, "linear"), 10);
  EXPECT_EQ(CountOps(merged, "linear"), 10 - 2 - 1 - 1);
  const Graph fused = Optimise(before, {}).value();
  // Silu went into the norm; the sigmoid of a weight is left, but it is no step.
  EXPECT_EQ(CountOps(fused, "activate"), 1);
  const CpuBackend backend;
  const auto plan = Plan::Freeze(before, {}, backend);
  for (const Plan::StepTime& step : (*plan)->Profile(1)) EXPECT_NE(step.op, "activate");
  EXPECT_EQ(CountOps(fused, "add"), 0);
}

TEST(Passes, FusionSparesWhatOthersRead) {
  Graph g;
  const ValueId x = g.Input("x", {2, 8});
  const ValueId a = g.Add(LinearOp{}, {x, g.Constant(RandomTensor({8, 8}, 1))});
  const ValueId b = g.Add(AddOp{}, {a, x});
  g.Output("a", a);
  g.Output("b", b);
  EXPECT_EQ(CountOps(Prune(FuseResiduals(g).value()).value(), "linear"), 1);
}

TEST(Graph, NamesTheFirstMistake) {
  Graph g;
  const ValueId x = g.Input("x", {2, 8});
  const ValueId bad = g.Add(LinearOp{}, {x, g.Constant(RandomTensor({4, 9}, 1))}, "mid.to_q");
  g.Output("y", g.Add(GegluOp{}, {bad}));
  EXPECT_THAT(std::string(g.status().message()),
              testing::HasSubstr("mid.to_q: linear: input [2, 8] and weight [4, 9]"));
  EXPECT_FALSE(Plan::Freeze(g, {}, CpuBackend()).ok());
}

// No two values that live at the same step may share a byte, and the total stays near the bound.
TEST(MemoryPlan, SharesSafelyAndTightly) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, 3);
    std::vector<Lifetime> lifetimes;
    const int steps = 5 + static_cast<int>(rng.Below(80));
    for (int s = 0; s < steps; ++s) {
      // Most values die soon; some (skip connections) live until the mirrored step.
      const int reach = rng.Chance(0.2) ? steps - 1 - s : static_cast<int>(rng.Below(4));
      lifetimes.push_back({64 * (1 + rng.Below(200)), s, std::min(std::max(s, s + reach), steps - 1)});
    }
    const MemoryPlan plan = PlanMemory(lifetimes);
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool meet = lifetimes[i].first_step <= lifetimes[j].last_step &&
                          lifetimes[j].first_step <= lifetimes[i].last_step;
        const bool apart = plan.offsets[i] + lifetimes[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + lifetimes[j].bytes <= plan.offsets[i];
        ASSERT_TRUE(!meet || apart) << seed;
      }
    ASSERT_GE(plan.total_bytes, plan.bound_bytes);
    worst = std::max(worst, static_cast<double>(plan.total_bytes) / static_cast<double>(plan.bound_bytes));
  }
  EXPECT_LT(worst, 1.35);
}

TEST(Plan, GivesTheSameBytesEveryTimeAndForAnyThreads) {
  const std::vector<float> once = RunSample({});
  EXPECT_EQ(RunSample({}), once);
  EXPECT_EQ(RunSample({}, 1), once);
  EXPECT_EQ(RunSample({}, 7), once);
}

TEST(Plan, ReportsItsMemory) {
  const CpuBackend backend({.threads = 2});
  const auto plan = Plan::Freeze(SampleGraph(), {}, backend);
  const PlanReport& report = (*plan)->report();
  EXPECT_LE(report.arena_bytes, report.liveness_bound_bytes * 11 / 10);
  EXPECT_GT(report.flops, 0);
  EXPECT_TRUE((*plan)->Input("nothing of that name").empty());
}

}  // namespace
}  // namespace ringway::engine
