// The functions of a kernel table called as the kernels call them, without a plan, to compare instruction
// sets.
//
// A call is made with the plain C++ table and with that of the level under test, on the same numbers. Results
// have numbers behind them that must stay as they are. Nothing here needs a library but GoogleTest: that is
// how the same tests are compiled for another processor (tests/engine/arm/emulated.sh).
#ifndef RINGWAY_TESTS_ENGINE_KERNEL_TABLES_H_
#define RINGWAY_TESTS_ENGINE_KERNEL_TABLES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "engine/cpu/kernel_table.h"
#include "tests/engine/levels.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {

inline float Narrowed(float x, float) { return x; }
inline BFloat16 Narrowed(float x, BFloat16) { return ToBFloat16(x); }

template <typename T>
std::vector<T> TypedNumbers(std::span<const float> values) {
  std::vector<T> typed(values.size());
  std::ranges::transform(values, typed.begin(), [](float v) { return Narrowed(v, T{}); });
  return typed;
}

template <typename T>
std::vector<T> RandomNumbers(std::int64_t count, std::uint64_t seed, float scale = 1.0f) {
  std::vector<float> values(static_cast<std::size_t>(count));
  FillRandomly(values, seed, scale);
  return TypedNumbers<T>(values);
}

// What a call with the table of `isa` writes into `count` places; nothing beyond them.
template <typename T>
std::vector<float> Written(Isa isa, std::int64_t count,
                           const std::function<void(const KernelTable&, T*)>& call) {
  constexpr std::size_t kBeyond = 16;
  constexpr float kUntouched = 77;
  std::vector<T> out(static_cast<std::size_t>(count) + kBeyond, Narrowed(kUntouched, T{}));
  call(KernelsFor(isa), out.data());
  std::vector<float> written;
  for (const T v : out) written.push_back(ToFloat(v));
  EXPECT_TRUE(std::all_of(written.end() - kBeyond, written.end(), [](float v) { return v == kUntouched; }))
      << "writes beyond its " << count << " results";
  written.resize(static_cast<std::size_t>(count));
  return written;
}

// A bf16 result may be rounded the other way where sums differ in their last bits.
template <typename T>
inline constexpr double kDistanceMax = std::is_same_v<T, float> ? 3e-6 : 1e-2;

class KernelTables : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!HasIsa(GetParam())) GTEST_SKIP() << "this processor has no " << IsaName(GetParam());
  }
  template <typename T>
  void ExpectAlike(std::int64_t count, const std::function<void(const KernelTable&, T*)>& call) {
    const std::vector<float> plain = Written<T>(Isa::kScalar, count, call);
    EXPECT_LT(RelativeDistance(Written<T>(GetParam(), count, call), plain), kDistanceMax<T>);
  }
};

inline auto EveryLevel() { return testing::ValuesIn(LevelsOfArchitecture()); }
inline std::string LevelName(const testing::TestParamInfo<Isa>& info) {
  return std::string(IsaName(info.param));
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_KERNEL_TABLES_H_
