// Convolutions and linear layers by themselves, at the sizes of the bundled model and of Stable
// Diffusion 1.5, against oneDNN's and against the peak.
#include <cmath>

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

void MeasureShapes(const char* name, std::span<const ProductShape> shapes, const RunOptions& options,
                   Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  const int rounds = options.quick ? 20 : 40;
  const double peak = engine::PeakFlops(engine::BestIsa(), options.threads);
  double logs = 0;
  std::string table;
  for (const ProductShape& s : shapes) {
    const double own = ProductSeconds(s, backend, rounds);
    const double theirs = OneDnnSeconds(s, backend.FastBf16(), options.threads, rounds);
    const double flops = s.flops();
    logs += std::log(theirs / own);
    table += absl::StrFormat(
        "\n        %2d x %2d x %2d, %4d -> %4d, %dx%d: %8.1f us, %2.0f %% of peak; oneDNN %8.1f us, %.2fx",
        s.pictures, s.side, s.side, s.in, s.out, s.kernel, s.kernel, own * 1e6, 100 * flops / own / peak,
        theirs * 1e6, theirs / own);
  }
  claims.AtLeast(name, std::exp(logs / static_cast<double>(shapes.size())), 1.0,
                 "geometric mean of:" + table);
}

}  // namespace

void MeasureProducts(const RunOptions& options, Claims& claims) {
  MeasureShapes("bundled_products_against_onednn", kBundled, options, claims);
  MeasureShapes("sd_products_against_onednn", kStable, options, claims);
}

}  // namespace ringway::bench
