// Kernels that transformers of films need, as cpu_kernels_test.cc has the others: against the textbook
// formula in double, on every instruction set of this machine, in f32 and bf16.
#include <algorithm>
#include <cmath>

#include "tests/engine/kernel_modes.h"

namespace ringway::engine {
namespace {

class TransformerKernels : public KernelModes {};

// Not centred, without gamma and beta, with gamma alone.
TEST_P(TransformerKernels, RmsNorm) {
  const Tensor gamma = RandomTensor({43}, 1);
  for (const bool weighted : {false, true}) {
    const auto y = Run(
        [&](Graph& g, ValueId x) {
          const ValueId weight = weighted ? g.Constant(gamma) : kAbsent;
          return g.Add(LayerNormOp{.epsilon = 1e-2f, .centred = false}, {x, weight});
        },
        {300, 43}, x_);
    std::vector<float> expected(x_.size());
    for (std::size_t r = 0; r < 300; ++r) {
      double squares = 0;
      for (std::size_t c = 0; c < 43; ++c) squares += std::pow(x_[r * 43 + c], 2) / 43.0;
      for (std::size_t c = 0; c < 43; ++c)
        expected[r * 43 + c] = static_cast<float>(x_[r * 43 + c] / std::sqrt(squares + 1e-2) *
                                                  (weighted ? gamma.As<float>()[c] : 1.0f));
    }
    ExpectClose(y, expected);
  }
}

// A row for each picture, with a shift that is as large as x; a row for all, without a shift, plus one.
TEST_P(TransformerKernels, ScaleAndShift) {
  const Tensor rows = RandomTensor({2, 1, 1, 43}, 1), row = RandomTensor({1, 1, 1, 43}, 2),
               whole = RandomTensor({2, 17, 1, 43}, 3);
  const auto y = Run(
      [&](Graph& g, ValueId x) {
        return g.Add(ScaleOp{}, {x, g.Constant(rows), g.Constant(whole)});
      },
      {2, 17, 1, 43}, x_);
  std::vector<float> expected(x_.size()), plus_one(x_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    expected[i] = x_[i] * rows.As<float>()[i / (17 * 43) * 43 + i % 43] + whole.As<float>()[i];
    plus_one[i] = x_[i] * (1 + row.As<float>()[i % 43]);
  }
  ExpectClose(y, expected);
  ExpectClose(Run(
                  [&](Graph& g, ValueId x) {
                    return g.Add(ScaleOp{.plus_one = true}, {x, g.Constant(row)});
                  },
                  {2, 17, 1, 43}, x_),
              plus_one);
}

// Rows repeat the turns, as two halves of a batch do.
TEST_P(TransformerKernels, Rotate) {
  Graph graph;
  const ValueId x = graph.Input("x", {2, 5, 1, 14}), turns = graph.Input("turns", {5, 14});
  graph.Output("y", graph.Add(RotateOp{}, {x, turns}));
  const CpuBackend backend({.threads = 2, .isa = GetParam().isa});
  const auto plan = Plan::Freeze(graph, {.precision = GetParam().precision}, backend);
  ASSERT_TRUE(plan.ok()) << plan.status();
  FillRandomly((*plan)->Input("x"), 3, 2.0f);
  FillRandomly((*plan)->Input("turns"), 4);
  const std::vector<float> from((*plan)->Input("x").begin(), (*plan)->Input("x").end());
  const std::vector<float> by((*plan)->Input("turns").begin(), (*plan)->Input("turns").end());
  (*plan)->Run();
  std::vector<float> expected;
  for (std::size_t i = 0; i < from.size(); i += 2) {
    const float cosine = by[i % 70], sine = by[i % 70 + 1];
    expected.push_back(from[i] * cosine - from[i + 1] * sine);
    expected.push_back(from[i + 1] * cosine + from[i] * sine);
  }
  ExpectClose((*plan)->Output("y"), expected);
}

// Channels to frames and pixels, in either order of the sides, without the first frames.
TEST_P(TransformerKernels, DepthToSpace) {
  const DepthToSpaceOp ops[] = {{.frames = 2, .height = 2, .width = 3, .skipped = 1},
                                {.height = 3, .width = 2, .width_first = true}};
  for (const DepthToSpaceOp& op : ops) {
    const std::int64_t times = op.frames * op.height * op.width, channels = 5 * times;
    const auto y = Run([&](Graph& g, ValueId x) { return g.Add(op, {x}); }, {3, 4, 2, channels}, x_);
    std::vector<float> expected;
    for (int f = op.skipped; f < 3 * op.frames; ++f)
      for (int h = 0; h < 4 * op.height; ++h)
        for (int w = 0; w < 2 * op.width; ++w)
          for (int c = 0; c < 5; ++c) {
            const int pixel = (f / op.frames * 4 + h / op.height) * 2 + w / op.width;
            const int high = h % op.height, wide = w % op.width, deep = c * op.frames + f % op.frames;
            const int channel = op.width_first ? (deep * op.width + wide) * op.height + high
                                               : (deep * op.height + high) * op.width + wide;
            expected.push_back(x_[static_cast<std::size_t>(pixel * channels + channel)]);
          }
    ExpectClose(y, expected);
  }
}

// A kernel over frames: as many before as after, all before, and one tap; the ends of the film last.
TEST_P(TransformerKernels, ConvOverFrames) {
  struct Form {
    int frames, side, front;
  };
  for (const Form& form : {Form{3, 3, 1}, Form{3, 3, 2}, Form{1, 1, 0}}) {
    const Tensor w = RandomTensor({6, form.frames, form.side, form.side, 5}, 1), b = RandomTensor({6}, 2);
    const int pad = form.side / 2;
    const auto y = Run(
        [&](Graph& g, ValueId x) {
          return g.Add(ConvOp{.padding = {pad, pad, pad, pad}, .front = form.front},
                       {x, g.Constant(w), g.Constant(b)});
        },
        {4, 5, 7, 5}, x_);
    std::vector<float> expected;
    for (int f = 0; f < 4; ++f)
      for (int h = 0; h < 5; ++h)
        for (int v = 0; v < 7; ++v)
          for (int o = 0; o < 6; ++o) {
            double sum = b.As<float>()[static_cast<std::size_t>(o)];
            for (int kf = 0; kf < form.frames; ++kf)
              for (int kh = 0; kh < form.side; ++kh)
                for (int kw = 0; kw < form.side; ++kw)
                  for (int i = 0; i < 5; ++i) {
                    const int xf = std::clamp(f + kf - form.front, 0, 3), xh = h + kh - pad,
                              xw = v + kw - pad;
                    if (xh < 0 || xh >= 5 || xw < 0 || xw >= 7) continue;
                    const int tap = ((o * form.frames + kf) * form.side + kh) * form.side + kw;
                    sum += x_[static_cast<std::size_t>(((xf * 5 + xh) * 7 + xw) * 5 + i)] *
                           w.As<float>()[static_cast<std::size_t>(tap * 5 + i)];
                  }
            expected.push_back(static_cast<float>(sum));
          }
    ExpectClose(y, expected);
  }
}

// A number of its own for every pair and head, and one for each key; scores that are not scaled.
TEST_P(TransformerKernels, AttentionWithABias) {
  constexpr std::int64_t kBatch = 2, kQueries = 21, kKeys = 150, kHeads = 3, kDim = 8;
  const Tensor k = RandomTensor({kBatch, kKeys, 1, kHeads * kDim}, 8),
               v = RandomTensor({kBatch, kKeys, 1, kHeads * kDim}, 9);
  const Shape shapes[] = {{1, kQueries, kKeys, kHeads}, {kBatch, 1, kKeys, 1}};
  for (const Shape& shape : shapes) {
    const Tensor bias = RandomTensor(shape, 10, 3.0f);
    for (const float scale : {0.0f, 1.0f}) {
      const auto y = Run(
          [&](Graph& g, ValueId x) {
            return g.Add(AttentionOp{.heads = kHeads, .scale = scale},
                         {x, g.Constant(k), g.Constant(v), g.Constant(bias)});
          },
          {kBatch, kQueries, 1, kHeads * kDim}, x_);
      const double by = scale > 0 ? scale : 1 / std::sqrt(static_cast<double>(kDim));
      std::vector<float> expected(x_.size());
      for (std::int64_t b = 0; b < kBatch; ++b)
        for (std::int64_t l = 0; l < kQueries; ++l)
          for (std::int64_t h = 0; h < kHeads; ++h) {
            std::vector<double> weight(kKeys);
            double total = 0;
            for (std::int64_t s = 0; s < kKeys; ++s) {
              double dot = 0;
              for (std::int64_t d = 0; d < kDim; ++d)
                dot += x_[static_cast<std::size_t>(((b * kQueries + l) * kHeads + h) * kDim + d)] *
                       k.As<float>()[static_cast<std::size_t>(((b * kKeys + s) * kHeads + h) * kDim + d)];
              const std::int64_t row = (shape.dim(0) > 1 ? b : 0) * shape.dim(1) + (shape.dim(1) > 1 ? l : 0);
              const std::int64_t at = (row * kKeys + s) * shape.dim(3) + (shape.dim(3) > 1 ? h : 0);
              weight[static_cast<std::size_t>(s)] =
                  std::exp(dot * by + bias.As<float>()[static_cast<std::size_t>(at)]);
              total += weight[static_cast<std::size_t>(s)];
            }
            for (std::int64_t d = 0; d < kDim; ++d) {
              double sum = 0;
              for (std::int64_t s = 0; s < kKeys; ++s)
                sum += weight[static_cast<std::size_t>(s)] / total *
                       v.As<float>()[static_cast<std::size_t>(((b * kKeys + s) * kHeads + h) * kDim + d)];
              expected[static_cast<std::size_t>(((b * kQueries + l) * kHeads + h) * kDim + d)] =
                  static_cast<float>(sum);
            }
          }
      EXPECT_LT(RelativeDistance(y, expected), 2 * Tolerance()) << shape.ToString() << " " << scale;
    }
  }
}

// What is masked has no weight, even where the first block of keys is masked whole.
TEST_P(TransformerKernels, MaskedKeysHaveNoWeight) {
  constexpr std::int64_t kKeys = 140, kSeen = 3;
  Tensor mask(DType::kF32, {1, 1, kKeys, 1});
  for (std::int64_t s = 0; s + kSeen < kKeys; ++s) mask.As<float>()[static_cast<std::size_t>(s)] = -10000.0f;
  const Tensor k = RandomTensor({1, kKeys, 1, 8}, 8), v = RandomTensor({1, kKeys, 1, 8}, 9);
  const auto last = [&](const Tensor& all) {
    return Tensor::FromFloats({1, kSeen, 1, 8}, all.As<float>().subspan((kKeys - kSeen) * 8));
  };
  const auto masked = Run(
      [&](Graph& g, ValueId x) {
        return g.Add(AttentionOp{1}, {x, g.Constant(k), g.Constant(v), g.Constant(mask)});
      },
      {1, 9, 1, 8}, x_);
  const auto seen = Run(
      [&](Graph& g, ValueId x) {
        return g.Add(AttentionOp{1}, {x, g.Constant(last(k)), g.Constant(last(v))});
      },
      {1, 9, 1, 8}, x_);
  ExpectClose(masked, seen);
}

INSTANTIATE_TEST_SUITE_P(All, TransformerKernels, testing::ValuesIn(EveryMode()), ModeName);

}  // namespace
}  // namespace ringway::engine
