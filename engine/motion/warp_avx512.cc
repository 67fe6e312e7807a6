#include <immintrin.h>

#include "engine/motion/warp_addresses.h"

namespace ringway::engine {
namespace {

__m512i Two(const char* low, const char* high) {
  const __m256i l = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
  const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
  return _mm512_inserti64x4(_mm512_castsi256_si512(l), h, 1);
}

struct Looking : WarpAddresses {
  using WarpAddresses::WarpAddresses;

  // The four columns of a pixel's neighbourhood, in two halves that are still to be added: each is the
  // weighted sum of two of its rows.
  __m512i Columns(const WarpPlaces& at, int i) const {
    const std::size_t first = at.first[i];
    const char* weights = down + at.down[i];
    const __m512i upper =
        _mm512_mulhrs_epi16(Two(rows[0] + first, rows[1] + first), _mm512_load_si512(weights));
    const __m512i lower =
        _mm512_mulhrs_epi16(Two(rows[2] + first, rows[3] + first), _mm512_load_si512(weights + 64));
    return _mm512_add_epi16(upper, lower);
  }
  // The weighted columns of two pixels, each four columns of four channels.
  __m512i Pair(const WarpPlaces& at, int i, int j) const {
    const __m512i a = Columns(at, i), b = Columns(at, j);
    const __m512i columns =
        _mm512_add_epi16(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xEE));
    return _mm512_mulhrs_epi16(columns, Two(across + at.across[i], across + at.across[j]));
  }
  // The channels of eight pixels, one after the other.
  __m512i Eight(const WarpPlaces& at, int i) const {
    const auto halves = [](__m512i a, __m512i b) {
      return _mm512_add_epi16(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    };
    const __m512i a = halves(Pair(at, i, i + 2), Pair(at, i + 1, i + 3));
    const __m512i b = halves(Pair(at, i + 4, i + 6), Pair(at, i + 5, i + 7));
    return _mm512_add_epi16(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xDD));
  }
};

// Eight pixels, twelve bytes in each half and four of nothing.
__m256i Packed(__m512i channels) {
  const __m512i half = _mm512_set1_epi16(1 << (WarpSource::kScaleBits - 1));
  const __m512i whole = _mm512_srai_epi16(_mm512_add_epi16(channels, half), WarpSource::kScaleBits);
  const __m256i bytes = _mm512_cvtusepi16_epi8(_mm512_max_epi16(whole, _mm512_setzero_si512()));
  const __m128i three = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(three));
}

void StoreEight(__m256i packed, std::uint8_t* rgb) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb), _mm256_castsi256_si128(packed));
  _mm_mask_storeu_epi8(rgb + 12, 0xFFF, _mm256_extracti128_si256(packed, 1));
}

void StoreFirst(__m256i packed, int pixels, std::uint8_t* rgb) {
  alignas(32) std::uint8_t eight[32];
  _mm256_store_si256(reinterpret_cast<__m256i*>(eight), packed);
  StoreFirst(eight, pixels, rgb);
}

}  // namespace

void WarpAvx512(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb) {
  const Looking looking(photo, TheWarpTable());
  DrawLine<8>(
      photo, line, rgb,
      [&](const WarpPlaces& places, int i, std::uint8_t* to) {
        StoreEight(Packed(looking.Eight(places, i)), to);
      },
      [&](const WarpPlaces& places, int i, int pixels, std::uint8_t* to) {
        StoreFirst(Packed(looking.Eight(places, i)), pixels, to);
      });
}

}  // namespace ringway::engine
