#include "router/videos/book/film_type.h"

#include <algorithm>
#include <cctype>

namespace ringway::router::videos {
namespace {

constexpr FilmType kTypes[] = {
    {"video/mp4", "mp4", "inline"},   {"video/webm", "webm", "inline"}, {"image/gif", "gif", "inline"},
    {"image/webp", "webp", "inline"}, {"image/png", "png", "inline"},   {"image/apng", "apng", "inline"},
    {"image/jpeg", "jpg", "inline"},
};
constexpr FilmType kBytes = {"application/octet-stream", "bin", "attachment"};

bool Same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

FilmType FilmTypeOf(std::string_view said) {
  said = said.substr(0, said.find(';'));
  while (said.ends_with(' ')) said.remove_suffix(1);
  for (const FilmType& known : kTypes) {
    if (Same(known.type, said)) return known;
  }
  return kBytes;
}

}  // namespace ringway::router::videos
