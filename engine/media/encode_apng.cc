// APNG 1.0 (https://wiki.mozilla.org/APNG_Specification): acTL announces the frames, fcTL precedes each, the
// first frame is an ordinary IDAT and the others are fdAT with a sequence number.
#include "absl/status/status.h"
#include "engine/media/encode_frames.h"
#include "engine/media/png_stream.h"

namespace ringway::engine {
namespace {

void AppendFrameControl(const Picture& frame, std::uint32_t sequence, int delay_ms, std::string& out) {
  std::string control;
  for (const std::uint32_t n :
       {sequence, static_cast<std::uint32_t>(frame.width), static_cast<std::uint32_t>(frame.height), 0u, 0u})
    AppendPngNumber(n, 4, control);
  AppendPngNumber(static_cast<std::uint32_t>(delay_ms), 2, control);
  AppendPngNumber(1000, 2, control);
  control.append(2, '\0');  // leave the frame, replace all
  AppendPngChunk("fcTL", control, out);
}

}  // namespace

absl::StatusOr<std::string> EncodeApng(const Animation& animation, const EncodeOptions& options) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  const auto frames = EncodeFrames(animation.frames.size(), options,
                                   [&](std::size_t i) { return CompressedPng(animation.frames[i]); });
  if (!frames.ok()) return frames.status();
  std::string out = PngHeader(animation.frames[0]);
  std::string control;
  AppendPngNumber(static_cast<std::uint32_t>(animation.frames.size()), 4, control);
  AppendPngNumber(0, 4, control);  // play for ever
  AppendPngChunk("acTL", control, out);
  std::uint32_t sequence = 0;
  for (std::size_t i = 0; i < animation.frames.size(); ++i) {
    const std::string& pixels = (*frames)[i];
    AppendFrameControl(animation.frames[i], sequence++, animation.delay_ms, out);
    if (i == 0) {
      AppendPngChunk("IDAT", pixels, out);
    } else {
      std::string numbered;
      AppendPngNumber(sequence++, 4, numbered);
      AppendPngChunk("fdAT", numbered + pixels, out);
    }
  }
  AppendPngChunk("IEND", "", out);
  return out;
}

}  // namespace ringway::engine
