// A LoRA file: what it adds to which weights of a model, whatever the dialect of its keys.
//
//   kohya      lora_unet_down_blocks_0_..._to_q.{lora_down.weight, lora_up.weight, alpha}; lora_te_,
//   lora_te1_,
//              lora_te2_ for text encoders; blocks of XL's UNet also by their original numbers;
//              lora_mid.weight (LoCon of kernels), dora_scale
//   diffusers  unet.down_blocks.0. ... .to_q.{lora_A.weight, lora_B.weight, alpha, lora_magnitude_vector},
//              text_encoder. and text_encoder_2.; .lora.down, .lora_linear_layer.down,
//              .processor.to_q_lora.down and their up of older releases
//   peft       the same after base_model.model., with lora_alpha, r and use_rslora in adapter_config.json
//
// Without alpha the product counts as it is, in every dialect. Open checks everything before anything is
// used: every tensor must be of a known kind, belong to a layer that the model has, fit its shape, and have
// its partner; otherwise the file, the tensor, and what was expected are named and nothing is loaded. Numbers
// are read to f32 once: an adapter is as large in memory as its file, or twice. Immutable after Open.
#ifndef RINGWAY_ENGINE_ADAPTERS_ADAPTER_H_
#define RINGWAY_ENGINE_ADAPTERS_ADAPTER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/adapters/low_rank.h"
#include "engine/checkpoint/weights.h"

namespace ringway::engine {

// A part of a model that adapters may change, by its name in model_index.json.
struct AdaptedPart {
  std::string name;  // "unet", "text_encoder", "text_encoder_2"
  const Weights* weights = nullptr;
  // What kohya's scripts call a tensor beside its own name: XL's blocks have their original numbers there.
  std::function<std::optional<std::string>(std::string_view)> other_name = {};
};

class Adapter {
 public:
  using Deltas = std::map<std::string, LowRank, std::less<>>;  // by the model's tensor

  // `file` names it in errors; its directory may hold adapter_config.json.
  static absl::StatusOr<std::shared_ptr<const Adapter>> Read(const Weights& weights,
                                                             const std::filesystem::path& file,
                                                             const std::vector<AdaptedPart>& parts);
  // What it changes of the part; nothing where it leaves it alone.
  const Deltas& Of(std::string_view part) const;
  std::size_t bytes() const { return bytes_; }

 private:
  std::map<std::string, Deltas, std::less<>> parts_;
  std::size_t bytes_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ADAPTERS_ADAPTER_H_
