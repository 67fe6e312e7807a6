#include <immintrin.h>

#include <cstring>

#include "engine/motion/warp_place.h"

namespace ringway::engine {
namespace {

// Two pixels of a row.
__m256 Half(const std::uint8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}

// The four channels of one pixel, as bytes.
std::uint32_t Look(const WarpSource& source, const WarpTable& table, float x, float y) {
  const WarpPlace place(source, x, y);
  const float* down = table.weights[place.down];
  const std::int64_t pitch = source.pitch();
  __m256 left = _mm256_setzero_ps(), right = left;
  for (int r = 0; r < 4; ++r) {
    const __m256 weight = _mm256_set1_ps(down[r]);
    left = _mm256_fmadd_ps(Half(place.first + r * pitch), weight, left);
    right = _mm256_fmadd_ps(Half(place.first + r * pitch + 8), weight, right);
  }
  const float* across = table.repeated[place.across];
  const __m256 two =
      _mm256_fmadd_ps(right, _mm256_load_ps(across + 8), _mm256_mul_ps(left, _mm256_load_ps(across)));
  const __m128 one = _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
  const __m128i whole = _mm_cvtps_epi32(one);
  const __m128i words = _mm_packus_epi32(whole, whole);
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
}

}  // namespace

void WarpRowAvx2(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb) {
  const WarpTable& table = TheWarpTable();
  for (int i = 0; i + 1 < count; ++i) {
    const std::uint32_t pixel = Look(source, table, x[i], y[i]);
    std::memcpy(rgb + 3 * i, &pixel, 4);  // the fourth byte is the next pixel's first, written right after
  }
  if (count == 0) return;
  const std::uint32_t last = Look(source, table, x[count - 1], y[count - 1]);
  std::memcpy(rgb + 3 * (count - 1), &last, 3);
}

}  // namespace ringway::engine
