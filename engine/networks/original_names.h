// The names of Stable Diffusion 1.x in its original layout, one file for the whole model, as stock names.
//
//   model.diffusion_model.   the UNet: input_blocks, middle_block, output_blocks, numbered through all levels
//   first_stage_model.       the autoencoder: encoder.down, decoder.up (counted from below), mid
//   cond_stage_model.        CLIP's text encoder, under transformers' names
//
// Which number is which block follows from the layout (unet_layout.h), so the names are made from it and not
// listed. Matrices that the autoencoder stores as kernels of one tap are read as matrices; the numbers are
// the same. A name of the part that has no counterpart keeps its own, so that whoever opens the part finds
// it untaken and says so; names of other parts, schedules and averages (model_ema.) are nothing. O(log
// names).
#ifndef RINGWAY_ENGINE_NETWORKS_ORIGINAL_NAMES_H_
#define RINGWAY_ENGINE_NETWORKS_ORIGINAL_NAMES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/networks/unet_layout.h"
#include "engine/networks/vae.h"

namespace ringway::engine {

class OriginalNames {
 public:
  static OriginalNames OfUNet(const UNetLayout& layout);
  static OriginalNames OfVae(const VaeConfig& config);
  static OriginalNames OfText();

  std::optional<std::string> StockName(std::string_view original) const;
  // Without the part's prefix; nothing where the original has no such name.
  std::optional<std::string> OriginalName(std::string_view stock) const;

 private:
  explicit OriginalNames(std::string_view part) : part_(part) {}
  std::string_view part_;                                   // the prefix of all names
  std::map<std::string, std::string, std::less<>> blocks_;  // original prefix -> stock prefix
  std::map<std::string, std::string, std::less<>> layers_;  // within a block, by what follows its prefix
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_ORIGINAL_NAMES_H_
