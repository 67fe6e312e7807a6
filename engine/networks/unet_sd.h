// Stable Diffusion 1.x's UNet (diffusers: UNet2DConditionModel), the base of AnimateDiff, ControlNet and
// LoRA.
//
// Inputs of the graph: "sample" [pictures, h, w, in], "time" [1] (the training time step), "context"
// [pictures, tokens, 1, d]. Output: "prediction" [pictures, h, w, out]. Projections in and out of a
// transformer are 1x1 convolutions or, with use_linear_projection, linear layers; both multiply the same way
// in this layout and differ only in the stored shape.
#ifndef RINGWAY_ENGINE_NETWORKS_UNET_SD_H_
#define RINGWAY_ENGINE_NETWORKS_UNET_SD_H_

#include "engine/networks/unet_layout.h"

namespace ringway::engine {

struct SdUNetConfig {
  UNetLayout layout;
  bool linear_projection = false;
};
absl::StatusOr<SdUNetConfig> ReadSdUNetConfig(Config config);

struct PictureSize {
  std::int64_t count = 1, height = 64, width = 64;
};
// The graph's status tells what is missing in the weights.
Graph BuildSdUNet(const SdUNetConfig& config, WeightSource& weights, const PictureSize& size,
                  std::int64_t tokens);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_UNET_SD_H_
