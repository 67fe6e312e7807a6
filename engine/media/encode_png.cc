#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode.h"
#include "engine/media/png_stream.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kKeywordBytesMax = 79;  // PNG, 11.3.3.2

}  // namespace

absl::StatusOr<std::string> EncodePng(const Picture& picture, const PngTexts& texts) {
  Animation still;
  still.frames.push_back(picture);
  if (absl::Status status = CheckAnimation(still); !status.ok()) return status;
  const absl::StatusOr<std::string> pixels = CompressedPng(picture);
  if (!pixels.ok()) return pixels.status();
  std::string out = PngHeader(picture);
  for (const auto& [keyword, text] : texts) {
    if (keyword.empty() || keyword.size() > kKeywordBytesMax || text.find('\0') != std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat(
          "PNG: \"", keyword.substr(0, kKeywordBytesMax),
          "\" and its text must hold no zero byte, and the keyword 1 to ", kKeywordBytesMax, " bytes"));
    // iTXt: not compressed, no language; its text is UTF-8.
    AppendPngChunk("iTXt", absl::StrCat(keyword, std::string(5, '\0'), text), out);
  }
  AppendPngChunk("IDAT", *pixels, out);
  AppendPngChunk("IEND", "", out);
  return out;
}

}  // namespace ringway::engine
