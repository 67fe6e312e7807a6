// Stable Video Diffusion's UNet (diffusers: UNetSpatioTemporalConditionModel), the class the bundled model
// belongs to.
//
// Inputs of the graph: "sample" [clips * frames, h, w, in], "time" [1], "added" [3 * clips] (frames per
// second, motion bucket, noise augmentation), "context" [clips, tokens, 1, d]. Output: "prediction" [clips *
// frames, h, w, out]. The released weights have one context token, from the picture; the class takes any
// number, from text too.
#ifndef RINGWAY_ENGINE_NETWORKS_UNET_SVD_H_
#define RINGWAY_ENGINE_NETWORKS_UNET_SVD_H_

#include "engine/networks/spatio_temporal.h"
#include "engine/networks/unet_layout.h"

namespace ringway::engine {

struct SvdUNetConfig {
  UNetLayout layout;
  std::int64_t added_channels = 256;   // of the sinusoid of each added number
  std::int64_t added_embedding = 768;  // all of them together
};
absl::StatusOr<SvdUNetConfig> ReadSvdUNetConfig(Config config);

struct ClipSize {
  ClipShape clip;
  std::int64_t height = 64, width = 64;
};
Graph BuildSvdUNet(const SvdUNetConfig& config, WeightSource& weights, const ClipSize& size,
                   std::int64_t tokens);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_UNET_SVD_H_
