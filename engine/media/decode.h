// From the bytes of a photo to a picture: PNG, JPEG (turned upright by its EXIF orientation) and WebP.
//
// The format is told by its first bytes, never by a name. Width and height are read first and refused beyond
// the bounds of picture.h, before anything of that size is allocated; a progressive JPEG may have at most 100
// scans. What is truncated or damaged is an error, not a grey half of a picture; of an animated WebP or PNG
// only stills are taken. The libraries are libpng (its simplified interface), libjpeg-turbo and libwebp. Safe
// on any bytes; any thread.
#ifndef RINGWAY_ENGINE_MEDIA_DECODE_H_
#define RINGWAY_ENGINE_MEDIA_DECODE_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/media/picture.h"

namespace ringway::engine {

enum class PictureFormat : std::uint8_t { kUnknown, kPng, kJpeg, kWebp };
PictureFormat SniffPicture(std::string_view bytes);

// InvalidArgument names the format and what is wrong with it.
absl::StatusOr<Picture> DecodePicture(std::string_view bytes);

// A picture that says where something is to be done: white there, black elsewhere. A PNG with transparency
// says it by that, transparent is white; anything else by its brightness.
absl::StatusOr<Picture> DecodeMask(std::string_view bytes);

absl::StatusOr<Picture> DecodePng(std::string_view bytes);
// As DecodeMask does; nothing: it has no transparency.
absl::StatusOr<std::optional<Picture>> DecodePngTransparency(std::string_view bytes);
absl::StatusOr<Picture> DecodeJpeg(std::string_view bytes);
absl::StatusOr<Picture> DecodeWebp(std::string_view bytes);

// OK when a picture of this size may be decoded; `format` is for the message.
absl::Status CheckPictureSize(std::int64_t width, std::int64_t height, std::string_view format);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_DECODE_H_
