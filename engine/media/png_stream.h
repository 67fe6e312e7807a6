// The parts that a PNG and an animated PNG share: chunks, the header, and a picture's filtered, compressed
// rows.
//
// After the PNG specification (W3C, third edition): a chunk is its length, its kind, its content and a CRC-32
// of the last two; numbers are big-endian. Each row is written with the filter whose result is smoothest, and
// the rows are compressed by runs. Deterministic with one version of zlib. O(pixels).
#ifndef RINGWAY_ENGINE_MEDIA_PNG_STREAM_H_
#define RINGWAY_ENGINE_MEDIA_PNG_STREAM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/media/picture.h"

namespace ringway::engine {

// `width`: bytes.
void AppendPngNumber(std::uint32_t n, int width, std::string& out);
// `kind`: four letters.
void AppendPngChunk(std::string_view kind, std::string_view content, std::string& out);
// The signature and IHDR.
std::string PngHeader(const Picture& picture);
// The content of its IDAT.
absl::StatusOr<std::string> CompressedPng(const Picture& picture);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_PNG_STREAM_H_
