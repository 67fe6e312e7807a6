// What a picture's first bytes say of it: its type, its width, its height. Nothing is decoded.
//
// The type is told by the bytes, never by a name or a stated type. A header that is cut off or contradicts
// itself leaves the type known and the sides 0.
//
// Sources: PNG, third edition, 11.2.1; ITU-T T.81, B.2 (JPEG markers); the WebP container and RFC 6386, 9.1;
// GIF89a, 18. Pure; safe on any bytes. Threads: values. Bounds: kJpegSegmentsMax segments of a JPEG, a few
// bytes of the others.
#ifndef RINGWAY_GATEWAY_JOBS_PICTURE_HEADER_H_
#define RINGWAY_GATEWAY_JOBS_PICTURE_HEADER_H_

#include <cstdint>
#include <string_view>

namespace ringway::gateway {

inline constexpr int kJpegSegmentsMax = 1024;

struct PictureHeader {
  std::string_view type = {};  // "image/png"; empty: not one of the four
  std::uint32_t width = 0;     // 0: the header is damaged
  std::uint32_t height = 0;

  std::uint64_t pixels() const { return std::uint64_t{width} * height; }
};

PictureHeader ReadPictureHeader(std::string_view bytes);

// "PNG" for "image/png" and so on; what is not known stays as it is.
std::string_view PictureTypeName(std::string_view type);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_PICTURE_HEADER_H_
