#include "gateway/jobs/film_type.h"

#include "gateway/jobs/header_words.h"

namespace ringway::gateway {
namespace {

constexpr FilmType kTypes[] = {
    {"video/mp4", "mp4", "inline"},   {"video/webm", "webm", "inline"}, {"image/gif", "gif", "inline"},
    {"image/webp", "webp", "inline"}, {"image/png", "png", "inline"},   {"image/apng", "apng", "inline"},
    {"image/jpeg", "jpg", "inline"},
};
constexpr FilmType kBytes = {"application/octet-stream", "bin", "attachment"};

}  // namespace

FilmType FilmTypeOf(std::string_view said) {
  said = said.substr(0, said.find(';'));
  while (said.ends_with(' ')) said.remove_suffix(1);
  for (const FilmType& known : kTypes) {
    if (SameWord(known.type, said)) return known;
  }
  return kBytes;
}

const PreviewType* PreviewTypeOf(std::string_view variant) {
  for (const PreviewType& known : kPreviewTypes) {
    if (known.variant == variant) return &known;
  }
  return nullptr;
}

}  // namespace ringway::gateway
