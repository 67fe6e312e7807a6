// What all encoders that take frames one by one share: several frames at once, and an end on request.
//
// Frames are handed to the threads of the engine's pool (cpu/parallel.h), one after the other, so that a long
// frame does not hold up the rest. What a frame becomes must not depend on the thread or on the other frames'
// pieces, so the file is the same for any number of threads. Memory: the pieces of all frames.
#ifndef RINGWAY_ENGINE_MEDIA_ENCODE_FRAMES_H_
#define RINGWAY_ENGINE_MEDIA_ENCODE_FRAMES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/media/encode.h"

namespace ringway::engine {

// piece(i) for every frame, in order; the first error of any. Cancelled when options.stop is asked for: a
// frame that has begun is finished, no other begins.
using FramePiece = std::function<absl::StatusOr<std::string>(std::size_t frame)>;
absl::StatusOr<std::vector<std::string>> EncodeFrames(std::size_t frames, const EncodeOptions& options,
                                                      const FramePiece& piece);

// Cancelled when options.stop is asked for; for encoders that take one frame after the other.
absl::Status CheckGoesOn(const EncodeOptions& options);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_ENCODE_FRAMES_H_
