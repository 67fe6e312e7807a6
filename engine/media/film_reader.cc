#include "engine/media/film_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

class StillFilm final : public FilmReader {
 public:
  explicit StillFilm(Picture picture) : picture_(std::move(picture)) {}
  absl::StatusOr<bool> Next() override { return !std::exchange(shown_, true); }
  int width() const override { return picture_.width; }
  int height() const override { return picture_.height; }
  absl::StatusOr<Picture> Shown(int width, int height) override { return Resize(picture_, width, height); }

 private:
  const Picture picture_;
  bool shown_ = false;
};

absl::StatusOr<std::unique_ptr<FilmReader>> OpenStill(std::string_view bytes) {
  auto picture = DecodePicture(bytes);
  if (!picture.ok()) return picture.status();
  if (absl::Status fits = CheckFilmSize(picture->width, picture->height); !fits.ok()) return fits;
  return std::make_unique<StillFilm>(*std::move(picture));
}

// The frame count of an animated PNG stands before its first frame (PNG, 11.3.6.1).
bool IsAnimatedPng(std::string_view bytes) {
  const std::size_t frames = bytes.find("acTL");
  return frames != std::string_view::npos && frames < bytes.find("IDAT");
}

}  // namespace

absl::Status CheckFilmSize(std::int64_t width, std::int64_t height) {
  const bool fits = width > 0 && height > 0 && width <= kFilmSideMax && height <= kFilmSideMax &&
                    width * height <= kFilmPixelsMax;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("film of ", width, " x ", height, " pixels; at most ",
                                                 kFilmSideMax, " a side and ", kFilmPixelsMax,
                                                 " in all are read"));
}

absl::StatusOr<std::unique_ptr<FilmReader>> OpenFilm(std::string_view bytes) {
  switch (SniffPicture(bytes)) {
    case PictureFormat::kWebp:
      return OpenWebpFilm(bytes);
    case PictureFormat::kJpeg:
      return OpenStill(bytes);
    case PictureFormat::kPng:
      return IsAnimatedPng(bytes) ? OpenLibavFilm(bytes) : OpenStill(bytes);
    case PictureFormat::kUnknown:
      return OpenLibavFilm(bytes);
  }
  return absl::InvalidArgumentError("unknown format");
}

#ifndef RINGWAY_HAS_LIBAV
absl::StatusOr<std::unique_ptr<FilmReader>> OpenLibavFilm(std::string_view) {
  return absl::UnimplementedError("this build reads WebP, PNG and JPEG alone: libavformat-dev was not there");
}
#endif

}  // namespace ringway::engine
