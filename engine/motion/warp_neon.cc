#include <arm_neon.h>

#include <cstring>

#include "engine/motion/warp_addresses.h"

namespace ringway::engine {
namespace {

int16x8_t Load(const char* p) { return vld1q_s16(reinterpret_cast<const std::int16_t*>(p)); }

struct Looking : WarpAddresses {
  using WarpAddresses::WarpAddresses;

  // Two columns, of four channels, of the neighbourhood at `first`; `half` bytes from its first two.
  int16x8_t TwoColumns(std::size_t first, const char* weights, std::size_t half) const {
    const auto row = [&](int r) {
      return vqrdmulhq_s16(Load(rows[r] + first + half), Load(weights + 32 * r));
    };
    return vaddq_s16(vaddq_s16(row(0), row(1)), vaddq_s16(row(2), row(3)));
  }
  // The channels of a pixel.
  int16x4_t One(const WarpPlaces& at, int i) const {
    const char *weights = down + at.down[i], *columns = across + at.across[i];
    const int16x8_t left = vqrdmulhq_s16(TwoColumns(at.first[i], weights, 0), Load(columns));
    const int16x8_t right = vqrdmulhq_s16(TwoColumns(at.first[i], weights, 16), Load(columns + 16));
    const int16x8_t sum = vaddq_s16(left, right);
    return vadd_s16(vget_low_s16(sum), vget_high_s16(sum));
  }
  uint8x8_t Two(const WarpPlaces& at, int i) const {
    return vqrshrun_n_s16(vcombine_s16(One(at, i), One(at, i + 1)), WarpSource::kScaleBits);
  }
  // Four pixels: twelve bytes, and four of nothing.
  uint8x16_t Four(const WarpPlaces& at, int i) const {
    static constexpr std::uint8_t kThree[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255};
    return vqtbl1q_u8(vcombine_u8(Two(at, i), Two(at, i + 2)), vld1q_u8(kThree));
  }
};

void StoreFour(uint8x16_t packed, std::uint8_t* rgb) {
  vst1_u8(rgb, vget_low_u8(packed));
  const std::uint32_t last = vgetq_lane_u32(vreinterpretq_u32_u8(packed), 2);
  std::memcpy(rgb + 8, &last, sizeof(last));
}

void StoreFirst(uint8x16_t packed, int pixels, std::uint8_t* rgb) {
  std::uint8_t four[16];
  vst1q_u8(four, packed);
  for (int i = 0; i < 3 * pixels; ++i) rgb[i] = four[i];
}

}  // namespace

void WarpNeon(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb) {
  const Looking looking(photo, TheWarpTable());
  DrawLine<4>(
      photo, line, rgb,
      [&](const WarpPlaces& places, int i, std::uint8_t* to) { StoreFour(looking.Four(places, i), to); },
      [&](const WarpPlaces& places, int i, int pixels, std::uint8_t* to) {
        StoreFirst(looking.Four(places, i), pixels, to);
      });
}

}  // namespace ringway::engine
