// Two pictures that stand for a film: a thumbnail, one frame from its middle, as WebP; a spritesheet, frames
// from its beginning to its end, row after row in a grid, as JPEG.
//
// A film does not say honestly how many frames it has, and is decoded once: every nth frame is kept, small,
// and when there are too many, every other one is let go and n doubles. So memory is bounded by the pictures
// that are made, not by the film, and what is kept is spread evenly. A thumbnail fits into kThumbnailSide
// squared, a sheet has at most kSheetTilesMax tiles that fit into kTileSide squared; nothing is enlarged.
// Deterministic with one version of the libraries. O(frames). Threads: values.
#ifndef RINGWAY_ENGINE_MEDIA_PREVIEW_H_
#define RINGWAY_ENGINE_MEDIA_PREVIEW_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::engine {

inline constexpr int kThumbnailSide = 640;  // pixels
inline constexpr int kTileSide = 320;
inline constexpr int kSheetTilesMax = 25;

enum class Preview : std::uint8_t { kThumbnail, kSpritesheet };
// "thumbnail", "spritesheet".
std::optional<Preview> PreviewOf(std::string_view name);

// The file. Errors: those of film_reader.h.
absl::StatusOr<std::string> MakePreview(std::string_view film, Preview preview);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_PREVIEW_H_
