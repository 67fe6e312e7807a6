#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode.h"

namespace ringway::engine {
namespace {

constexpr int kWebpSideMax = 16'383;

struct FreePicture {
  void operator()(WebPPicture* picture) const {
    WebPPictureFree(picture);
    delete picture;
  }
};

bool AddFrame(WebPAnimEncoder* encoder, const Picture& frame, int at_ms, const WebPConfig& config) {
  const std::unique_ptr<WebPPicture, FreePicture> picture(new WebPPicture);
  if (WebPPictureInit(picture.get()) == 0) return false;
  picture->width = frame.width;
  picture->height = frame.height;
  picture->use_argb = 1;
  return WebPPictureImportRGB(picture.get(), frame.rgb.data(), frame.width * 3) != 0 &&
         WebPAnimEncoderAdd(encoder, picture.get(), at_ms, &config) != 0;
}

}  // namespace

absl::StatusOr<std::string> EncodeWebp(const Animation& animation, std::optional<float> quality) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  const Picture& first = animation.frames[0];
  if (first.width > kWebpSideMax || first.height > kWebpSideMax)
    return absl::InvalidArgumentError(absl::StrCat("WebP holds at most ", kWebpSideMax, " pixels a side"));
  WebPConfig config;
  WebPAnimEncoderOptions options;
  if (WebPConfigInit(&config) == 0 || WebPAnimEncoderOptionsInit(&options) == 0)
    return absl::InternalError("WebP: the library has another version than the program was built for");
  config.quality = quality.value_or(75.0f);
  config.lossless = quality ? 0 : 1;
  config.exact = 1;
  const std::unique_ptr<WebPAnimEncoder, decltype(&WebPAnimEncoderDelete)> encoder(
      WebPAnimEncoderNew(first.width, first.height, &options), WebPAnimEncoderDelete);
  if (encoder == nullptr) return absl::InternalError("WebP: the encoder cannot start");
  int at_ms = 0;
  bool ok = true;
  for (std::size_t i = 0; ok && i < animation.frames.size(); ++i, at_ms += animation.delay_ms)
    ok = AddFrame(encoder.get(), animation.frames[i], at_ms, config);
  WebPData file;
  WebPDataInit(&file);
  ok = ok && WebPAnimEncoderAdd(encoder.get(), nullptr, at_ms, nullptr) != 0 &&
       WebPAnimEncoderAssemble(encoder.get(), &file) != 0;
  if (!ok) return absl::InternalError(absl::StrCat("WebP: ", WebPAnimEncoderGetError(encoder.get())));
  std::string out(reinterpret_cast<const char*>(file.bytes), file.size);
  WebPDataClear(&file);
  return out;
}

}  // namespace ringway::engine
