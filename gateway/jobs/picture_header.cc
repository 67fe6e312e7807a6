#include "gateway/jobs/picture_header.h"

#include <array>
#include <cstddef>
#include <utility>

namespace ringway::gateway {
namespace {

constexpr std::string_view kPng = "image/png", kJpeg = "image/jpeg", kWebp = "image/webp", kGif = "image/gif";

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// `count` bytes from `at`, which must be there.
std::uint32_t BigAt(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | ByteAt(bytes, at + i);
  return value;
}

std::uint32_t LittleAt(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | ByteAt(bytes, at + i);
  return value;
}

// Both sides, or neither.
PictureHeader Sized(std::string_view type, std::uint32_t width, std::uint32_t height) {
  if (width == 0 || height == 0) return {.type = type};
  return {type, width, height};
}

PictureHeader OfPngFile(std::string_view bytes) {
  constexpr std::size_t kSignature = 8, kHeaderBytes = 13;
  const bool whole = bytes.size() >= kSignature + 8 + kHeaderBytes;
  if (!whole || BigAt(bytes, kSignature, 4) != kHeaderBytes || bytes.substr(kSignature + 4, 4) != "IHDR")
    return {.type = kPng};
  return Sized(kPng, BigAt(bytes, kSignature + 8, 4), BigAt(bytes, kSignature + 12, 4));
}

// Segments follow each other until the frame's header, which says the size.
PictureHeader OfJpegFile(std::string_view bytes) {
  std::size_t at = 2;
  for (int segment = 0; segment < kJpegSegmentsMax && at + 4 <= bytes.size(); ++segment) {
    if (ByteAt(bytes, at) != 0xff) break;
    const std::uint32_t marker = ByteAt(bytes, at + 1);
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    const std::size_t length = BigAt(bytes, at + 2, 2);
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      if (length < 8 || at + 9 > bytes.size()) break;
      return Sized(kJpeg, BigAt(bytes, at + 7, 2), BigAt(bytes, at + 5, 2));
    }
    // A scan or the end before any frame: there is no size to find.
    if (length < 2 || marker == 0xda || marker == 0xd9) break;
    at += 2 + length;
  }
  return {.type = kJpeg};
}

PictureHeader OfWebpFile(std::string_view bytes) {
  constexpr std::size_t kChunk = 12, kInside = kChunk + 8;
  if (bytes.size() < kInside + 10) return {.type = kWebp};
  const std::string_view chunk = bytes.substr(kChunk, 4);
  if (chunk == "VP8X")
    return Sized(kWebp, LittleAt(bytes, kInside + 4, 3) + 1, LittleAt(bytes, kInside + 7, 3) + 1);
  if (chunk == "VP8L" && ByteAt(bytes, kInside) == 0x2f) {
    const std::uint32_t sides = LittleAt(bytes, kInside + 1, 4);
    return Sized(kWebp, (sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1);
  }
  if (chunk == "VP8 " && BigAt(bytes, kInside + 3, 3) == 0x9d012a)
    return Sized(kWebp, LittleAt(bytes, kInside + 6, 2) & 0x3fff, LittleAt(bytes, kInside + 8, 2) & 0x3fff);
  return {.type = kWebp};
}

PictureHeader OfGifFile(std::string_view bytes) {
  if (bytes.size() < 10) return {.type = kGif};
  return Sized(kGif, LittleAt(bytes, 6, 2), LittleAt(bytes, 8, 2));
}

}  // namespace

PictureHeader ReadPictureHeader(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return OfPngFile(bytes);
  if (bytes.starts_with("\xff\xd8\xff")) return OfJpegFile(bytes);
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP")
    return OfWebpFile(bytes);
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return OfGifFile(bytes);
  return {};
}

std::string_view PictureTypeName(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{kPng, "PNG"}, {kJpeg, "JPEG"}, {kWebp, "WebP"}, {kGif, "GIF"}}};
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return type;
}

}  // namespace ringway::gateway
