// Convolutions and linear layers by themselves, at the sizes of the bundled model and of Stable
// Diffusion 1.5, against oneDNN's and against the peak.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/onednn.h"
#include "bench/engine/product_time.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/cpu/peak.h"

namespace ringway::bench {
namespace {

constexpr ProductShape kBundled[] = {{16, 8, 96, 96, 3},   {16, 8, 96, 96, 1},   {16, 8, 96, 768, 1},
                                     {16, 8, 384, 96, 1},  {16, 4, 128, 128, 3}, {16, 4, 128, 128, 1},
                                     {16, 4, 128, 1024, 1}};
constexpr ProductShape kStable[] = {{1, 64, 320, 320, 3},   {1, 64, 320, 320, 1},   {1, 64, 320, 2560, 1},
                                    {1, 64, 1280, 320, 1},  {1, 32, 640, 640, 3},   {1, 32, 640, 5120, 1},
                                    {1, 16, 1280, 1280, 3}, {1, 16, 1280, 1280, 1}, {1, 8, 1280, 1280, 3}};

struct Measured {
  ProductShape shape;
  double own_s = 0;
};

std::vector<Measured> MeasureOwn(std::span<const ProductShape> shapes, const engine::CpuBackend& backend,
                                 int rounds) {
  std::vector<Measured> measured;
  for (const ProductShape& shape : shapes)
    measured.push_back({shape, ProductSeconds(shape, backend, rounds)});
  return measured;
}

void Compare(const char* name, std::span<const Measured> all, double peak, bool bf16,
             const RunOptions& options, int rounds, Claims& claims) {
  double logs = 0;
  std::string table;
  for (const auto& [s, own] : all) {
    const double theirs = OneDnnSeconds(s, bf16, options.threads, rounds);
    logs += std::log(theirs / own);
    table += absl::StrFormat(
        "\n        %2d x %2d x %2d, %4d -> %4d, %dx%d: %8.1f us, %2.0f %% of peak; oneDNN %8.1f us, %.2fx",
        s.pictures, s.side, s.side, s.in, s.out, s.kernel, s.kernel, own * 1e6, 100 * s.flops() / own / peak,
        theirs * 1e6, theirs / own);
  }
  claims.AtLeast(name, std::exp(logs / static_cast<double>(all.size())), 1.0, "geometric mean of:" + table);
}

}  // namespace

// All of ours first: the threads of oneDNN's library spin for milliseconds after their last product, and
// would take a core from ours.
void MeasureProducts(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  const int rounds = options.quick ? 20 : 40;
  const double peak = engine::PeakFlops(engine::BestIsa(), options.threads);
  const auto bundled = MeasureOwn(kBundled, backend, rounds), stable = MeasureOwn(kStable, backend, rounds);
  const auto compare = [&](const char* name, std::span<const Measured> all) {
    Compare(name, all, peak, backend.FastBf16(), options, rounds, claims);
  };
  compare("bundled_products_against_onednn", bundled);
  compare("sd_products_against_onednn", stable);
}

}  // namespace ringway::bench
