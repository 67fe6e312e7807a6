#include <immintrin.h>

#include "engine/motion/warp_addresses.h"

namespace ringway::engine {
namespace {

constexpr int kAtOnce = 16;

// Where the pixels of a stretch look, in bytes that are added to addresses as they are. All are found before
// the first is drawn, so that drawing never waits for a place.
struct Places {
  alignas(
      64) std::uint32_t first[kStretch];  // from the photo's first number to the neighbour at the top left
  alignas(64) std::uint32_t across[kStretch], down[kStretch];  // into the table

  void Find(const WarpPixels& photo, const WarpLine& line, int begin, int count) {
    for (int i = 0; i < count; i += kAtOnce) {
      const int left = count - i;
      const auto wanted = static_cast<__mmask16>(left < kAtOnce ? (1 << left) - 1 : -1);
      const __m512 at_x = _mm512_maskz_loadu_ps(wanted, line.at_x + begin + i);
      const __m512 x = _mm512_add_ps(Sum(line.x, begin + i, wanted), at_x);
      const __m512 y = _mm512_add_ps(Sum(line.y, begin + i, wanted), _mm512_set1_ps(line.at_y));
      const __m512i steps_x = Steps(x, photo.width), steps_y = Steps(y, photo.height);
      const __m512i rows =
          Times(Before(steps_y), static_cast<std::size_t>(photo.pitch) * sizeof(std::int16_t));
      const __m512i columns = Times(Before(steps_x), WarpSource::kChannels * sizeof(std::int16_t));
      _mm512_store_si512(first + i, _mm512_add_epi32(rows, columns));
      _mm512_store_si512(across + i, Times(Place(steps_x), sizeof(WarpTable::across[0])));
      _mm512_store_si512(down + i, Times(Place(steps_y), sizeof(WarpTable::down[0])));
    }
  }

 private:
  static __m512 Sum(const WarpLine::Moved& moved, int begin, __mmask16 wanted) {
    const auto part = [&](int k) {
      return _mm512_mul_ps(_mm512_set1_ps(moved.weights[k]),
                           _mm512_maskz_loadu_ps(wanted, moved.rows[k] + begin));
    };
    return _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(part(0), part(1)), part(2)), part(3));
  }
  static __m512i Steps(__m512 at, int size) {
    const __m512 last = _mm512_set1_ps(static_cast<float>(size - 1));
    const __m512 inside = _mm512_min_ps(_mm512_max_ps(at, _mm512_setzero_ps()), last);  // no number: 0
    const __m512 scaled = _mm512_mul_ps(inside, _mm512_set1_ps(WarpTable::kPlaces));
    return _mm512_cvttps_epi32(_mm512_add_ps(scaled, _mm512_set1_ps(0.5f)));
  }
  static __m512i Before(__m512i steps) { return _mm512_srli_epi32(steps, WarpTable::kPlaceBits); }
  static __m512i Place(__m512i steps) {
    return _mm512_and_si512(steps, _mm512_set1_epi32(WarpTable::kPlaces - 1));
  }
  static __m512i Times(__m512i numbers, std::size_t bytes) {
    return _mm512_mullo_epi32(numbers, _mm512_set1_epi32(static_cast<int>(bytes)));
  }
};

__m512i Two(const char* low, const char* high) {
  const __m256i l = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
  const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
  return _mm512_inserti64x4(_mm512_castsi256_si512(l), h, 1);
}

struct Looking : WarpAddresses {
  using WarpAddresses::WarpAddresses;

  // The four columns of a pixel's neighbourhood, in two halves that are still to be added: each is the
  // weighted sum of two of its rows.
  __m512i Columns(const Places& at, int i) const {
    const std::size_t first = at.first[i];
    const char* weights = down + at.down[i];
    const __m512i upper =
        _mm512_mulhrs_epi16(Two(rows[0] + first, rows[1] + first), _mm512_load_si512(weights));
    const __m512i lower =
        _mm512_mulhrs_epi16(Two(rows[2] + first, rows[3] + first), _mm512_load_si512(weights + 64));
    return _mm512_add_epi16(upper, lower);
  }
  // The weighted columns of two pixels, each four columns of four channels.
  __m512i Pair(const Places& at, int i, int j) const {
    const __m512i a = Columns(at, i), b = Columns(at, j);
    const __m512i columns =
        _mm512_add_epi16(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xEE));
    return _mm512_mulhrs_epi16(columns, Two(across + at.across[i], across + at.across[j]));
  }
  // The channels of eight pixels, one after the other.
  __m512i Eight(const Places& at, int i) const {
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
  Places places;
  for (int begin = 0; begin < line.count; begin += kStretch) {
    const int count = line.count - begin < kStretch ? line.count - begin : kStretch;
    places.Find(photo, line, begin, count);
    int i = 0;
    for (; i + 8 <= count; i += 8, rgb += 24) StoreEight(Packed(looking.Eight(places, i)), rgb);
    if (i < count) StoreFirst(Packed(looking.Eight(places, i)), count - i, rgb);  // the rest look somewhere
  }
}

}  // namespace ringway::engine
