// Every kernel against the textbook formula in double, on every instruction set of this machine, in f32 and
// bf16, at sizes that do and do not fill vectors and blocks.
#include "tests/engine/kernel_modes.h"

namespace ringway::engine {
namespace {

class CpuKernels : public KernelModes {};

double Silu(double x) { return x / (1 + std::exp(-x)); }
double Gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

TEST_P(CpuKernels, Activations) {
  const std::pair<Activation, double (*)(double)> cases[] = {
      {Activation::kSilu, Silu},
      {Activation::kGelu, Gelu},
      {Activation::kQuickGelu, [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
      {Activation::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {Activation::kGeluTanh, [](double x) {
         return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
       }}};
  for (const auto& [activation, formula] : cases) {
    const auto y =
        Run([a = activation](Graph& g, ValueId x) { return g.Add(ActivateOp{a}, {x}); }, {37, 41}, x_);
    std::vector<float> expected(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) expected[i] = static_cast<float>(formula(x_[i]));
    ExpectClose(y, expected);
  }
}

TEST_P(CpuKernels, ExpHoldsFarOut) {
  Graph graph;
  graph.Output("y", graph.Add(ActivateOp{Activation::kSilu}, {graph.Input("x", {2, 4})}));
  const CpuBackend backend({.threads = 1, .isa = GetParam().isa});
  const auto plan = Plan::Freeze(graph, {}, backend);
  const float x[8] = {-1000, -100, -88, -0.0f, 50, 88, 100, 3e38f};
  std::copy(std::begin(x), std::end(x), (*plan)->Input("x").begin());
  (*plan)->Run();
  for (int i = 0; i < 8; ++i) {
    const float y = (*plan)->Output("y")[static_cast<std::size_t>(i)];
    EXPECT_TRUE(std::isfinite(y)) << x[i];
    EXPECT_NEAR(y, x[i] > 0 ? x[i] : 0, std::abs(x[i]) * 1e-6f);
  }
}

TEST_P(CpuKernels, Geglu) {
  const auto y = Run([](Graph& g, ValueId x) { return g.Add(GegluOp{}, {x}); }, {300, 86}, x_);
  std::vector<float> expected;
  for (std::size_t r = 0; r < 300; ++r)
    for (std::size_t c = 0; c < 43; ++c)
      expected.push_back(static_cast<float>(x_[r * 86 + c] * Gelu(x_[r * 86 + 43 + c])));
  ExpectClose(y, expected);
}

// Two pictures of 700 pixels: three chunks, the last one short; 40 channels in 8 groups; a shift for each
// picture.
TEST_P(CpuKernels, GroupNormWithShiftAndSilu) {
  const Tensor gamma = RandomTensor({40}, 1), beta = RandomTensor({40}, 2),
               shift = RandomTensor({2, 40}, 4, 3.0f);
  const auto y = Run(
      [&](Graph& g, ValueId x) {
        const ValueId row = g.Add(ReshapeOp{{2, 1, 1, 40}}, {g.Constant(shift)});
        const ValueId norm =
            g.Add(GroupNormOp{8, 1e-5f}, {g.Add(AddOp{}, {x, row}), g.Constant(gamma), g.Constant(beta)});
        return g.Add(ActivateOp{Activation::kSilu}, {norm});
      },
      {2, 28, 25, 40}, x_);
  std::vector<float> expected(x_.size());
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t group = 0; group < 8; ++group) {
      const auto at = [&](std::size_t row, std::size_t c) { return (n * 700 + row) * 40 + group * 5 + c; };
      const auto value = [&](std::size_t row, std::size_t c) {
        return static_cast<double>(x_[at(row, c)]) + shift.As<float>()[n * 40 + group * 5 + c];
      };
      double mean = 0, variance = 0;
      for (std::size_t row = 0; row < 700; ++row)
        for (std::size_t c = 0; c < 5; ++c) mean += value(row, c) / 3500;
      for (std::size_t row = 0; row < 700; ++row)
        for (std::size_t c = 0; c < 5; ++c) variance += std::pow(value(row, c) - mean, 2) / 3500;
      for (std::size_t row = 0; row < 700; ++row)
        for (std::size_t c = 0; c < 5; ++c)
          expected[at(row, c)] = static_cast<float>(
              Silu((value(row, c) - mean) / std::sqrt(variance + 1e-5) * gamma.As<float>()[group * 5 + c] +
                   beta.As<float>()[group * 5 + c]));
    }
  }
  ExpectClose(y, expected);
}

TEST_P(CpuKernels, LayerNorm) {
  const Tensor gamma = RandomTensor({43}, 1), beta = RandomTensor({43}, 2);
  const auto y = Run(
      [&](Graph& g, ValueId x) {
        return g.Add(LayerNormOp{1e-5f}, {x, g.Constant(gamma), g.Constant(beta)});
      },
      {600, 43}, x_);
  std::vector<float> expected(x_.size());
  for (std::size_t r = 0; r < 600; ++r) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < 43; ++c) mean += x_[r * 43 + c] / 43.0;
    for (std::size_t c = 0; c < 43; ++c) variance += std::pow(x_[r * 43 + c] - mean, 2) / 43.0;
    for (std::size_t c = 0; c < 43; ++c)
      expected[r * 43 + c] = static_cast<float>(
          (x_[r * 43 + c] - mean) / std::sqrt(variance + 1e-5) * gamma.As<float>()[c] + beta.As<float>()[c]);
  }
  ExpectClose(y, expected);
}

struct AttentionCase {
  std::int64_t batches, key_batches, queries, keys, positions, key_positions;
  int heads, head_dim;
  bool causal;
};

std::vector<float> ReferenceAttention(const AttentionCase& a, std::span<const float> q,
                                      std::span<const float> k, std::span<const float> v) {
  const std::int64_t channels = a.heads * a.head_dim;
  std::vector<float> out(q.size());
  const auto q_at = [&](std::int64_t b, std::int64_t l, std::int64_t p) {
    return ((b * a.queries + l) * a.positions + p) * channels;
  };
  const auto k_at = [&](std::int64_t b, std::int64_t s, std::int64_t p) {
    return ((b * a.key_batches / a.batches * a.keys + s) * a.key_positions + (a.key_positions == 1 ? 0 : p)) *
           channels;
  };
  for (std::int64_t b = 0; b < a.batches; ++b)
    for (std::int64_t l = 0; l < a.queries; ++l)
      for (std::int64_t p = 0; p < a.positions; ++p)
        for (std::int64_t h = 0; h < a.heads; ++h) {
          const std::int64_t seen = a.causal ? l + 1 : a.keys;
          std::vector<double> weight(static_cast<std::size_t>(seen));
          double most = -1e30, total = 0;
          for (std::int64_t s = 0; s < seen; ++s) {
            double dot = 0;
            for (std::int64_t d = 0; d < a.head_dim; ++d)
              dot += q[static_cast<std::size_t>(q_at(b, l, p) + h * a.head_dim + d)] *
                     k[static_cast<std::size_t>(k_at(b, s, p) + h * a.head_dim + d)];
            weight[static_cast<std::size_t>(s)] = dot / std::sqrt(static_cast<double>(a.head_dim));
            most = std::max(most, weight[static_cast<std::size_t>(s)]);
          }
          for (double& w : weight) total += w = std::exp(w - most);
          for (std::int64_t d = 0; d < a.head_dim; ++d) {
            double sum = 0;
            for (std::int64_t s = 0; s < seen; ++s)
              sum += weight[static_cast<std::size_t>(s)] / total *
                     v[static_cast<std::size_t>(k_at(b, s, p) + h * a.head_dim + d)];
            out[static_cast<std::size_t>(q_at(b, l, p) + h * a.head_dim + d)] = static_cast<float>(sum);
          }
        }
  return out;
}

TEST_P(CpuKernels, Attention) {
  const AttentionCase cases[] = {
      {1, 1, 70, 70, 1, 1, 2, 40, false},   // spatial self-attention: few groups, shared packing
      {1, 1, 300, 130, 1, 1, 1, 8, false},  // more than one chunk of queries, more than two blocks of keys
      {6, 2, 9, 77, 1, 1, 3, 16, false},    // text repeated over three frames
      {2, 2, 5, 11, 13, 1, 2, 24, false},   // temporal cross-attention: every position sees the same keys
      {2, 2, 14, 14, 12, 12, 2, 20,
       false},                            // temporal self-attention: every position its own keys, many groups
      {1, 1, 67, 67, 1, 1, 2, 7, true},   // causal, odd head
      {1, 1, 3, 1, 1, 1, 1, 160, false},  // a single key
  };
  for (const AttentionCase& a : cases) {
    const std::int64_t channels = a.heads * a.head_dim;
    const Tensor k = RandomTensor({a.key_batches, a.keys, a.key_positions, channels}, 8, 2.0f);
    const Tensor v = RandomTensor({a.key_batches, a.keys, a.key_positions, channels}, 9);
    const auto y = Run(
        [&](Graph& g, ValueId x) {
          return g.Add(AttentionOp{a.heads, a.causal}, {x, g.Constant(k), g.Constant(v)});
        },
        {a.batches, a.queries, a.positions, channels}, x_);
    EXPECT_LT(RelativeDistance(y, ReferenceAttention(a, x_, k.As<float>(), v.As<float>())), 2 * Tolerance())
        << a.queries << " queries, " << a.keys << " keys, head " << a.head_dim;
  }
}

TEST_P(CpuKernels, ConvWithEverythingFused) {
  const Tensor w = RandomTensor({6, 3, 3, 5}, 1), b = RandomTensor({6}, 2), r = RandomTensor({1, 4, 4, 6}, 3);
  const auto y = Run(
      [&](Graph& g, ValueId x) {
        const ValueId conv =
            g.Add(ConvOp{.stride = 2, .padding = {1, 1, 1, 1}}, {x, g.Constant(w), g.Constant(b)});
        return g.Add(AddOp{}, {conv, g.Constant(r)});
      },
      {1, 8, 7, 5}, x_);
  std::vector<float> expected;
  for (int oy = 0; oy < 4; ++oy)
    for (int ox = 0; ox < 4; ++ox)
      for (int o = 0; o < 6; ++o) {
        double sum = b.As<float>()[static_cast<std::size_t>(o)] +
                     r.As<float>()[static_cast<std::size_t>((oy * 4 + ox) * 6 + o)];
        for (int ky = 0; ky < 3; ++ky)
          for (int kx = 0; kx < 3; ++kx)
            for (int i = 0; i < 5; ++i) {
              const int iy = oy * 2 + ky - 1, ix = ox * 2 + kx - 1;
              if (iy < 0 || iy >= 8 || ix < 0 || ix >= 7) continue;
              sum += x_[static_cast<std::size_t>((iy * 7 + ix) * 5 + i)] *
                     w.As<float>()[static_cast<std::size_t>(((o * 3 + ky) * 3 + kx) * 5 + i)];
            }
        expected.push_back(static_cast<float>(sum));
      }
  ExpectClose(y, expected);
}

// Sums that stay f32 between norms, blends and additions in a network of bf16: what reads them narrows.
TEST_P(CpuKernels, ReadsWideSums) {
  const Tensor w = RandomTensor({24, 24}, 1, 0.3f), other = RandomTensor({2, 5, 7, 24}, 2),
               row = RandomTensor({1, 5, 1, 24}, 3), amount = RandomTensor({1}, 4),
               ones = RandomTensor({24}, 5);
  const auto build = [&](Graph& g, ValueId x) {
    const ValueId sum = g.Add(AddOp{}, {g.Add(LinearOp{}, {x, g.Constant(w)}), x});
    const ValueId moved = g.Add(AddOp{}, {sum, g.Constant(row)});
    const ValueId mixed = g.Add(BlendOp{}, {sum, moved, g.Constant(amount)});
    const ValueId layer = g.Add(LayerNormOp{}, {mixed, g.Constant(ones), g.Constant(ones)});
    const ValueId group = g.Add(GroupNormOp{4}, {mixed, g.Constant(ones), g.Constant(ones)});
    return g.Add(AddOp{},
                 {g.Add(LinearOp{}, {layer, g.Constant(w)}), g.Add(LinearOp{}, {group, g.Constant(w)})});
  };
  const auto y = Run(build, {2, 5, 7, 24}, x_);
  Graph graph;
  graph.Output("y", build(graph, graph.Input("x", {2, 5, 7, 24})));
  const CpuBackend backend({.threads = 1, .isa = Isa::kScalar});
  const auto plan = Plan::Freeze(graph, {.fuse = false}, backend);
  std::ranges::copy(x_, (*plan)->Input("x").begin());
  (*plan)->Run();
  ExpectClose(y, (*plan)->Output("y"));
}

TEST_P(CpuKernels, MovesAndMixes) {
  const Tensor other = RandomTensor({2, 3, 4, 5}, 6), amount = RandomTensor({1}, 7);
  const auto y = Run(
      [&](Graph& g, ValueId x) {
        const ValueId mixed = g.Add(BlendOp{}, {x, g.Constant(other), g.Constant(amount)});
        const ValueId joined = g.Add(ConcatOp{}, {mixed, g.Constant(other)});
        return g.Add(ExpandOp{0, 2}, {g.Add(UpsampleOp{}, {joined})});
      },
      {2, 3, 4, 5}, x_);
  std::vector<float> expected;
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t iy = 0; iy < 6; ++iy)
      for (std::size_t ix = 0; ix < 8; ++ix)
        for (std::size_t c = 0; c < 10; ++c) {
          const std::size_t at = ((n / 2 * 3 + iy / 2) * 4 + ix / 2) * 5 + c % 5;
          const float o = other.As<float>()[at], a = amount.As<float>()[0];
          expected.push_back(c < 5 ? a * x_[at] + (1 - a) * o : o);
        }
  ExpectClose(y, expected);
}

// What a halving that rounded up came from: 5 and 7 rows or columns, not 6 and 8.
TEST_P(CpuKernels, DoublesToOddSizes) {
  for (const auto& [odd_height, odd_width] : {std::pair{true, false}, {false, true}, {true, true}}) {
    const auto y = Run(
        [&](Graph& g, ValueId x) {
          return g.Add(UpsampleOp{odd_height, odd_width}, {x});
        },
        {2, 3, 4, 5}, x_);
    std::vector<float> expected;
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t iy = 0; iy < (odd_height ? 5u : 6u); ++iy)
        for (std::size_t ix = 0; ix < (odd_width ? 7u : 8u); ++ix)
          for (std::size_t c = 0; c < 5; ++c) expected.push_back(x_[((n * 3 + iy / 2) * 4 + ix / 2) * 5 + c]);
    ExpectClose(y, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuKernels, testing::ValuesIn(EveryMode()), ModeName);

}  // namespace
}  // namespace ringway::engine
