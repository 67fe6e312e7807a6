// Model directories for tests: hashed weights under stock names, configurations as the exporters write them.
//
// MotionModel writes the bundled model's layout, small, with the configuration of
// golden/motion_field.safetensors; VideoModel a stock Stable Video Diffusion directory of a few channels.
// Both can be opened by Engine::Open and are random in all but their shapes.
#ifndef RINGWAY_TESTS_ENGINE_MODEL_FILES_H_
#define RINGWAY_TESTS_ENGINE_MODEL_FILES_H_

#include <cstdint>
#include <functional>

#include "tests/engine/checkpoint_files.h"
#include "tests/engine/hash_weights.h"

namespace ringway::engine {

struct MotionModelChoice {
  int steps = 3;
  double image_scale = 1.25, text_scale = 1.5;
};
// Returns the hash of all names and shapes (HashWeights::ListHash).
std::uint64_t WriteMotionModel(const ScratchFolder& folder, const MotionModelChoice& choice = {});

// What `build` asks for, into one file; `all` is asked for it too.
void WriteComponentWeights(const ScratchFolder& folder, const std::string& file, HashWeights& all,
                           const std::function<void(HashWeights&)>& build);

void WriteVideoModel(const ScratchFolder& folder);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_MODEL_FILES_H_
