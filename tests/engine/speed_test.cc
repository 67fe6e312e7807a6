// A guard against a kernel that is several times too slow, which no other test would notice: the share of the
// processor's peak that the products of the bundled model reach, both measured here, one after the other.
//
// Not a benchmark: bench_engine reaches 80 to 97 % on a quiet machine. Both are the fastest of many short
// runs on one thread, so a neighbour must be busy in each of them to matter; a second try is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/engine/product_time.h"
#include "engine/cpu/peak.h"

namespace ringway::bench {
namespace {

constexpr double kShareLeast = 0.35;
constexpr int kRounds = 60;

double ShareOfPeak(const ProductShape& shape, engine::Isa isa) {
  const engine::CpuBackend backend({.threads = 1, .isa = isa});
  const double peak = engine::PeakFlops(isa, 1);
  return shape.flops() / ProductSeconds(shape, backend, kRounds) / peak;
}

TEST(ProductSpeed, IsAFairShareOfThePeak) {
  for (const engine::Isa isa : {engine::Isa::kAvx2, engine::Isa::kAvx512, engine::Isa::kAvx512Bf16}) {
    if (!engine::HasIsa(isa)) continue;
    for (const ProductShape& shape : {ProductShape{16, 8, 96, 96, 3},
                                      {16, 8, 96, 768, 1},
                                      {16, 4, 128, 128, 3},
                                      {16, 4, 128, 1024, 1},
                                      {1, 32, 320, 320, 3}}) {
      double share = ShareOfPeak(shape, isa);
      if (share < kShareLeast) share = std::max(share, ShareOfPeak(shape, isa));
      std::printf("  %s, %d x %d x %d, %d -> %d, kernel %d: %.0f %% of the peak\n",
                  std::string(engine::IsaName(isa)).c_str(), static_cast<int>(shape.pictures),
                  static_cast<int>(shape.side), static_cast<int>(shape.side), static_cast<int>(shape.in),
                  static_cast<int>(shape.out), static_cast<int>(shape.kernel), 100 * share);
      EXPECT_GE(share, kShareLeast);
    }
  }
}

}  // namespace
}  // namespace ringway::bench
