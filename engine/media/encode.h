// From frames to a file that plays anywhere: GIF, APNG or animated WebP, in memory, looping for ever; MP4
// where the build found libav (RINGWAY_HAS_LIBAV).
//
// GIF: one palette for the whole animation (median cut over a 15-bit histogram of all frames; Heckbert,
// SIGGRAPH 1982) so that still regions do not flicker, an ordered 8x8 dither that stays in place from frame
// to frame, and only the rectangle that changed is written, with unchanged pixels transparent. APNG:
// lossless, written here chunk by chunk over zlib. WebP: libwebp. MP4: H.264. MP4 and lossless WebP take one
// thread, the others as many as they are given. All are deterministic: the same frames give the same bytes
// with the same library versions, for any number of threads. O(pixels); memory: the frames plus the file, for
// GIF one byte a pixel more. Who asks to stop gets Cancelled after the frames in hand.
#ifndef RINGWAY_ENGINE_MEDIA_ENCODE_H_
#define RINGWAY_ENGINE_MEDIA_ENCODE_H_

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/media/picture.h"

namespace ringway::engine {

enum class AnimationFormat : std::uint8_t { kGif, kApng, kWebp, kMp4 };
// "gif", "apng" or "png", "webp", "mp4" if it was built in; nothing for other endings.
std::optional<AnimationFormat> AnimationFormatOf(std::string_view file_ending);
// "gif, apng, webp", for messages.
const char* AnimationFormatNames();
// Where an order names none: MP4 if it was built in, else GIF.
AnimationFormat DefaultAnimationFormat();

struct EncodeOptions {
  int threads = 1;
  std::stop_token stop = {};
};

// InvalidArgument when there are no frames, too many, or frames of different sizes; Cancelled when stopped.
absl::StatusOr<std::string> EncodeAnimation(const Animation& animation, AnimationFormat format,
                                            const EncodeOptions& options = {});

absl::StatusOr<std::string> EncodeGif(const Animation& animation, const EncodeOptions& options = {});
absl::StatusOr<std::string> EncodeApng(const Animation& animation, const EncodeOptions& options = {});
// What is said about a picture beside it: keywords, 1 to 79 letters of Latin-1, and texts in UTF-8.
using PngTexts = std::vector<std::pair<std::string, std::string>>;
// A still picture; lossless. InvalidArgument for texts that hold a zero byte.
absl::StatusOr<std::string> EncodePng(const Picture& picture, const PngTexts& texts = {});

// quality: 0 to 100, lossy; nothing means lossless.
absl::StatusOr<std::string> EncodeWebp(const Animation& animation, std::optional<float> quality,
                                       const EncodeOptions& options = {});
// Still pictures, lossy; quality: 0 to 100. Internal: no memory, or larger than the format can be.
absl::StatusOr<std::string> EncodeStillWebp(const Picture& picture, float quality);
absl::StatusOr<std::string> EncodeJpeg(const Picture& picture, int quality);

// H.264 by libav; Unimplemented in a build without it, InvalidArgument when a side is odd.
absl::StatusOr<std::string> EncodeMp4(const Animation& animation, const EncodeOptions& options = {});

absl::Status CheckAnimation(const Animation& animation);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_ENCODE_H_
