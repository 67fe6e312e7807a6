// How large a film is and how long it runs, from its own bytes: what was made, not what was asked for.
//
// Only what stands in the structure of a file is read: the screen and the delays of a GIF, the header and
// frame controls of a PNG, the canvas and frames of a WebP, the movie and track headers of an MP4. Nothing is
// decoded. A file that is cut off or lies gives what was found before, and zeros for the rest; other types
// give zeros.
//
// Sources: GIF89a; PNG, third edition; the WebP container; ISO/IEC 14496-12. Pure: the bytes are read by an
// argument. Bounds: kStepsMax blocks. Complexity: linear in the blocks, and in the bytes of a GIF. Threads:
// values.
#ifndef RINGWAY_GATEWAY_JOBS_FILM_FACTS_H_
#define RINGWAY_GATEWAY_JOBS_FILM_FACTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ringway::gateway {

struct FilmFacts {
  std::uint32_t width = 0;  // 0: not known
  std::uint32_t height = 0;
  double seconds = 0;  // 0: not known, or a still picture

  // "1280x720", "2.5"; empty: not known.
  std::string Size() const;
  std::string SecondsText() const;
};

// At most `count` bytes from `offset`; fewer at the end.
using ReadFilm = std::function<std::string(std::uint64_t offset, std::size_t count)>;

// `type`: what the worker said that it is.
FilmFacts FactsOf(std::string_view type, std::uint64_t bytes, const ReadFilm& read);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_FILM_FACTS_H_
