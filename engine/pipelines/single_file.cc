#include "engine/pipelines/single_file.h"

#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/networks/original_names.h"
#include "engine/networks/unet_sd.h"

namespace ringway::engine {
namespace {

absl::StatusOr<OriginalNames> NamesOf(const Component& component) {
  absl::StatusOr<Config> config = ReadComponentConfig(component);
  if (!config.ok()) return config.status();
  if (component.name == "unet") {
    const absl::StatusOr<SdUNetConfig> unet = ReadSdUNetConfig(*std::move(config));
    if (!unet.ok()) return unet.status();
    return OriginalNames::OfUNet(unet->layout);
  }
  if (component.name == "vae") {
    const absl::StatusOr<VaeConfig> vae = ReadVaeConfig(*std::move(config));
    if (!vae.ok()) return vae.status();
    return OriginalNames::OfVae(*vae);
  }
  if (component.name == "text_encoder") return OriginalNames::OfText();
  return absl::InvalidArgumentError(
      absl::StrCat("a single file holds no \"", component.name, "\": open the model's directory"));
}

bool IsGgufFile(const std::filesystem::path& file) {
  char magic[4] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof(magic));
  return std::string_view(magic, sizeof(magic)) == "GGUF";
}

}  // namespace

absl::StatusOr<Weights> OpenFromSingleFile(const std::filesystem::path& file, const Component& component) {
  absl::StatusOr<Weights> whole = Weights::Open(file);
  if (!whole.ok()) return whole.status();
  const absl::StatusOr<OriginalNames> names = NamesOf(component);
  if (!names.ok()) return names.status();
  if (whole->Find("cond_stage_model.model.ln_final.weight") != nullptr ||
      whole->Find("conditioner.embedders.0.transformer.text_model.final_layer_norm.weight") != nullptr)
    return absl::InvalidArgumentError(absl::StrCat(file.string(),
                                                   ": is of Stable Diffusion 2.x or XL; single files are "
                                                   "read of 1.x only: open its diffusers directory"));
  const bool bare = component.name == "unet" && whole->Has("input_blocks.0.0.weight");
  absl::StatusOr<Weights> part = whole->Selected([&](std::string_view name) {
    return names->StockName(bare ? absl::StrCat("model.diffusion_model.", AbslView(name))
                                 : std::string(name));
  });
  if (!part.ok()) return part.status();
  if (!part->All().empty()) return part;
  // Files of stable-diffusion.cpp often hold the UNet alone: the other parts are those of the directory.
  if (IsGgufFile(file)) return Weights::OpenComponent(component.directory);
  return absl::NotFoundError(
      absl::StrCat(file.string(), ": holds no ", component.name,
                   " in the original layout of Stable Diffusion 1.x (model.diffusion_model., "
                   "first_stage_model., cond_stage_model.)"));
}

}  // namespace ringway::engine
