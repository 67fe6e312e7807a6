#include "core/check.h"
#include "engine/media/decode.h"
#include "engine/media/exif.h"
#include "engine/media/film_reader.h"
#include "tests/engine/fuzz/targets.h"

namespace ringway::engine {
namespace {

constexpr int kFuzzFramesMax = 50;
constexpr int kFuzzSide = 16;

// What is accepted is a whole picture within the bounds.
bool Whole(const absl::StatusOr<Picture>& picture) {
  if (!picture.ok()) return false;
  const auto pixels = std::int64_t{picture->width} * picture->height;
  RINGWAY_CHECK(pixels > 0 && pixels <= kPicturePixelsMax);
  RINGWAY_CHECK(picture->rgb.size() == static_cast<std::size_t>(pixels) * 3);
  return true;
}

}  // namespace

bool FuzzPng(std::string_view bytes) { return Whole(DecodePng(bytes)); }
bool FuzzJpeg(std::string_view bytes) { return Whole(DecodeJpeg(bytes)); }
bool FuzzWebp(std::string_view bytes) { return Whole(DecodeWebp(bytes)); }
bool FuzzExif(std::string_view bytes) {
  const int orientation = ExifOrientation(bytes);
  RINGWAY_CHECK(orientation >= 1 && orientation <= 8);
  return orientation != 1;
}
bool FuzzFilm(std::string_view bytes) {
  auto film = OpenFilm(bytes);
  if (!film.ok()) return false;
  int frames = 0;
  for (auto more = (*film)->Next(); more.ok() && *more && frames < kFuzzFramesMax; more = (*film)->Next()) {
    ++frames;
    RINGWAY_CHECK(CheckFilmSize((*film)->width(), (*film)->height()).ok());
    const auto picture = (*film)->Shown(kFuzzSide, kFuzzSide);
    RINGWAY_CHECK(!picture.ok() || picture->rgb.size() == std::size_t{kFuzzSide} * kFuzzSide * 3);
  }
  return frames > 0;
}

}  // namespace ringway::engine
