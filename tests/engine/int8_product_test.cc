// Products by weights of 8 bits: exact sums of whole numbers on every instruction set, the same bits from all
// of them, and an error that follows from the steps of the quantisation.
//
// Rows and weights whose largest magnitude is 127 have scale 1, so whole numbers pass through unrounded and
// the result is their exact sum; that is how sums are seen from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/cpu/cpu_backend.h"
#include "engine/plan/plan.h"
#include "tests/engine/levels.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

std::vector<Isa> OfThisMachine() {
  std::vector<Isa> isas;
  for (const Isa isa : LevelsOfArchitecture())
    if (HasIsa(isa)) isas.push_back(isa);
  return isas;
}

struct Int8Layer {
  std::int64_t rows, in, out;
  bool bias = false, residual = false, gated = false;
};

struct Int8Given {
  Tensor x, weight, bias, residual;
};

struct Int8Run {
  Quantisation quantisation = Quantisation::kDynamic;
  Isa isa = BestIsa();
  int threads = 1;
  DType precision = DType::kF32;
};

absl::StatusOr<std::vector<float>> Multiplied(const Int8Layer& layer, const Int8Given& given,
                                              const Int8Run& run) {
  Graph g;
  const ValueId x = g.Input("x", given.x.shape());
  const ValueId residual = layer.residual ? g.Input("residual", given.residual.shape()) : kAbsent;
  const ValueId bias = layer.bias ? g.Constant(given.bias) : kAbsent;
  LinearOp linear;
  linear.quantisation = run.quantisation;
  linear.gated = layer.gated;
  g.Output("y", g.Add(linear, {x, g.Constant(given.weight), bias, residual}));
  const CpuBackend backend({.threads = run.threads, .isa = run.isa});
  const auto plan = Plan::Freeze(g, {.precision = run.precision}, backend);
  if (!plan.ok()) return plan.status();
  std::ranges::copy(given.x.As<float>(), (*plan)->Input("x").begin());
  if (layer.residual) std::ranges::copy(given.residual.As<float>(), (*plan)->Input("residual").begin());
  (*plan)->Run();
  return std::vector<float>((*plan)->Output("y").begin(), (*plan)->Output("y").end());
}

// Of rank 3, for rows of rank 2 keep to f32.
Shape RowsOf(std::int64_t rows, std::int64_t channels) { return {1, rows, channels}; }

// From -largest to largest, which is the first number of every row.
Tensor WholeRows(const Shape& shape, std::uint64_t seed, int largest) {
  Tensor tensor(DType::kF32, shape);
  Rng rng(seed, 9);
  const auto values = tensor.As<float>();
  const auto row = static_cast<std::size_t>(shape.dim(-1));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(
        i % row == 0 ? largest
                     : static_cast<int>(rng.Below(2 * static_cast<std::uint64_t>(largest) + 1)) - largest);
  return tensor;
}

Int8Given WholeGiven(const Int8Layer& layer, int largest_x) {
  return {WholeRows(RowsOf(layer.rows, layer.in), 1, largest_x), WholeRows({layer.out, layer.in}, 2, 127),
          WholeRows({layer.out}, 3, 50), WholeRows(RowsOf(layer.rows, layer.out), 4, 50)};
}

Int8Given RandomGiven(const Int8Layer& layer) {
  return {RandomTensor(RowsOf(layer.rows, layer.in), 1, 3.0f), RandomTensor({layer.out, layer.in}, 2, 0.2f),
          RandomTensor({layer.out}, 3), RandomTensor(RowsOf(layer.rows, layer.out), 4)};
}

// As a kernel converts it: to float, then bias and residual, each rounded.
std::vector<float> ExactResult(const Int8Layer& layer, const Int8Given& given) {
  std::vector<float> result;
  for (std::int64_t r = 0; r < layer.rows; ++r)
    for (std::int64_t o = 0; o < layer.out; ++o) {
      const float* x = given.x.As<float>().data() + r * layer.in;
      const float* w = given.weight.As<float>().data() + o * layer.in;
      std::int64_t sum = 0;
      for (std::int64_t c = 0; c < layer.in; ++c)
        sum += static_cast<std::int64_t>(x[c]) * static_cast<std::int64_t>(w[c]);
      auto y = static_cast<float>(sum);
      if (layer.bias) y += given.bias.As<float>()[static_cast<std::size_t>(o)];
      if (layer.residual) y += given.residual.As<float>()[result.size()];
      result.push_back(y);
    }
  return result;
}

// No multiple of a tile's rows, of a vector's or panel's columns, of a word's channels.
constexpr Int8Layer kOddLayers[] = {
    {1, 1, 1},      {1, 2, 3, true},          {2, 67, 17},  {3, 64, 16},
    {5, 65, 1},     {7, 130, 65, true},       {97, 31, 65}, {205, 10, 144, true, true},
    {13, 257, 150}, {6, 1283, 48, true},      {8, 320, 64}, {191, 129, 113, false, true},
    {100, 96, 768}, {2, 4099, 33, true, true}};

class Int8Products : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!HasIsa(GetParam())) GTEST_SKIP() << "this processor has no " << IsaName(GetParam());
  }
  void ExpectExact(const Int8Layer& layer, const Int8Given& given, Quantisation quantisation) {
    const std::vector<float> expected = ExactResult(layer, given);
    for (const DType precision : {DType::kF32, DType::kBF16})
      for (const int threads : {1, 3}) {
        const auto y = Multiplied(layer, given, {quantisation, GetParam(), threads, precision});
        ASSERT_TRUE(y.ok()) << y.status();
        ASSERT_EQ(*y, expected) << layer.rows << " x " << layer.in << " -> " << layer.out << ", " << threads
                                << " threads, " << DTypeName(precision);
      }
  }
};

TEST_P(Int8Products, AreExactSumsOfWholeNumbers) {
  for (const Int8Layer& layer : kOddLayers)
    ExpectExact(layer, WholeGiven(layer, 127), Quantisation::kDynamic);
}

// Pairs of the largest products: what saturates anywhere is found out. The last sums need all of int32 that
// 65536 channels may take.
TEST_P(Int8Products, DoNotSaturate) {
  for (const std::int64_t in : {std::int64_t{64}, std::int64_t{1280}, std::int64_t{65536}}) {
    const Int8Layer layer{5, in, 33};
    Int8Given given = WholeGiven(layer, 127);
    for (const float sign : {1.0f, -1.0f}) {
      std::ranges::fill(given.x.As<float>(), 127.0f);
      std::ranges::fill(given.weight.As<float>(), sign * 127);
      ExpectExact(layer, given, Quantisation::kDynamic);
    }
  }
}

// Rows that are not quantised: sums of floats, exact while they stay below 2^24.
TEST_P(Int8Products, OfWeightsAloneAreExactToo) {
  for (const Int8Layer& layer : kOddLayers) ExpectExact(layer, WholeGiven(layer, 3), Quantisation::kWeights);
}

TEST_P(Int8Products, AreGated) {
  for (const Int8Layer& layer : {Int8Layer{13, 64, 128, true, false, true},
                                 {100, 97, 320, true, false, true},
                                 {5, 66, 74, true, false, true}}) {
    const Int8Given given = RandomGiven(layer);
    std::vector<float> expected;
    for (std::int64_t r = 0; r < layer.rows; ++r)
      for (std::int64_t o = 0; o < layer.out / 2; ++o) {
        const auto dot = [&](std::int64_t row) {
          double sum = given.bias.As<float>()[static_cast<std::size_t>(row)];
          for (std::int64_t c = 0; c < layer.in; ++c)
            sum += static_cast<double>(given.x.As<float>()[static_cast<std::size_t>(r * layer.in + c)]) *
                   given.weight.As<float>()[static_cast<std::size_t>(row * layer.in + c)];
          return sum;
        };
        const double gate = dot(layer.out / 2 + o);
        expected.push_back(static_cast<float>(dot(o) * 0.5 * gate * (1 + std::erf(gate / std::sqrt(2.0)))));
      }
    for (const Quantisation quantisation : {Quantisation::kWeights, Quantisation::kDynamic}) {
      const auto y = Multiplied(layer, given, {quantisation, GetParam(), 2});
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_LT(RelativeDistance(*y, expected), 2e-2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Int8Products, testing::ValuesIn(LevelsOfArchitecture()),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

std::vector<std::uint32_t> BitsOf(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float v : values) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

// Rows of many magnitudes, rounded, scaled, with a bias and a residual.
TEST(Int8, IsTheSameBitsOnEveryInstructionSet) {
  for (const Int8Layer& layer :
       {Int8Layer{37, 129, 83}, {3, 64, 320, true}, {200, 77, 16, false, true}, {9, 1281, 100, true, true}}) {
    Int8Given given = RandomGiven(layer);
    const auto x = given.x.As<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] *=
          std::exp2(static_cast<float>(static_cast<int>(i / static_cast<std::size_t>(layer.in)) % 61 - 30));
    for (const DType precision : {DType::kF32, DType::kBF16}) {
      const auto plain = Multiplied(layer, given, {Quantisation::kDynamic, Isa::kScalar, 1, precision});
      for (const Isa isa : OfThisMachine())
        for (const int threads : {1, 2, 5})
          EXPECT_EQ(BitsOf(*Multiplied(layer, given, {Quantisation::kDynamic, isa, threads, precision})),
                    BitsOf(*plain))
              << IsaName(isa) << ", " << threads << " threads, " << DTypeName(precision);
    }
  }
}

// Each weight is off by half a step of its output at most, each number of a row by half a step of the row.
TEST(Int8, IsOffByNoMoreThanTheStepsAllow) {
  const Int8Layer layer{64, 640, 640};
  const Int8Given given = RandomGiven(layer);
  const auto plain = Multiplied(layer, given, {Quantisation::kNone});
  const auto step = [](const float* row, std::int64_t count) {
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(row[i]));
    return largest / 127.0;
  };
  for (const Quantisation quantisation : {Quantisation::kWeights, Quantisation::kDynamic}) {
    const auto y = Multiplied(layer, given, {quantisation});
    double worst = 0, variance = 0, size = 0;
    for (std::int64_t r = 0; r < layer.rows; ++r) {
      const float* x = given.x.As<float>().data() + r * layer.in;
      const double x_step = quantisation == Quantisation::kDynamic ? step(x, layer.in) : 0;
      for (std::int64_t o = 0; o < layer.out; ++o) {
        const float* w = given.weight.As<float>().data() + o * layer.in;
        const double w_step = step(w, layer.in);
        double bound = 1e-4;  // of the sums in float
        for (std::int64_t c = 0; c < layer.in; ++c) {
          bound += std::abs(x[c]) * w_step / 2 + std::abs(w[c]) * x_step / 2 + w_step * x_step / 4;
          variance += (x[c] * x[c] * w_step * w_step + w[c] * w[c] * x_step * x_step) / 12.0;
        }
        const auto at = static_cast<std::size_t>(r * layer.out + o);
        worst = std::max(worst, std::abs((*y)[at] - (*plain)[at]) / bound);
        size += static_cast<double>((*plain)[at]) * (*plain)[at];
      }
    }
    EXPECT_LT(worst, 1.0);
    // Roundings are independent and even within a step: their variance is a twelfth of its square.
    const double expected = std::sqrt(variance / size), relative = RelativeDistance(*y, *plain);
    EXPECT_LT(relative, 1.1 * expected);
    EXPECT_GT(relative, 0.9 * expected) << "or nothing was quantised";
    std::printf("  %s: relative L2 %.2e, %.2e by the steps; at most %.2f of the bound\n",
                quantisation == Quantisation::kDynamic ? "int8" : "int8 weights", relative, expected, worst);
  }
}

TEST(Int8, KeepsZerosAndFindsWhatIsNotFinite) {
  const Int8Layer layer{7, 70, 37, true};
  Int8Given given = RandomGiven(layer);
  const auto row_of = [&](std::int64_t r) {
    return given.x.As<float>().subspan(static_cast<std::size_t>(r * layer.in),
                                       static_cast<std::size_t>(layer.in));
  };
  std::ranges::fill(given.weight.As<float>().first(static_cast<std::size_t>(layer.in)), 0.0f);  // output 0
  std::ranges::fill(row_of(1), 0.0f);
  std::ranges::fill(row_of(2), 1e-40f);  // a step of it would be less than any float
  row_of(3)[69] = std::numeric_limits<float>::quiet_NaN();
  row_of(4)[0] = std::numeric_limits<float>::infinity();
  for (const Isa isa : OfThisMachine()) {
    const auto y = *Multiplied(layer, given, {Quantisation::kDynamic, isa});
    for (std::int64_t r = 0; r < layer.rows; ++r)
      for (std::int64_t o = 0; o < layer.out; ++o) {
        const float got = y[static_cast<std::size_t>(r * layer.out + o)];
        const bool finite = r != 3 && r != 4;
        ASSERT_EQ(std::isfinite(got), finite) << IsaName(isa) << ", row " << r;
        if (finite && (o == 0 || r == 1 || r == 2)) {
          ASSERT_EQ(got, given.bias.As<float>()[static_cast<std::size_t>(o)])
              << IsaName(isa) << ", row " << r;
        }
      }
  }
}

// A source whose only weight is `values`, as adapters may make of finite ones.
class OneWeight : public WeightSource {
 public:
  explicit OneWeight(Tensor values) : values_(std::move(values)) {}
  bool Has(std::string_view) const override { return true; }
  absl::Status Expect(std::string_view, const std::vector<std::int64_t>&) override {
    return absl::OkStatus();
  }
  absl::Status ReadRows(std::string_view, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    std::ranges::copy(values_.As<float>().subspan(static_cast<std::size_t>(first * row_elements), out.size()),
                      out.begin());
    return absl::OkStatus();
  }

 private:
  Tensor values_;
};

TEST(Int8, RefusesWeightsThatAreNotFiniteByName) {
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Tensor values = RandomTensor({20, 64}, 1);
    values.As<float>()[64 * 7 + 5] = wrong;
    const OneWeight source(values);
    Graph g;
    LinearOp linear;
    linear.quantisation = Quantisation::kDynamic;
    g.Output("y", g.Add(linear, {g.Input("x", {1, 3, 64}), g.Weight({"mid.to_q.weight", {20, 64}})}));
    const auto plan = Plan::Freeze(g, {}, CpuBackend(), source);
    ASSERT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()),
                testing::AllOf(testing::HasSubstr("\"mid.to_q.weight\""), testing::HasSubstr("not finite"),
                               testing::HasSubstr("compute in bf16")));
  }
}

// Which layers the pass takes.
TEST(Quantise, TakesLayersOfOneTapAndEnoughChannelsBetweenTheEnds) {
  Graph g;
  std::uint64_t seed = 0;
  const auto weight = [&](const Shape& shape) { return g.Constant(RandomTensor(shape, ++seed, 0.1f)); };
  const ValueId x = g.Input("x", {1, 4, 4, 64});
  const ValueId first = g.Add(ConvOp{}, {x, weight({128, 1, 1, 64})}, "first");
  const ValueId point = g.Add(ConvOp{}, {first, weight({96, 1, 1, 128})}, "point");
  const ValueId wide = g.Add(ConvOp{.padding = {1, 1, 1, 1}}, {point, weight({128, 3, 3, 96})}, "wide");
  const ValueId halved =
      g.Add(ConvOp{.stride = 2, .padding = {}}, {wide, weight({128, 1, 1, 128})}, "halved");
  const ValueId tokens = g.Add(ReshapeOp{{1, 4, 128}}, {halved});
  const ValueId inner = g.Add(LinearOp{}, {tokens, weight({32, 128})}, "inner");
  const ValueId narrow = g.Add(LinearOp{}, {inner, weight({128, 32})}, "narrow");
  const ValueId small = g.Add(LinearOp{}, {g.Input("time", {1, 64}), weight({128, 64})}, "small");
  const ValueId shifted = g.Add(AddOp{}, {narrow, g.Add(ReshapeOp{{1, 1, 128}}, {small})});
  const ValueId last = g.Add(LinearOp{}, {shifted, weight({64, 128})}, "last");
  g.Output("y", g.Add(ReshapeOp{{1, 2, 2, 64}}, {last}));
  for (const Quantisation wanted : {Quantisation::kWeights, Quantisation::kDynamic}) {
    std::vector<std::string> taken;
    for (const DType precision : {DType::kF32, DType::kBF16}) {
      taken.clear();
      const auto graph = Optimise(g, {.precision = precision, .quantisation = wanted});
      ASSERT_TRUE(graph.ok()) << graph.status();
      for (const Node& node : graph->nodes()) {
        const auto* conv = node.As<ConvOp>();
        const auto* linear = node.As<LinearOp>();
        const Quantisation is = conv != nullptr     ? conv->quantisation
                                : linear != nullptr ? linear->quantisation
                                                    : Quantisation::kNone;
        if (is == wanted) {
          taken.push_back(node.label);
          EXPECT_EQ(graph->node(node.input(1)).dtype, DType::kF32) << "rounded once, when it is packed";
        }
      }
      EXPECT_THAT(taken, testing::ElementsAre("point", "inner"));
    }
  }
}

// Layers of Stable Diffusion 1.5's and of the bundled models' widths.
TEST(Quantise, TakesLittleMoreThanHalfOfWhatBf16Takes) {
  for (const std::int64_t channels : {96, 128, 192, 320, 640, 1280}) {
    const auto bytes = [&](DType precision, Quantisation quantisation) {
      Graph g;
      const ValueId x = g.Input("x", {1, 4, channels});
      const ValueId up = g.Add(LinearOp{}, {x, g.Constant(RandomTensor({4 * channels, channels}, 1))});
      const ValueId down = g.Add(LinearOp{}, {up, g.Constant(RandomTensor({channels, 4 * channels}, 2))});
      g.Output("y", g.Add(LayerNormOp{}, {down}));
      const auto set = std::make_shared<WeightSet>();
      const CpuBackend backend;
      const auto plan = Plan::Freeze(g, {.precision = precision, .quantisation = quantisation}, backend, set);
      RINGWAY_CHECK(plan.ok());
      return static_cast<double>(set->packed_bytes());
    };
    const double bf16 = static_cast<double>(2 * 2 * 4 * channels * channels);
    for (const Quantisation q : {Quantisation::kWeights, Quantisation::kDynamic}) {
      EXPECT_LE(bytes(DType::kBF16, q), 0.55 * bf16) << channels;
      EXPECT_LE(bytes(DType::kF32, q), 0.55 * bf16) << channels;
    }
  }
}

}  // namespace
}  // namespace ringway::engine
