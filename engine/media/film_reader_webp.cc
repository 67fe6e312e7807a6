#include <webp/decode.h>
#include <webp/demux.h>

#include "engine/media/decode.h"
#include "engine/media/film_reader.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

struct Free {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

class WebpFilm final : public FilmReader {
 public:
  WebpFilm(std::unique_ptr<WebPAnimDecoder, Free> decoder, int width, int height)
      : decoder_(std::move(decoder)), width_(width), height_(height) {}

  absl::StatusOr<bool> Next() override {
    int at_ms = 0;
    const bool more = frames_ < kFilmFramesMax && WebPAnimDecoderHasMoreFrames(decoder_.get()) != 0 &&
                      WebPAnimDecoderGetNext(decoder_.get(), &rgba_, &at_ms) != 0;
    if (!more && frames_ == 0) return absl::InvalidArgumentError("WebP film is damaged: it has no frame");
    if (more) ++frames_;
    return more;
  }
  int width() const override { return width_; }
  int height() const override { return height_; }
  // Transparency is laid over white, as everywhere here.
  absl::StatusOr<Picture> Shown(int width, int height) override {
    Picture picture = Picture::Blank(width_, height_);
    for (std::size_t pixel = 0; pixel < picture.rgb.size() / 3; ++pixel) {
      const int alpha = rgba_[pixel * 4 + 3];
      for (std::size_t c = 0; c < 3; ++c)
        picture.rgb[pixel * 3 + c] =
            static_cast<std::uint8_t>((rgba_[pixel * 4 + c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    return Resize(picture, width, height);
  }

 private:
  const std::unique_ptr<WebPAnimDecoder, Free> decoder_;
  const int width_;
  const int height_;
  std::uint8_t* rgba_ = nullptr;  // the decoder's canvas
  int frames_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FilmReader>> OpenWebpFilm(std::string_view bytes) {
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  // Before the decoder, which allocates two canvases of this size.
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data.bytes, data.size, &features) != VP8_STATUS_OK)
    return absl::InvalidArgumentError("WebP film is damaged: its header cannot be read");
  if (absl::Status fits = CheckFilmSize(features.width, features.height); !fits.ok()) return fits;
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options) == 0)
    return absl::InternalError("WebP: another version of the library");
  std::unique_ptr<WebPAnimDecoder, Free> decoder(WebPAnimDecoderNew(&data, &options));
  WebPAnimInfo info;
  if (decoder == nullptr || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0)
    return absl::InvalidArgumentError("WebP film is damaged or truncated");
  const auto width = static_cast<int>(info.canvas_width), height = static_cast<int>(info.canvas_height);
  if (absl::Status fits = CheckFilmSize(width, height); !fits.ok()) return fits;
  return std::make_unique<WebpFilm>(std::move(decoder), width, height);
}

}  // namespace ringway::engine
