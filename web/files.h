// The dashboard's files, embedded into the program that serves them.
//
// The build turns every file that web/CMakeLists.txt lists into bytes in the binary, so that a controller
// needs nothing beside itself and page and server are always of one release. Paths are as a browser asks for
// them; index.html is "/". Tags change with the content and serve as ETag.
//
// Threads: constants.
#ifndef RINGWAY_WEB_FILES_H_
#define RINGWAY_WEB_FILES_H_

#include <span>
#include <string_view>

namespace ringway::web {

struct File {
  std::string_view path;
  std::string_view content_type;
  std::string_view tag;  // quoted, as in the header field
  std::string_view bytes;
};

std::span<const File> Files();

}  // namespace ringway::web

#endif  // RINGWAY_WEB_FILES_H_
