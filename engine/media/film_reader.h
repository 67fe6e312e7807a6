// The frames of a film, one after the other, from bytes that nobody vouches for: MP4, WebM, GIF and APNG by
// libav, animated WebP by libwebp, and a still PNG, JPEG or WebP as a film of one frame.
//
// The format is told by its first bytes. Sides and pixels are bounded before anything of that size is
// allocated; a film has at most kFilmFramesMax frames. Only the demuxers and decoders of these formats are
// let in, on one thread, and nothing but the bytes is opened, whatever they refer to. An MP4 or APNG that
// breaks off has the frames before; other formats are wanted whole. Frames are asked for in a size, and only
// those that are asked for are converted.
//
// Time is not bounded here: who reads what strangers send does it in a process with limits (preview/main.cc).
// Without libav (RINGWAY_HAS_LIBAV), MP4, WebM and GIF are Unimplemented. Threads: one owner; `bytes`
// outlives the reader.
#ifndef RINGWAY_ENGINE_MEDIA_FILM_READER_H_
#define RINGWAY_ENGINE_MEDIA_FILM_READER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/media/picture.h"

namespace ringway::engine {

inline constexpr int kFilmSideMax = 8'192;
inline constexpr std::int64_t kFilmPixelsMax = 36'000'000;  // of a frame: 8K and a little
inline constexpr int kFilmFramesMax = 20'000;

class FilmReader {
 public:
  virtual ~FilmReader() = default;
  // Goes to the next frame; false: there is none any more. Errors: InvalidArgument, before the first frame
  // only.
  virtual absl::StatusOr<bool> Next() = 0;
  // Of the frame that Next went to, in pixels; within the bounds.
  virtual int width() const = 0;
  virtual int height() const = 0;
  // That frame in this size. Internal: no memory.
  virtual absl::StatusOr<Picture> Shown(int width, int height) = 0;
};

// Errors: InvalidArgument (no film that is understood, or one beyond the bounds), Unimplemented.
absl::StatusOr<std::unique_ptr<FilmReader>> OpenFilm(std::string_view bytes);

// The two behind it.
absl::StatusOr<std::unique_ptr<FilmReader>> OpenWebpFilm(std::string_view bytes);
absl::StatusOr<std::unique_ptr<FilmReader>> OpenLibavFilm(std::string_view bytes);

// OK when frames of this size may be decoded.
absl::Status CheckFilmSize(std::int64_t width, std::int64_t height);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_FILM_READER_H_
