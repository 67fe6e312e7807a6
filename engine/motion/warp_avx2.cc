#include <immintrin.h>

#include <cstring>

#include "engine/motion/warp_addresses.h"

namespace ringway::engine {
namespace {

__m256i Load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

struct Looking : WarpAddresses {
  using WarpAddresses::WarpAddresses;

  // The weighted columns of a pixel's neighbourhood: four columns of four channels.
  __m256i Columns(const WarpPlaces& at, int i) const {
    const std::size_t first = at.first[i];
    const char* weights = down + at.down[i];
    const auto row = [&](int r) {
      return _mm256_mulhrs_epi16(Load(rows[r] + first), Load(weights + 32 * r));
    };
    const __m256i sum = _mm256_add_epi16(_mm256_add_epi16(row(0), row(1)), _mm256_add_epi16(row(2), row(3)));
    return _mm256_mulhrs_epi16(sum, Load(across + at.across[i]));
  }
  // Two pixels, each twice: with half of its columns and with the other half.
  __m256i Pair(const WarpPlaces& at, int i, int j) const {
    const __m256i a = Columns(at, i), b = Columns(at, j);
    return _mm256_add_epi16(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
  }
  // The channels of four pixels, one after the other.
  __m256i Four(const WarpPlaces& at, int i) const {
    const __m256i a = Pair(at, i, i + 1), b = Pair(at, i + 2, i + 3);
    return _mm256_add_epi16(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
  }
  // Eight pixels, twelve bytes in each half and four of nothing.
  __m256i Eight(const WarpPlaces& at, int i) const {
    const __m256i bytes = _mm256_packus_epi16(Whole(Four(at, i)), Whole(Four(at, i + 4)));
    const __m128i three = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(bytes, 0xD8), _mm256_broadcastsi128_si256(three));
  }

 private:
  static __m256i Whole(__m256i sums) {
    const __m256i half = _mm256_set1_epi16(1 << (WarpSource::kScaleBits - 1));
    return _mm256_srai_epi16(_mm256_add_epi16(sums, half), WarpSource::kScaleBits);
  }
};

void StoreEight(__m256i packed, std::uint8_t* rgb) {
  const __m128i upper = _mm256_extracti128_si256(packed, 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb), _mm256_castsi256_si128(packed));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(rgb + 12), upper);
  const int last = _mm_extract_epi32(upper, 2);
  std::memcpy(rgb + 20, &last, sizeof(last));
}

void StoreFirst(__m256i packed, int pixels, std::uint8_t* rgb) {
  alignas(32) std::uint8_t eight[32];
  _mm256_store_si256(reinterpret_cast<__m256i*>(eight), packed);
  StoreFirst(eight, pixels, rgb);
}

}  // namespace

void WarpAvx2(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb) {
  const Looking looking(photo, TheWarpTable());
  DrawLine<8>(
      photo, line, rgb,
      [&](const WarpPlaces& places, int i, std::uint8_t* to) { StoreEight(looking.Eight(places, i), to); },
      [&](const WarpPlaces& places, int i, int pixels, std::uint8_t* to) {
        StoreFirst(looking.Eight(places, i), pixels, to);
      });
}

}  // namespace ringway::engine
