#include "engine/media/decode.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {

PictureFormat SniffPicture(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureFormat::kPng;
  if (bytes.starts_with("\xff\xd8\xff")) return PictureFormat::kJpeg;
  if (bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP")
    return PictureFormat::kWebp;
  return PictureFormat::kUnknown;
}

absl::Status CheckPictureSize(std::int64_t width, std::int64_t height, std::string_view format) {
  const bool fits = width > 0 && height > 0 && width <= kPictureSideMax && height <= kPictureSideMax &&
                    width * height <= kPicturePixelsMax;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      absl::string_view(format.data(), format.size()), " picture of ", width, " x ", height,
      " pixels; at most ", kPictureSideMax, " a side and ", kPicturePixelsMax, " in all are taken"));
}

absl::StatusOr<Picture> DecodePicture(std::string_view bytes) {
  switch (SniffPicture(bytes)) {
    case PictureFormat::kPng:
      return DecodePng(bytes);
    case PictureFormat::kJpeg:
      return DecodeJpeg(bytes);
    case PictureFormat::kWebp:
      return DecodeWebp(bytes);
    case PictureFormat::kUnknown:
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("not a picture that is understood (", bytes.size(), " bytes): PNG, JPEG and WebP are"));
}

absl::StatusOr<Picture> DecodeMask(std::string_view bytes) {
  if (SniffPicture(bytes) == PictureFormat::kPng) {
    absl::StatusOr<std::optional<Picture>> transparency = DecodePngTransparency(bytes);
    if (!transparency.ok()) return transparency.status();
    if (transparency->has_value()) return **std::move(transparency);
  }
  return DecodePicture(bytes);
}

}  // namespace ringway::engine
