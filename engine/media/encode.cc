#include "engine/media/encode.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr float kWebpQuality = 85.0f;
#ifdef RINGWAY_HAS_LIBAV
constexpr bool kHasMp4 = true;
#else
constexpr bool kHasMp4 = false;
#endif

}  // namespace

std::optional<AnimationFormat> AnimationFormatOf(std::string_view file_ending) {
  if (file_ending == "gif") return AnimationFormat::kGif;
  if (file_ending == "apng" || file_ending == "png") return AnimationFormat::kApng;
  if (file_ending == "webp") return AnimationFormat::kWebp;
  if (file_ending == "mp4" && kHasMp4) return AnimationFormat::kMp4;
  return std::nullopt;
}

const char* AnimationFormatNames() { return kHasMp4 ? "gif, apng, webp, mp4" : "gif, apng, webp"; }

AnimationFormat DefaultAnimationFormat() { return kHasMp4 ? AnimationFormat::kMp4 : AnimationFormat::kGif; }

absl::Status CheckAnimation(const Animation& animation) {
  const std::size_t frames = animation.frames.size();
  if (frames == 0 || frames > kAnimationFramesMax)
    return absl::InvalidArgumentError(
        absl::StrCat("animation of ", frames, " frames; 1 to ", kAnimationFramesMax, " are allowed"));
  const Picture& first = animation.frames.front();
  const std::int64_t pixels = std::int64_t{first.width} * first.height;
  if (first.width <= 0 || first.height <= 0 || first.width > kPictureSideMax ||
      first.height > kPictureSideMax || pixels * static_cast<std::int64_t>(frames) > kAnimationPixelsMax)
    return absl::InvalidArgumentError(absl::StrCat("animation of ", frames, " frames of ", first.width, " x ",
                                                   first.height, "; at most ", kAnimationPixelsMax,
                                                   " pixels in all"));
  for (const Picture& frame : animation.frames)
    if (frame.width != first.width || frame.height != first.height || frame.rgb.size() != first.rgb.size())
      return absl::InvalidArgumentError("animation has frames of different sizes");
  if (animation.delay_ms < 1 || animation.delay_ms > 60'000)
    return absl::InvalidArgumentError(
        absl::StrCat("animation has ", animation.delay_ms, " ms between frames; 1 to 60000 are allowed"));
  return absl::OkStatus();
}

#ifndef RINGWAY_HAS_LIBAV
absl::StatusOr<std::string> EncodeMp4(const Animation&, const EncodeOptions&) {
  return absl::UnimplementedError(
      "this build has no MP4: libavformat-dev was not there when it was configured");
}
#endif

absl::StatusOr<std::string> EncodeAnimation(const Animation& animation, AnimationFormat format,
                                            const EncodeOptions& options) {
  switch (format) {
    case AnimationFormat::kGif:
      return EncodeGif(animation, options);
    case AnimationFormat::kApng:
      return EncodeApng(animation, options);
    case AnimationFormat::kWebp:
      return EncodeWebp(animation, kWebpQuality, options);
    case AnimationFormat::kMp4:
      return EncodeMp4(animation, options);
  }
  return absl::InvalidArgumentError("unknown animation format");
}

}  // namespace ringway::engine
