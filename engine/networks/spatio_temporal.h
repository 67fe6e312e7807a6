// The blocks that also look along time: those of Stable Video Diffusion (Blattmann et al., arXiv:2311.15127).
//
// Each has a spatial half, which sees every frame alone, and a temporal half, which sees every pixel through
// the frames; their results are blended by a learned amount, sigmoid(mix_factor). In the engine's layout the
// two halves read the same bytes as [clips * frames, h, w, c] and as [clips, frames, h * w, c]: the 3 x 1 x 1
// convolution over time is a 3 x 1 convolution over the second view, and attention over time takes its axes
// as they are, so nothing is ever transposed. The context of the temporal half is that of the first frame,
// repeated for every pixel, as the reference does; the hoisting pass undoes the cost.
#ifndef RINGWAY_ENGINE_NETWORKS_SPATIO_TEMPORAL_H_
#define RINGWAY_ENGINE_NETWORKS_SPATIO_TEMPORAL_H_

#include "engine/networks/blocks.h"

namespace ringway::engine {

struct ClipShape {
  std::int64_t clips = 1;
  std::int64_t frames = 1;
};

struct SpatioTemporalSettings {
  float spatial_epsilon = 1e-6f;
  float temporal_epsilon = 1e-6f;
  bool swapped_mix = false;  // the VAE's mix factor weighs the temporal half
  int norm_groups = kNormGroups;
};

// `activated_time` is [clips, e] or absent.
ValueId SpatioTemporalResnet(const Scope& scope, ValueId x, ValueId activated_time, std::int64_t out,
                             const ClipShape& clip, const SpatioTemporalSettings& settings);

// `context` is [clips, tokens, 1, d].
ValueId SpatioTemporalTransformer(const Scope& scope, ValueId x, ValueId context, const ClipShape& clip,
                                  int layers, int heads, int norm_groups = kNormGroups);

// A convolution of 3 frames: [clips * frames, h, w, c] to the same with `out` channels.
ValueId FrameConv(const Scope& scope, ValueId x, std::int64_t out, const ClipShape& clip);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_SPATIO_TEMPORAL_H_
