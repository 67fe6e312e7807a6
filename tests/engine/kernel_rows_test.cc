// The row kernels of every instruction set against those in plain C++: norms, activations, mixing,
// conversions, and attention for one block of queries.
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/engine/kernel_tables.h"

namespace ringway::engine {
namespace {

class KernelRows : public KernelTables {
 protected:
  template <typename T>
  void NormsAreAlike(std::int64_t channels);
  template <typename T>
  void MixingIsAlike(std::int64_t count);
  template <typename T>
  void AttentionIsAlike(int queries, std::int64_t keys, int head_dim, bool causal, bool biased);
};

constexpr std::int64_t kCounts[] = {1, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 43, 64, 100};
constexpr std::int64_t kRows = 5;
constexpr Activation kActivations[] = {Activation::kNone,      Activation::kSilu,    Activation::kGelu,
                                       Activation::kQuickGelu, Activation::kSigmoid, Activation::kRelu,
                                       Activation::kGeluTanh};

template <typename T>
void KernelRows::NormsAreAlike(std::int64_t channels) {
  const auto x = RandomNumbers<T>(kRows * channels, 1, 3.0f);
  const auto wide = RandomNumbers<float>(kRows * channels, 1, 3.0f);
  const auto scale = RandomNumbers<float>(channels, 2), shift = RandomNumbers<float>(channels, 3);
  ExpectAlike<float>(2 * channels, [&](const KernelTable& table, float* sums) {
    std::fill_n(sums, 2 * channels, 0.5f);
    RowsOf<T>(table).channel_sums(x.data(), kRows, channels, sums);
  });
  for (const bool flag : {false, true}) {  // silu, and centred
    ExpectAlike<T>(kRows * channels, [&](const KernelTable& table, T* out) {
      RowsOf<T>(table).scale_shift(x.data(), out, kRows, channels, scale.data(), shift.data(), flag);
    });
    ExpectAlike<T>(kRows * channels, [&](const KernelTable& table, T* out) {
      RowsOf<T>(table).layer_norm(x.data(), out, kRows, channels, scale.data(), shift.data(), 1e-5f, flag);
    });
    ExpectAlike<BFloat16>(kRows * channels, [&](const KernelTable& table, BFloat16* out) {
      table.narrowing.scale_shift(wide.data(), out, kRows, channels, scale.data(), shift.data(), flag);
    });
    ExpectAlike<BFloat16>(kRows * channels, [&](const KernelTable& table, BFloat16* out) {
      table.narrowing.layer_norm(wide.data(), out, kRows, channels, scale.data(), shift.data(), 1e-5f, flag);
    });
  }
}

TEST_P(KernelRows, Norms) {
  for (const std::int64_t channels : kCounts) {
    SCOPED_TRACE(channels);
    NormsAreAlike<float>(channels);
    NormsAreAlike<BFloat16>(channels);
  }
}

template <typename T>
void KernelRows::MixingIsAlike(std::int64_t count) {
  const auto x = RandomNumbers<T>(count, 1, 3.0f), y = RandomNumbers<T>(count, 2),
             z = RandomNumbers<T>(count, 3);
  const auto pairs = RandomNumbers<T>(kRows * 2 * count, 4, 3.0f);
  const auto turns = RandomNumbers<float>(count, 5);
  ExpectAlike<T>(
      count, [&](const KernelTable& table, T* out) { RowsOf<T>(table).add(x.data(), y.data(), out, count); });
  ExpectAlike<T>(count, [&](const KernelTable& table, T* out) {
    RowsOf<T>(table).blend(x.data(), y.data(), 0.3f, out, count);
  });
  for (const T* shift : {static_cast<const T*>(nullptr), z.data()}) {
    ExpectAlike<T>(count, [&](const KernelTable& table, T* out) {
      RowsOf<T>(table).scale_row(x.data(), y.data(), shift, shift == nullptr ? 1.0f : 0.0f, out, count);
    });
  }
  ExpectAlike<T>(kRows * count, [&](const KernelTable& table, T* out) {
    RowsOf<T>(table).geglu(pairs.data(), out, kRows, count);
  });
  if (count % 2 == 0) {
    ExpectAlike<T>(count, [&](const KernelTable& table, T* out) {
      RowsOf<T>(table).rotate_row(x.data(), turns.data(), out, count);
    });
  }
}

TEST_P(KernelRows, Mixing) {
  for (const std::int64_t count : kCounts) {
    SCOPED_TRACE(count);
    MixingIsAlike<float>(count);
    MixingIsAlike<BFloat16>(count);
    const auto x = RandomNumbers<float>(count, 1, 3.0f), y = RandomNumbers<float>(count, 2);
    ExpectAlike<BFloat16>(count, [&](const KernelTable& table, BFloat16* out) {
      table.narrowing.add(x.data(), y.data(), out, count);
    });
    ExpectAlike<BFloat16>(count, [&](const KernelTable& table, BFloat16* out) {
      table.narrowing.blend(x.data(), y.data(), 0.3f, out, count);
    });
    ExpectAlike<BFloat16>(count, [&](const KernelTable& table, BFloat16* out) {
      table.narrowing.scale_row(x.data(), y.data(), x.data(), 1.0f, out, count);
    });
  }
}

TEST_P(KernelRows, Activations) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(static_cast<int>(activation));
    const auto x = RandomNumbers<float>(203, 1, 12.0f);
    ExpectAlike<float>(203, [&](const KernelTable& table, float* out) {
      table.f32.activate(x.data(), out, 203, activation);
    });
    const auto narrow = RandomNumbers<BFloat16>(203, 1, 12.0f);
    ExpectAlike<BFloat16>(203, [&](const KernelTable& table, BFloat16* out) {
      table.bf16.activate(narrow.data(), out, 203, activation);
    });
  }
}

// Sixteen times each, so that a vector of any width is met, and once behind them.
TEST_P(KernelRows, ActivationsHoldFarOut) {
  for (const float far : {-3e38f, -1000.0f, -88.0f, -0.0f, 0.0f, 88.0f, 1000.0f, 3e38f, 1e-40f}) {
    for (const Activation activation : kActivations) {
      const std::vector<float> x(17, far);
      const std::function<void(const KernelTable&, float*)> call = [&](const KernelTable& table, float* out) {
        table.f32.activate(x.data(), out, 17, activation);
      };
      const std::vector<float> plain = Written<float>(Isa::kScalar, 17, call),
                               fast = Written<float>(GetParam(), 17, call);
      for (std::size_t i = 0; i < 17; ++i) {
        if (std::isfinite(plain[i])) {
          EXPECT_NEAR(fast[i], plain[i], std::abs(plain[i]) * 1e-6f + 1e-37f) << far;
        } else {
          EXPECT_EQ(fast[i], plain[i]) << far << " " << static_cast<int>(activation);
        }
      }
    }
  }
}

// What has no number is clamped as the least number is.
TEST_P(KernelRows, ActivationsOfNaN) {
  const std::vector<float> x(17, std::nanf(""));
  for (const Activation activation : {Activation::kSigmoid, Activation::kRelu}) {
    const std::vector<float> y = Written<float>(GetParam(), 17, [&](const KernelTable& table, float* out) {
      table.f32.activate(x.data(), out, 17, activation);
    });
    EXPECT_EQ(y, std::vector<float>(17, activation == Activation::kSigmoid ? 1.0f : 0.0f));
  }
}

// Around every bf16 number and half way to the next; what is no number is left out.
TEST_P(KernelRows, NarrowsToNearestEven) {
  std::vector<float> x;
  std::vector<std::uint16_t> expected;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper)
    for (const std::uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const float value = std::bit_cast<float>(upper << 16 | lower);
      if (std::isnan(value)) continue;
      x.push_back(value);
      expected.push_back(ToBFloat16(value).bits);
    }
  std::vector<BFloat16> narrow(x.size());
  KernelsFor(GetParam()).bf16.from_float(x.data(), narrow.data(), static_cast<std::int64_t>(x.size()));
  EXPECT_EQ(std::memcmp(narrow.data(), expected.data(), 2 * x.size()), 0);
}

TEST_P(KernelRows, WidensAndCopiesEveryBit) {
  std::vector<BFloat16> x;
  for (std::uint32_t bits = 0; bits < 0xffff; ++bits) x.push_back({static_cast<std::uint16_t>(bits)});
  const auto count = static_cast<std::int64_t>(x.size());
  std::vector<float> wide(x.size()), copied(x.size());
  KernelsFor(GetParam()).bf16.to_float(x.data(), wide.data(), count);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), static_cast<std::uint32_t>(x[i].bits) << 16);
  KernelsFor(GetParam()).f32.to_float(wide.data(), copied.data(), count);
  EXPECT_EQ(std::memcmp(copied.data(), wide.data(), 4 * x.size()), 0);
}

// The queries of a block beyond `queries` are looked at, and not written.
template <typename T>
void KernelRows::AttentionIsAlike(int queries, std::int64_t keys, int head_dim, bool causal, bool biased) {
  const std::int64_t stride = head_dim + 3;  // another head's channels lie between
  const std::int64_t padded =
      (keys + AttentionBlock::kKeyGroup - 1) / AttentionBlock::kKeyGroup * AttentionBlock::kKeyGroup;
  const auto q = RandomNumbers<T>(AttentionBlock::kQueries * stride, 1, 2.0f);
  const auto k = RandomNumbers<T>(keys * stride, 2, 2.0f), v = RandomNumbers<T>(keys * stride, 3);
  const auto bias = RandomNumbers<float>(AttentionBlock::kQueries * padded, 4, 2.0f);
  ExpectAlike<T>(queries * head_dim, [&](const KernelTable& table, T* out) {
    const RowKernels<T>& kernels = RowsOf<T>(table);
    const auto packed_floats = static_cast<std::size_t>(padded * kernels.packed_token_bytes(head_dim) / 4);
    std::vector<float> packed_keys(packed_floats), packed_values(packed_floats);
    kernels.pack(k.data(), v.data(), stride, keys, head_dim, packed_keys.data(), packed_values.data());
    std::vector<float> scratch(static_cast<std::size_t>(AttentionBlock::ScratchFloats(head_dim)));
    AttentionBlock block;
    block.queries = queries;
    block.keys = packed_keys.data();
    block.values = packed_values.data();
    block.key_count = keys;
    block.head_dim = head_dim;
    block.scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
    block.scratch = scratch.data();
    for (int r = 0; r < AttentionBlock::kQueries; ++r) {
      block.q[r] = q.data() + r * stride;
      block.out[r] = out + r * head_dim;
      block.limit[r] = causal ? std::min<std::int64_t>(2 * r + 1, keys) : keys;
      if (biased) block.bias[r] = bias.data() + r * padded;
    }
    kernels.attend(block);
  });
}

TEST_P(KernelRows, Attention) {
  for (const int head_dim : {1, 7, 8, 24, 40, 64, 72, 80, 160})
    for (const std::int64_t keys : {1, 5, 16, 17, 77, 128, 192, 194, 450}) {
      const bool causal = keys % 2 == 1, biased = head_dim % 16 == 0;
      const int queries = 1 + (head_dim + 3 * static_cast<int>(keys)) % AttentionBlock::kQueries;
      SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, head " << head_dim);
      AttentionIsAlike<float>(queries, keys, head_dim, causal, biased);
      AttentionIsAlike<BFloat16>(queries, keys, head_dim, causal, biased);
    }
}

INSTANTIATE_TEST_SUITE_P(All, KernelRows, EveryLevel(), LevelName);

}  // namespace
}  // namespace ringway::engine
