// Convolutions and linear layers against sums in double, on every instruction set, in f32 and bf16: chosen
// shapes at the edges of tiles, blocks, panels and turns, and random ones. Whole numbers are used, so that
// every sum is exact whatever its order and the results must be equal to the last bit.
#include "tests/engine/kernel_modes.h"

namespace ringway::engine {
namespace {

struct Layer {
  std::int64_t pictures, height, width, in, out, taps_high = 1, taps_wide = 1;
  int stride = 1;
  Padding padding = {};
  bool bias = true, residual = false;
};

// Small whole numbers: exact in bf16, and so are all sums of their products in float.
Tensor WholeNumbers(const Shape& shape, std::uint64_t seed, int largest) {
  Tensor tensor(DType::kF32, shape);
  Rng rng(seed, 9);
  for (float& v : tensor.As<float>())
    v = static_cast<float>(static_cast<int>(rng.Below(2 * static_cast<std::uint64_t>(largest) + 1)) -
                           largest);
  return tensor;
}

struct Given {
  Tensor x, weight, bias, residual;
};

Given MakeGiven(const Layer& layer, const Shape& result) {
  // Results of bf16 must be exact too, below 256: few terms are not zero.
  Tensor weight = WholeNumbers({layer.out, layer.taps_high, layer.taps_wide, layer.in}, 2, 1);
  Rng rng(3, 9);
  const auto terms = static_cast<std::uint64_t>(weight.shape().elements() / layer.out);
  for (float& w : weight.As<float>())
    if (rng.Below(terms) >= 24) w = 0;
  return {WholeNumbers({layer.pictures, layer.height, layer.width, layer.in}, 1, 3), weight,
          WholeNumbers({layer.out}, 4, 3), WholeNumbers(result, 5, 3)};
}

Shape ResultOf(const Layer& l) {
  return {l.pictures, (l.height + l.padding.top + l.padding.bottom - l.taps_high) / l.stride + 1,
          (l.width + l.padding.left + l.padding.right - l.taps_wide) / l.stride + 1, l.out};
}

double SumAt(const Layer& l, const Given& given, std::int64_t n, std::int64_t y, std::int64_t x,
             std::int64_t o) {
  double sum = 0;
  for (std::int64_t ky = 0; ky < l.taps_high; ++ky)
    for (std::int64_t kx = 0; kx < l.taps_wide; ++kx) {
      const std::int64_t iy = y * l.stride + ky - l.padding.top, ix = x * l.stride + kx - l.padding.left;
      if (iy < 0 || iy >= l.height || ix < 0 || ix >= l.width) continue;
      const float* from = given.x.As<float>().data() + ((n * l.height + iy) * l.width + ix) * l.in;
      const float* w = given.weight.As<float>().data() + ((o * l.taps_high + ky) * l.taps_wide + kx) * l.in;
      for (std::int64_t c = 0; c < l.in; ++c) sum += static_cast<double>(from[c]) * w[c];
    }
  return sum;
}

std::vector<float> Expected(const Layer& l, const Given& given) {
  const Shape shape = ResultOf(l);
  std::vector<float> result;
  for (std::int64_t n = 0; n < shape.dim(0); ++n)
    for (std::int64_t y = 0; y < shape.dim(1); ++y)
      for (std::int64_t x = 0; x < shape.dim(2); ++x)
        for (std::int64_t o = 0; o < l.out; ++o) {
          double sum = SumAt(l, given, n, y, x, o);
          if (l.bias) sum += given.bias.As<float>()[static_cast<std::size_t>(o)];
          if (l.residual) sum += given.residual.As<float>()[result.size()];
          result.push_back(static_cast<float>(sum));
        }
  return result;
}

std::vector<float> ResultOfRun(const Layer& l, const Given& given, Mode mode, int threads) {
  Graph g;
  const ValueId x = g.Input("x", given.x.shape());
  const ValueId bias = l.bias ? g.Constant(given.bias) : kAbsent;
  const ValueId residual = l.residual ? g.Input("residual", given.residual.shape()) : kAbsent;
  // Odd channels go through the convolution, so that both are met.
  const bool single = given.weight.shape().elements() == l.out * l.in;
  const bool linear = single && given.residual.shape().rows() == given.x.shape().rows() && l.in % 2 == 0;
  ValueId y =
      linear ? g.Add(LinearOp{}, {x, g.Constant(given.weight.Reshaped({l.out, l.in})), bias})
             : g.Add(ConvOp{.stride = l.stride, .padding = l.padding}, {x, g.Constant(given.weight), bias});
  if (l.residual) y = g.Add(AddOp{}, {y, residual});
  g.Output("y", y);
  const CpuBackend backend({.threads = threads, .isa = mode.isa});
  PassOptions options;
  options.precision = mode.precision;
  const auto plan = Plan::Freeze(g, options, backend);
  RINGWAY_CHECK(plan.ok());
  std::ranges::copy(given.x.As<float>(), (*plan)->Input("x").begin());
  if (l.residual) std::ranges::copy(given.residual.As<float>(), (*plan)->Input("residual").begin());
  (*plan)->Run();
  return {(*plan)->Output("y").begin(), (*plan)->Output("y").end()};
}

class Products : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    if (!HasIsa(GetParam().isa)) GTEST_SKIP() << "this processor has no " << IsaName(GetParam().isa);
  }
  void ExpectExact(const Layer& l) {
    const Given given = MakeGiven(l, ResultOf(l));
    const std::vector<float> expected = Expected(l, given);
    for (const int threads : {1, 3})
      ASSERT_EQ(ResultOfRun(l, given, GetParam(), threads), expected)
          << l.pictures << " x " << l.height << " x " << l.width << ", " << l.in << " -> " << l.out << ", "
          << l.taps_high << " x " << l.taps_wide << ", stride " << l.stride << ", " << threads << " threads";
  }
};

TEST_P(Products, AreExactAtTheEdges) {
  const Layer layers[] = {
      {1, 1, 1, 2, 1},                                         // the least
      {1, 1, 97, 8, 65},                                       // a row and a column too many
      {1, 1, 205, 10, 144},                                    // panels of three vectors
      {1, 1, 7, 6, 17, 1, 1, 1, {}, false, true},              // no bias, a residual
      {2, 5, 7, 3, 5, 3, 3, 1, {1, 1, 1, 1}, true, true},      // odd channels
      {1, 9, 8, 4, 20, 3, 3, 2, {0, 0, 1, 1}},                 // padded on one side only
      {1, 28, 28, 3, 18, 14, 14, 14},                          // patches
      {2, 6, 10, 16, 33, 3, 1, 1, {1, 0, 1, 0}},               // over time
      {1, 4, 5, 1280, 64, 3, 3, 1, {1, 1, 1, 1}, true, true},  // taps in turns
      {1, 3, 3, 1537, 48, 3, 3, 1, {1, 1, 1, 1}},              // in turns, odd channels
      {3, 8, 8, 5, 7, 5, 5, 1, {4, 4, 4, 4}},                  // more padding than picture
  };
  for (const Layer& layer : layers) ExpectExact(layer);
}

TEST_P(Products, AreExactAtRandom) {
  Rng rng(20, 1);
  const auto from = [&](int low, int high) {
    return low + static_cast<int>(rng.Below(static_cast<std::uint64_t>(high - low + 1)));
  };
  for (int i = 0; i < 60; ++i) {
    Layer l{from(1, 3),   from(3, 14), from(3, 14), from(1, 70),
            from(1, 150), from(1, 3),  from(1, 3),  from(1, 2)};
    l.padding = {from(0, 2), from(0, 2), from(0, 2), from(0, 2)};
    l.bias = from(0, 1) == 1;
    l.residual = from(0, 1) == 1;
    ExpectExact(l);
  }
}

// The rows and columns of the last case leave tiles, panels and vectors that are not full.
TEST_P(Products, AreGated) {
  struct Size {
    int rows, in, out;
  };
  for (const Size& size : {Size{13, 16, 128}, {100, 33, 320}, {5, 10, 74}}) {
    const int rows = size.rows, in = size.in, out = size.out;
    const Tensor w = RandomTensor({out, in}, 1), b = RandomTensor({out}, 2);
    Graph g;
    const ValueId wide = g.Add(LinearOp{}, {g.Input("x", {1, 1, rows, in}), g.Constant(w), g.Constant(b)});
    g.Output("y", g.Add(GegluOp{}, {wide}));
    const CpuBackend backend({.threads = 2, .isa = GetParam().isa});
    const auto plan = Plan::Freeze(g, {.precision = GetParam().precision}, backend);
    ASSERT_EQ((*plan)->report().steps, GetParam().precision == DType::kF32 ? 1u : 2u);  // and x is cast
    FillRandomly((*plan)->Input("x"), 3);
    const std::vector<float> x((*plan)->Input("x").begin(), (*plan)->Input("x").end());
    (*plan)->Run();
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r)
      for (int o = 0; o < out / 2; ++o) {
        const auto dot = [&](int row) {
          double sum = b.As<float>()[static_cast<std::size_t>(row)];
          for (int c = 0; c < in; ++c)
            sum += static_cast<double>(x[static_cast<std::size_t>(r * in + c)]) *
                   w.As<float>()[static_cast<std::size_t>(row * in + c)];
          return sum;
        };
        const double gate = dot(out / 2 + o);
        expected.push_back(static_cast<float>(dot(o) * 0.5 * gate * (1 + std::erf(gate / std::sqrt(2.0)))));
      }
    EXPECT_LT(RelativeDistance((*plan)->Output("y"), expected),
              GetParam().precision == DType::kF32 ? 3e-6 : 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Products, testing::ValuesIn(EveryMode()), ModeName);

}  // namespace
}  // namespace ringway::engine
