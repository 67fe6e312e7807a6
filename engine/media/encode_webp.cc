// Lossless films go through libwebp's animation encoder, which stores only what changed. Lossy ones do not:
// its idea of what has not changed is generous, so that a slowly moving gradient comes out as a patchwork of
// old blocks and frames that differ little are left out. There every frame is a whole picture.
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode_frames.h"

namespace ringway::engine {
namespace {

constexpr int kWebpSideMax = 16'383;
constexpr char kNoFrame[] = "a frame could not be encoded; is there memory left?";

struct Free {
  void operator()(WebPPicture* picture) const {
    WebPPictureFree(picture);
    delete picture;
  }
  void operator()(WebPMemoryWriter* writer) const {
    WebPMemoryWriterClear(writer);
    delete writer;
  }
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
  void operator()(WebPMux* mux) const { WebPMuxDelete(mux); }
};
using OwnedPicture = std::unique_ptr<WebPPicture, Free>;

// Null: no memory, or another version of the library.
OwnedPicture Import(const Picture& frame) {
  OwnedPicture picture(new WebPPicture);
  if (WebPPictureInit(picture.get()) == 0) return nullptr;
  picture->width = frame.width;
  picture->height = frame.height;
  picture->use_argb = 1;
  if (WebPPictureImportRGB(picture.get(), frame.rgb.data(), frame.width * 3) == 0) return nullptr;
  return picture;
}

std::string TakeBytes(WebPData& file) {
  std::string bytes(reinterpret_cast<const char*>(file.bytes), file.size);
  WebPDataClear(&file);
  return bytes;
}

absl::Status Failed(const char* why) { return absl::InternalError(absl::StrCat("WebP: ", why)); }

absl::StatusOr<std::string> EncodeLossless(const Animation& animation, const WebPConfig& config,
                                           const EncodeOptions& options) {
  const Picture& first = animation.frames[0];
  WebPAnimEncoderOptions how;
  if (WebPAnimEncoderOptionsInit(&how) == 0) return Failed("another version of the library");
  const std::unique_ptr<WebPAnimEncoder, Free> encoder(WebPAnimEncoderNew(first.width, first.height, &how));
  if (encoder == nullptr) return Failed("the encoder cannot start");
  int at_ms = 0;
  bool ok = true;
  for (std::size_t i = 0; ok && i < animation.frames.size(); ++i, at_ms += animation.delay_ms) {
    if (absl::Status status = CheckGoesOn(options); !status.ok()) return status;
    const OwnedPicture picture = Import(animation.frames[i]);
    ok = picture != nullptr && WebPAnimEncoderAdd(encoder.get(), picture.get(), at_ms, &config) != 0;
  }
  WebPData file;
  WebPDataInit(&file);
  ok = ok && WebPAnimEncoderAdd(encoder.get(), nullptr, at_ms, nullptr) != 0 &&
       WebPAnimEncoderAssemble(encoder.get(), &file) != 0;
  if (!ok) return Failed(WebPAnimEncoderGetError(encoder.get()));
  return TakeBytes(file);
}

// One whole picture, as a file of its own.
absl::StatusOr<std::string> Still(const Picture& frame, const WebPConfig& config) {
  const OwnedPicture picture = Import(frame);
  const std::unique_ptr<WebPMemoryWriter, Free> writer(new WebPMemoryWriter);
  WebPMemoryWriterInit(writer.get());
  if (picture == nullptr) return Failed(kNoFrame);
  picture->writer = WebPMemoryWrite;
  picture->custom_ptr = writer.get();
  if (WebPEncode(&config, picture.get()) == 0) return Failed(kNoFrame);
  return std::string(reinterpret_cast<const char*>(writer->mem), writer->size);
}

bool PushFrame(WebPMux* mux, const std::string& still, int delay_ms) {
  WebPMuxFrameInfo info = {};
  info.bitstream = {reinterpret_cast<const std::uint8_t*>(still.data()), still.size()};
  info.duration = delay_ms;
  info.id = WEBP_CHUNK_ANMF;
  info.dispose_method = WEBP_MUX_DISPOSE_NONE;
  info.blend_method = WEBP_MUX_NO_BLEND;
  return WebPMuxPushFrame(mux, &info, 1) == WEBP_MUX_OK;  // copies
}

absl::StatusOr<std::string> EncodeLossy(const Animation& animation, const WebPConfig& config,
                                        const EncodeOptions& options) {
  const auto still = [&](std::size_t i) { return Still(animation.frames[i], config); };
  const auto stills = EncodeFrames(animation.frames.size(), options, still);
  if (!stills.ok()) return stills.status();
  const std::unique_ptr<WebPMux, Free> mux(WebPMuxNew());
  bool ok = mux != nullptr;
  for (std::size_t i = 0; ok && i < stills->size(); ++i)
    ok = PushFrame(mux.get(), (*stills)[i], animation.delay_ms);
  const WebPMuxAnimParams forever = {.bgcolor = 0xffffffff, .loop_count = 0};
  WebPData file;
  WebPDataInit(&file);
  ok = ok && WebPMuxSetAnimationParams(mux.get(), &forever) == WEBP_MUX_OK &&
       WebPMuxAssemble(mux.get(), &file) == WEBP_MUX_OK;
  if (!ok) return Failed(kNoFrame);
  return TakeBytes(file);
}

}  // namespace

absl::StatusOr<std::string> EncodeStillWebp(const Picture& picture, float quality) {
  WebPConfig config;
  if (WebPConfigInit(&config) == 0) return Failed("another version of the library");
  config.quality = quality;
  return Still(picture, config);
}

absl::StatusOr<std::string> EncodeWebp(const Animation& animation, std::optional<float> quality,
                                       const EncodeOptions& options) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  const Picture& first = animation.frames[0];
  if (first.width > kWebpSideMax || first.height > kWebpSideMax)
    return absl::InvalidArgumentError(absl::StrCat("WebP holds at most ", kWebpSideMax, " pixels a side"));
  WebPConfig config;
  if (WebPConfigInit(&config) == 0) return Failed("another version of the library");
  config.quality = quality.value_or(75.0f);
  config.lossless = quality ? 0 : 1;
  config.exact = 1;
  return quality ? EncodeLossy(animation, config, options) : EncodeLossless(animation, config, options);
}

}  // namespace ringway::engine
