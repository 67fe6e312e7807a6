// The motion modules of AnimateDiff (Guo et al., arXiv:2307.04725; diffusers: MotionAdapter): what makes
// pictures of a UNet frames of one film.
//
// A module stands behind every layer of the way down and up, and in the middle where the configuration has
// one. It sees each pixel through the frames of its clip: a group norm over the whole clip, a projection,
// blocks of two self-attentions over time and a feed-forward layer, a projection back, and the residual. What
// tells frames apart is a sinusoid of their number, added behind the norms that attention reads; adapters
// store its table (pos_embed.pe, sines and cosines in turn), which is read where it is there and computed
// where it is not. In the engine's layout a clip is [clips, frames, pixels, c] without moving a byte, as in
// spatio_temporal.h. An adapter is a checkpoint of its own; its tensors carry "motion_modules" in names that
// no UNet of pictures has.
#ifndef RINGWAY_ENGINE_NETWORKS_MOTION_MODULES_H_
#define RINGWAY_ENGINE_NETWORKS_MOTION_MODULES_H_

#include <string_view>
#include <vector>

#include "engine/networks/spatio_temporal.h"
#include "engine/networks/unet_layout.h"

namespace ringway::engine {

struct MotionAdapterConfig {
  std::vector<std::int64_t> channels = {320, 640, 1280, 1280};  // by level of the UNet
  std::vector<std::int64_t> heads = {8, 8, 8, 8};
  std::vector<std::int64_t> blocks = {1, 1, 1, 1};  // of a module, by level
  std::int64_t layers = 2;                          // modules of a block on the way down
  bool middle = true;
  std::int64_t middle_blocks = 1;
  std::int64_t groups = 32;     // of the norm
  std::int64_t positions = 32;  // the most frames of a clip
};
absl::StatusOr<MotionAdapterConfig> ReadMotionAdapterConfig(Config config);

// InvalidArgument, with both, where the adapter is for a UNet of other widths. `file`: the adapter's
// configuration.
absl::Status CheckMotionFits(const MotionAdapterConfig& config, const UNetLayout& unet,
                             const std::string& file);

// Whether the tensor is an adapter's.
bool IsMotionTensor(std::string_view name);

// One module. x is [clips * frames, h, w, c], and so is the result.
struct MotionModuleSize {
  std::int64_t heads = 8, blocks = 1, groups = 32, positions = 32;
};
ValueId MotionModule(const Scope& scope, ValueId x, const ClipShape& clip, const MotionModuleSize& size);

// Of a level, or of the middle.
MotionModuleSize MotionModuleSizeOf(const MotionAdapterConfig& config, std::size_t level, bool middle);

// Every module of an adapter on a picture of one pixel: asks for all that its checkpoint must hold.
Graph BuildMotionModules(const MotionAdapterConfig& config, WeightSource& weights);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_MOTION_MODULES_H_
