#include "engine/pipelines/preview_part.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {

absl::Status PreviewPart::Prepare(const PipelineContext& context, const Autoencoder& vae,
                                  const std::string& directory, std::int64_t height, std::int64_t width) {
  if (!part_ || directory_ != directory) {
    const Component component{kTinyName, "diffusers", "AutoencoderTiny", directory};
    absl::StatusOr<Config> config = ReadComponentConfig(component);
    if (!config.ok()) return config.status();
    const std::string file = config->what();
    const absl::StatusOr<TinyVaeConfig> read = ReadTinyVaeConfig(*std::move(config));
    if (!read.ok()) return read.status();
    if (read->latent_channels != vae.latent_channels() || read->halvings() != vae.halvings())
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": reads ", read->latent_channels, " latent channels of a ", read->halvings(),
                       "th of the size, but the model's autoencoder has ", vae.latent_channels(), " of a ",
                       vae.halvings(), "th: they are of different models"));
    if (part_) context.open->Forget(directory_);
    part_.emplace(component);
    directory_ = directory;
    config_ = *read;
  }
  height_ = static_cast<int>(height * config_.halvings());
  width_ = static_cast<int>(width * config_.halvings());
  return part_->Prepare(context, {height, width}, {"encoder."}, [&](WeightSource& source) {
    return BuildTinyDecoder(config_, source, height, width);
  });
}

Picture PreviewPart::Show(std::span<const float> latents) {
  const auto input = part_->plan().Input("latent");
  std::ranges::transform(latents, input.begin(),
                         [&](float x) { return x / static_cast<float>(config_.scaling_factor); });
  SquashTinyLatents(input);
  part_->plan().Run();
  Picture picture = Picture::Blank(width_, height_);
  std::ranges::transform(part_->plan().Output("picture"), picture.rgb.begin(), [](float x) {
    return static_cast<std::uint8_t>(std::clamp(std::lround(x * 255.0f), 0L, 255L));
  });
  return picture;
}

}  // namespace ringway::engine
