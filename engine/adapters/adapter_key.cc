#include "engine/adapters/adapter_key.h"

#include <algorithm>
#include <utility>

namespace ringway::engine {
namespace {

using Ending = std::pair<std::string_view, AdapterRole>;
constexpr Ending kEndings[] = {{".lora_down.weight", AdapterRole::kDown},
                               {".lora_up.weight", AdapterRole::kUp},
                               {".lora_mid.weight", AdapterRole::kMid},
                               {".alpha", AdapterRole::kAlpha},
                               {".dora_scale", AdapterRole::kLengths},
                               {".lora_A.weight", AdapterRole::kDown},
                               {".lora_B.weight", AdapterRole::kUp},
                               {".lora_A.default.weight", AdapterRole::kDown},
                               {".lora_B.default.weight", AdapterRole::kUp},
                               {".lora_magnitude_vector", AdapterRole::kRowLengths},
                               {".lora_magnitude_vector.weight", AdapterRole::kRowLengths},
                               {".lora_magnitude_vector.default.weight", AdapterRole::kRowLengths},
                               {".lora.down.weight", AdapterRole::kDown},
                               {".lora.up.weight", AdapterRole::kUp},
                               {"_lora.down.weight", AdapterRole::kDown},
                               {"_lora.up.weight", AdapterRole::kUp},
                               {".lora_linear_layer.down.weight", AdapterRole::kDown},
                               {".lora_linear_layer.up.weight", AdapterRole::kUp}};

struct Prefix {
  std::string_view text, part;
  bool flattened;
};
constexpr Prefix kPrefixes[] = {{"lora_unet_", "unet", true},
                                {"lora_te_", "text_encoder", true},
                                {"lora_te1_", "text_encoder", true},
                                {"lora_te2_", "text_encoder_2", true},
                                {"unet.", "unet", false},
                                {"text_encoder.", "text_encoder", false},
                                {"text_encoder_2.", "text_encoder_2", false}};

void ReplaceEnd(std::string& name, std::string_view end, std::string_view by) {
  if (name.ends_with(end)) name.replace(name.size() - end.size(), end.size(), by);
}

// Keys of older releases say to_q of a text encoder, too, and count no outputs.
void TakeNameOfToday(AdaptedLayer& layer) {
  const std::string_view processor = ".processor.";
  if (const std::size_t at = layer.name.find(processor); at != std::string::npos)
    layer.name.replace(at, processor.size(), ".");
  if (layer.part == "unet") return ReplaceEnd(layer.name, ".to_out", ".to_out.0");
  ReplaceEnd(layer.name, ".to_q", ".q_proj");
  ReplaceEnd(layer.name, ".to_k", ".k_proj");
  ReplaceEnd(layer.name, ".to_v", ".v_proj");
  ReplaceEnd(layer.name, ".to_out", ".out_proj");
}

}  // namespace

std::optional<AdapterKey> ParseAdapterKey(std::string_view key) {
  for (const auto& [ending, role] : kEndings)
    if (key.ends_with(ending) && key.size() > ending.size())
      return AdapterKey{std::string(key.substr(0, key.size() - ending.size())), role};
  return std::nullopt;
}

AdaptedLayer LayerOf(std::string_view layer) {
  const std::string_view peft = "base_model.model.";
  if (layer.starts_with(peft)) layer.remove_prefix(peft.size());
  AdaptedLayer adapted{"unet", std::string(layer)};
  for (const Prefix& prefix : kPrefixes) {
    if (!layer.starts_with(prefix.text)) continue;
    adapted = {std::string(prefix.part), std::string(layer.substr(prefix.text.size())), prefix.flattened};
    break;
  }
  if (!adapted.flattened) TakeNameOfToday(adapted);
  return adapted;
}

std::string Flattened(std::string_view name) {
  std::string flat(name);
  std::replace(flat.begin(), flat.end(), '.', '_');
  return flat;
}

}  // namespace ringway::engine
