// The UNet of Stable Diffusion 1.x, 2.x and XL (diffusers: UNet2DConditionModel), the base of AnimateDiff,
// ControlNet and LoRA.
//
// Inputs of the graph: "sample" [pictures, h, w, in], "time" [1] (the training time step), "context"
// [pictures, tokens, 1, d]. Output: "prediction" [pictures, h, w, out]. Projections in and out of a
// transformer are 1x1 convolutions or, with use_linear_projection, linear layers; both multiply the same way
// in this layout and differ only in the stored shape. Latent consistency models were distilled with the
// strength of guidance as an input: "guidance" [1, guidance_channels], a sinusoid (GuidanceEmbedding); others
// have none. XL is told more (Podell et al., arXiv:2307.01952): "summary" [pictures, summary_channels] of the
// prompt, and "sizes" [6 * pictures], of the picture before and after it was cropped, embedded like the time
// and added to it. A configuration that asks for what none of these has (classes, other activations) is
// refused.
#ifndef RINGWAY_ENGINE_NETWORKS_UNET_SD_H_
#define RINGWAY_ENGINE_NETWORKS_UNET_SD_H_

#include <span>
#include <vector>

#include "engine/networks/motion_modules.h"
#include "engine/networks/unet_layout.h"

namespace ringway::engine {

struct SdUNetConfig {
  UNetLayout layout;
  bool linear_projection = false;
  std::int64_t guidance_channels = 0;  // "time_cond_proj_dim"
  std::int64_t size_channels = 0;      // XL: of the sinusoid of each size; 0: is not told
  std::int64_t summary_channels = 0;

  bool xl() const { return size_channels > 0; }
};
absl::StatusOr<SdUNetConfig> ReadSdUNetConfig(Config config);

// Of a control network (Zhang et al., arXiv:2302.05543; diffusers: ControlNetModel): a copy of the way down
// and of the middle, which sees a picture and says what is to be added to each skip.
struct ControlNetConfig {
  SdUNetConfig unet;
  std::vector<std::int64_t> condition_channels = {16, 32, 96, 256};  // of the picture's way to the latents
  std::int64_t picture_channels = 3;
};
absl::StatusOr<ControlNetConfig> ReadControlNetConfig(Config config);

// Of the strength less one (Luo et al., arXiv:2310.04378): sines first, of a thousand times the number.
void GuidanceEmbedding(double guidance, std::span<float> out);

struct PictureSize {
  std::int64_t count = 1, height = 64, width = 64;
};
// The graph's status tells what is missing in the weights. `controlled`: with the inputs of ControlInput.
Graph BuildSdUNet(const SdUNetConfig& config, WeightSource& weights, const PictureSize& size,
                  std::int64_t tokens, bool controlled = false);
// The same with the modules of a motion adapter: `size.count` clips of as many frames, "sample" [clips *
// frames, h, w, in], "context" [clips, tokens, 1, d], "prediction" like the sample. `weights` has the tensors
// of both. Not for XL.
Graph BuildMotionUNet(const SdUNetConfig& config, const MotionAdapterConfig& motion, WeightSource& weights,
                      const PictureSize& size, std::int64_t frames, std::int64_t tokens);
// "picture" [1, 8h, 8w, 3] between 0 and 1, to "condition" [1, h, w, c]: the same at every step.
Graph BuildControlCondition(const ControlNetConfig& config, WeightSource& weights, std::int64_t height,
                            std::int64_t width);
// The inputs of the UNet and "condition"; outputs are the UNet's control inputs, by their names.
Graph BuildControlNet(const ControlNetConfig& config, WeightSource& weights, const PictureSize& size,
                      std::int64_t tokens);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_UNET_SD_H_
