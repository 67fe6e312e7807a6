// What a client is told that a film is, from what its worker said.
//
// A browser does with an answer what its Content-Type says, and the answer comes from this router's origin: a
// worker that says text/html would have its film run there as a page. So only the types of films and pictures
// are passed on, without parameters; anything else is bytes to be saved. Nothing of the worker's own text
// gets out.
//
// Pure. Threads: values.
#ifndef RINGWAY_GATEWAY_JOBS_FILM_TYPE_H_
#define RINGWAY_GATEWAY_JOBS_FILM_TYPE_H_

#include <string_view>

namespace ringway::gateway {

struct FilmType {
  std::string_view type;
  std::string_view ending;       // of a file's name
  std::string_view disposition;  // "inline": may be shown; "attachment": is saved
};

FilmType FilmTypeOf(std::string_view said);

// Pictures that stand for a film, as `variant` of its content names them.
struct PreviewType {
  std::string_view variant;
  FilmType type;
};
inline constexpr PreviewType kPreviewTypes[] = {
    {"thumbnail", {"image/webp", "webp", "inline"}},
    {"spritesheet", {"image/jpeg", "jpg", "inline"}},
};
// Null: there is none of this name.
const PreviewType* PreviewTypeOf(std::string_view variant);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_FILM_TYPE_H_
