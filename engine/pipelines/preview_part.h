// What a picture has come to while it is still being drawn, by a tiny autoencoder (tiny_vae.h).
//
// The directory (diffusers: AutoencoderTiny) is opened when a request names it, and kept until another one
// is; latent channels and sizes must be those of the model's autoencoder. What is shown is the solver's guess
// of the clean latents, and showing it changes nothing of what is drawn. One thread at a time.
#ifndef RINGWAY_ENGINE_PIPELINES_PREVIEW_PART_H_
#define RINGWAY_ENGINE_PIPELINES_PREVIEW_PART_H_

#include <optional>
#include <string>

#include "engine/networks/autoencoder.h"
#include "engine/pipelines/frozen_part.h"

namespace ringway::engine {

class PreviewPart {
 public:
  // For latents of this height and width. Errors: InvalidArgument that names the file.
  absl::Status Prepare(const PipelineContext& context, const Autoencoder& vae, const std::string& directory,
                       std::int64_t height, std::int64_t width);
  // After Prepare. `latents` in the scale that the UNet knows.
  Picture Show(std::span<const float> latents);

 private:
  std::string directory_;
  TinyVaeConfig config_;
  std::optional<FrozenPart> part_;
  int height_ = 0, width_ = 0;  // of the picture
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_PREVIEW_PART_H_
