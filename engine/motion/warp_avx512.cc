#include <immintrin.h>

#include <cstring>

#include "engine/motion/warp_place.h"

namespace ringway::engine {
namespace {

__m512 Row(const std::uint8_t* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

// The four channels of one pixel, as bytes.
std::uint32_t Look(const WarpSource& source, const WarpTable& table, float x, float y) {
  const WarpPlace place(source, x, y);
  const float* down = table.weights[place.down];
  const std::int64_t pitch = source.pitch();
  __m512 sum = _mm512_mul_ps(Row(place.first), _mm512_set1_ps(down[0]));
  for (int r = 1; r < 4; ++r)
    sum = _mm512_fmadd_ps(Row(place.first + r * pitch), _mm512_set1_ps(down[r]), sum);
  sum = _mm512_mul_ps(sum, _mm512_load_ps(table.repeated[place.across]));
  const __m256 two = _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1));
  const __m128 one = _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
  const __m128i whole = _mm_cvtps_epi32(one);
  const __m128i words = _mm_packus_epi32(whole, whole);
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
}

}  // namespace

void WarpRowAvx512(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb) {
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
