// What the bundled model's denoiser is told about the photo: a few convolutions over it, run once a clip.
//
// Inputs of the graph: "planes" [1, size, size, 8] (red, green, blue in [-1, 1]; x and y of the cell's centre
// in
// [-1, 1]; matte in [-1, 1]; a plane of ones if there is a matte; a plane of ones if there is a picture) and
// "summary" [1, d], the text encoder's last row. Output: "planes" [1, size / 8, size / 8, out], which the
// UNet reads beside the noisy field of every frame. Names and shapes are those of tools/training/model.py
// (Conditioner).
#ifndef RINGWAY_ENGINE_NETWORKS_MOTION_CONDITIONER_H_
#define RINGWAY_ENGINE_NETWORKS_MOTION_CONDITIONER_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct MotionConditionerConfig {
  static constexpr std::int64_t kInputs = 8;
  std::int64_t picture_size = 64;
  std::vector<std::int64_t> channels = {32, 64, 96};
  std::int64_t text_channels = 96, out_channels = 48;

  std::int64_t out_size() const { return picture_size / 8; }
};
absl::StatusOr<MotionConditionerConfig> ReadMotionConditionerConfig(Config config);

Graph BuildMotionConditioner(const MotionConditionerConfig& config, WeightSource& weights);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_MOTION_CONDITIONER_H_
