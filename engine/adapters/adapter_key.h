// One key of a LoRA file, taken apart: the layer that it adapts, and what of it the tensor is.
//
// Knows the dialects and nothing of shapes. A layer is found among the names that the model has: kohya's keys
// have lost their dots, so all names of a part are flattened once and looked up.
//
// Pure, O(length) a key.
#ifndef RINGWAY_ENGINE_ADAPTERS_ADAPTER_KEY_H_
#define RINGWAY_ENGINE_ADAPTERS_ADAPTER_KEY_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringway::engine {

enum class AdapterRole : std::uint8_t { kDown, kUp, kMid, kAlpha, kLengths, kRowLengths };

struct AdapterKey {
  std::string layer;  // with its part, as the file has it
  AdapterRole role = AdapterRole::kDown;
};
// Nothing where the key is of no known kind.
std::optional<AdapterKey> ParseAdapterKey(std::string_view key);

struct AdaptedLayer {
  std::string part;  // "unet"
  std::string name;  // "down_blocks.0. ... .to_q", or kohya's without dots
  bool flattened = false;
};
AdaptedLayer LayerOf(std::string_view layer);

// "a.b.c" -> "a_b_c"
std::string Flattened(std::string_view name);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ADAPTERS_ADAPTER_KEY_H_
