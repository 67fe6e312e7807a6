// What a plan is known by: any change of a network gives another key, other names of its weights do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/rng.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/blocks.h"
#include "engine/networks/spatio_temporal.h"
#include "engine/plan/plan_cache.h"
#include "tests/engine/small_unet.h"

namespace ringway::engine {
namespace {

// A network with most operations, every node of which matters.
Graph SmallUNet() {
  HashWeights weights;
  return SmallVideoUNet(weights, {{1, 3}, 8, 8});
}

std::string TextOf(const Graph& graph) { return Canonical(graph, WeightNames::kLeftOut).text; }
Hash128 KeyOf(const Graph& graph) { return HashOf(TextOf(graph)); }

// Writes the graph again; `change` may alter an operation or the inputs of a node before it is added.
template <typename Change>
Graph Rewritten(const Graph& graph, const Change& change) {
  Graph to;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    Op op = graph.node(id).op;
    change(id, op);
    to.Add(std::move(op), graph.node(id).inputs, graph.node(id).label);
  }
  for (const GraphOutput& output : graph.outputs()) to.Output(output.name, output.value);
  return to;
}

// Settings that keep every shape, so that a mutated graph is as good a network as the first.
struct Mutate {
  int variant;  // from 1 on; 0 is the graph as it is
  template <typename T>
  bool operator()(T& op) const {
    if constexpr (std::is_same_v<T, ConvOp> || std::is_same_v<T, LinearOp>) {
      op.activation = static_cast<Activation>(variant % 5);
    } else if constexpr (std::is_same_v<T, GroupNormOp>) {
      op.epsilon *= 1.0f + static_cast<float>(variant);
    } else if constexpr (std::is_same_v<T, LayerNormOp>) {
      op.epsilon *= 1.0f + static_cast<float>(variant);
    } else if constexpr (std::is_same_v<T, AttentionOp>) {
      if (variant > 1) return false;
      op.causal = !op.causal;
    } else if constexpr (std::is_same_v<T, ActivateOp>) {
      op.activation = static_cast<Activation>((static_cast<int>(op.activation) + variant) % 5);
      return variant < 5;
    } else if constexpr (std::is_same_v<T, TimeEmbeddingOp>) {
      if (variant > 1) return false;
      op.sine_first = !op.sine_first;
    } else if constexpr (std::is_same_v<T, AddOp> || std::is_same_v<T, BlendOp>) {
      if (variant > 2) return false;
      op.result = variant == 1 ? DType::kBF16 : DType::kF32;
    } else {
      return false;
    }
    return !(std::is_same_v<T, ConvOp> || std::is_same_v<T, LinearOp>) || variant < 5;
  }
};

// One block of it, with all kinds of operations in a quarter of the nodes.
Graph SmallBlock() {
  HashWeights weights;
  Graph g;
  const Scope scope(g, weights);
  const ClipShape clip{1, 2};
  const ValueId time = g.Add(TimeEmbeddingOp{32}, {g.Input("time", {1})});
  ValueId x = g.Input("x", {2, 2, 2, 32});
  x = SpatioTemporalResnet(scope / "resnet", x, Silu(g, time), 32, clip, {1e-6f, 1e-5f, false});
  x = SpatioTemporalTransformer(scope / "transformer", x, g.Input("context", {1, 3, 1, 24}), clip, 1, 2);
  g.Output("y", x);
  return g;
}

// A hundred thousand sets of one to four changes: two are one key if and only if they are the same set.
TEST(StructureHash, MutatedGraphsAreNeverMistaken) {
  const Graph graph = SmallBlock();
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  std::vector<ValueId> mutable_nodes;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    Op op = graph.node(id).op;
    if (std::visit(Mutate{1}, op)) mutable_nodes.push_back(id);
  }
  using Changes = std::map<ValueId, int>;
  std::map<Hash128, Changes> seen = {{KeyOf(graph), {}}};
  Rng rng(11, 4);
  for (int mutated = 0, tried = 0; mutated < 100'000; ++tried) {
    ASSERT_LT(tried, 300'000);
    Changes wanted, changes;
    for (std::uint64_t i = 0, n = 1 + rng.Below(4); i < n; ++i)
      wanted[mutable_nodes[rng.Below(mutable_nodes.size())]] = 1 + static_cast<int>(rng.Below(4));
    const Graph other = Rewritten(graph, [&](ValueId id, Op& op) {
      const auto at = wanted.find(id);
      if (at != wanted.end() && std::visit(Mutate{at->second}, op)) changes[id] = at->second;
    });
    ASSERT_TRUE(other.status().ok()) << other.status();
    mutated += changes.empty() ? 0 : 1;
    const auto [at, fresh] = seen.try_emplace(KeyOf(other), changes);
    ASSERT_TRUE(fresh || at->second == changes) << "two networks have one key";
  }
  EXPECT_GT(seen.size(), 50'000u);
}

// Another wiring, where shapes allow one, is another network.
TEST(StructureHash, AnotherInputIsAnotherKey) {
  const Graph graph = SmallUNet();
  const Hash128 key = KeyOf(graph);
  int rewired = 0;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    if (node.fixed || node.inputs.empty()) continue;
    for (ValueId by = 0; by < id; ++by) {
      if (by == node.input(0) || graph.node(by).fixed || !(graph.shape(by) == graph.shape(node.input(0))))
        continue;
      Graph to;
      for (ValueId at = 0; at < static_cast<ValueId>(graph.nodes().size()); ++at) {
        std::vector<ValueId> inputs = graph.node(at).inputs;
        if (at == id) inputs[0] = by;
        to.Add(graph.node(at).op, inputs);
      }
      for (const GraphOutput& output : graph.outputs()) to.Output(output.name, output.value);
      ASSERT_NE(KeyOf(to), key) << id << " reads " << by;
      ++rewired;
    }
  }
  EXPECT_GT(rewired, 500);
}

TEST(StructureHash, SizesNamesOfPortsAndSharedWeightsCount) {
  HashWeights weights;
  const Hash128 key = KeyOf(SmallUNet());
  EXPECT_NE(KeyOf(SmallVideoUNet(weights, {{1, 3}, 8, 16})), key);
  EXPECT_NE(KeyOf(SmallVideoUNet(weights, {{1, 2}, 8, 8})), key);
  EXPECT_NE(KeyOf(SmallVideoUNet(weights, {{1, 3}, 8, 8}, 6)), key);
  const auto two_layers = [](const char* second, const char* port) {
    Graph g;
    const ValueId x = g.Input(port, {4, 8});
    const ValueId a = g.Add(LinearOp{}, {x, g.Weight({"a", {8, 8}})});
    g.Output("y", g.Add(LinearOp{}, {a, g.Weight({second, {8, 8}})}));
    return KeyOf(g);
  };
  EXPECT_EQ(two_layers("b", "x"), two_layers("c", "x"));
  EXPECT_NE(two_layers("b", "x"), two_layers("a", "x"));
  EXPECT_NE(two_layers("b", "x"), two_layers("b", "z"));
}

TEST(StructureHash, FrameNumbersCount) {
  const auto with = [](float second) {
    Graph g;
    const ValueId numbers = g.Constant(Tensor::FromFloats({2}, std::vector<float>{0, second}));
    g.Output("y", g.Add(AddOp{}, {g.Input("x", {2}), numbers}));
    return KeyOf(g);
  };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

// Hands out the same numbers under other names.
class RenamedWeights : public WeightSource {
 public:
  RenamedWeights(const HashWeights& weights, const std::map<std::string, std::string>& old_names)
      : weights_(weights), old_names_(old_names) {}
  bool Has(std::string_view name) const override { return old_names_.contains(std::string(name)); }
  absl::Status Expect(std::string_view, const std::vector<std::int64_t>&) override {
    return absl::OkStatus();
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    return weights_.ReadRows(old_names_.at(std::string(name)), first, row_elements, out);
  }

 private:
  const HashWeights& weights_;
  std::map<std::string, std::string> old_names_;
};

// Two hundred checkpoints whose weights are called otherwise: one plan for all, which reads each by its
// names.
TEST(StructureHash, RenamedWeightsFindTheSamePlan) {
  HashWeights weights;
  const Graph graph = SmallVideoUNet(weights, {{1, 3}, 8, 8});
  const CpuBackend backend({.threads = 1});
  PlanCache cache(backend, 1u << 30);
  auto plan = Plan::Freeze(graph, {}, backend, weights);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::vector<float> expected = RunVideoUNet(**plan);
  cache.GiveBack(*std::move(plan));
  Rng rng(5, 6);
  for (std::size_t round = 1; round <= 200; ++round) {
    std::map<std::string, std::string> old_names;
    const Graph other = Rewritten(graph, [&](ValueId, Op& op) {
      auto* weight = std::get_if<WeightOp>(&op);
      if (weight == nullptr) return;
      // As if sorted in any order.
      const std::string name = std::to_string(rng.Below(1u << 30)) + "." + weight->name;
      old_names[name] = weight->name;
      weight->name = name;
    });
    const RenamedWeights renamed(weights, old_names);
    const auto set =
        std::make_shared<WeightSet>(std::shared_ptr<const WeightSource>(std::shared_ptr<void>(), &renamed));
    auto found = cache.Take(other, {}, set);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(cache.hits(), round);
    if (round % 20 == 0) {
      EXPECT_EQ(RunVideoUNet(**found), expected);
    }
    cache.GiveBack(*std::move(found));
  }
}

TEST(PlanKey, OptionsAndBackendCount) {
  const CanonicalForm form = Canonical(SmallUNet(), WeightNames::kLeftOut);
  const CpuBackend one({.threads = 1}), two({.threads = 2}), scalar({.threads = 1, .isa = Isa::kScalar});
  std::set<Hash128> keys;
  for (const CpuBackend* backend : {&one, &two, &scalar})
    for (int switches = 0; switches < 192; ++switches)
      keys.insert(PlanKey(form,
                          {.precision = (switches & 1) != 0 ? DType::kBF16 : DType::kF32,
                           .quantisation = static_cast<Quantisation>(switches / 64),
                           .wide_sums = (switches & 2) != 0,
                           .fold_constants = (switches & 4) != 0,
                           .hoist_expansion = (switches & 8) != 0,
                           .merge_projections = (switches & 16) != 0,
                           .fuse = (switches & 32) != 0},
                          *backend));
  EXPECT_EQ(keys.size(), 3u * 192);
}

}  // namespace
}  // namespace ringway::engine
