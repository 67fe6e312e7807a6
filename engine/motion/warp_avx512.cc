#include <immintrin.h>

#include <cstring>

#include "engine/motion/warp_place.h"

namespace ringway::engine {
namespace {

constexpr int kAtOnce = 16;

// Where sixteen pixels lie: WarpPlace of each, the same numbers.
struct Places {
  alignas(64) int column[kAtOnce];
  alignas(64) int row[kAtOnce];
  alignas(64) int across[kAtOnce];
  alignas(64) int down[kAtOnce];

  Places(const WarpSource& source, const float* x, const float* y, __mmask16 wanted) {
    Split(_mm512_maskz_loadu_ps(wanted, x), source.width(), column, across);
    Split(_mm512_maskz_loadu_ps(wanted, y), source.height(), row, down);
  }

 private:
  static void Split(__m512 at, int size, int* before, int* place) {
    const __m512 last = _mm512_set1_ps(static_cast<float>(size - 1));
    const __m512 inside = _mm512_min_ps(_mm512_max_ps(at, _mm512_setzero_ps()), last);  // no number: 0
    const __m512 scaled = _mm512_fmadd_ps(inside, _mm512_set1_ps(WarpTable::kPlaces), _mm512_set1_ps(0.5f));
    const __m512i steps = _mm512_cvttps_epi32(scaled);
    _mm512_store_si512(place, _mm512_and_si512(steps, _mm512_set1_epi32(WarpTable::kPlaces - 1)));
    _mm512_store_si512(before, _mm512_srli_epi32(steps, kPlaceBits));
  }
  static constexpr int kPlaceBits = 8;
  static_assert(1 << kPlaceBits == WarpTable::kPlaces);
};

__m512 Row(const std::uint8_t* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

// The four columns of one pixel's neighbourhood, each the weighted sum of its rows, times its own weight.
__m512 Columns(const WarpSource& source, const WarpTable& table, const Places& places, int i) {
  const std::uint8_t* first = source.At(places.column[i] - 1, places.row[i] - 1);
  const float* down = table.weights[places.down[i]];
  const std::int64_t pitch = source.pitch();
  __m512 sum = _mm512_mul_ps(Row(first), _mm512_set1_ps(down[0]));
  for (int r = 1; r < 4; ++r) sum = _mm512_fmadd_ps(Row(first + r * pitch), _mm512_set1_ps(down[r]), sum);
  return _mm512_mul_ps(sum, _mm512_load_ps(table.repeated[places.across[i]]));
}

// Four pixels of four channels from the columns of each.
__m512 AddedUp(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m512 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));
  const __m512 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));
  return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
}

// `pixels` of them, at most four.
void Store(__m512 channels, int pixels, std::uint8_t* rgb) {
  const __m512i whole = _mm512_max_epi32(_mm512_cvtps_epi32(channels), _mm512_setzero_si512());
  const __m128i three = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  const __m128i bytes = _mm_shuffle_epi8(_mm512_cvtusepi32_epi8(whole), three);
  _mm_mask_storeu_epi8(rgb, static_cast<__mmask16>((1 << 3 * pixels) - 1), bytes);
}

}  // namespace

void WarpRowAvx512(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb) {
  const WarpTable& table = TheWarpTable();
  for (int begin = 0; begin < count; begin += kAtOnce) {
    const int here = count - begin < kAtOnce ? count - begin : kAtOnce;
    const Places places(source, x + begin, y + begin, static_cast<__mmask16>((1 << here) - 1));
    for (int i = 0; i < here; i += 4) {  // places beyond the last are the first pixel's
      const __m512 channels =
          AddedUp(Columns(source, table, places, i), Columns(source, table, places, i + 1),
                  Columns(source, table, places, i + 2), Columns(source, table, places, i + 3));
      Store(channels, here - i < 4 ? here - i : 4, rgb + 3 * (begin + i));
    }
  }
}

}  // namespace ringway::engine
