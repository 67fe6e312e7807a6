// The common skeleton of Stable Diffusion's UNets: which blocks there are, how wide, and how their skips
// connect.
//
// Down: conv_in, then for each block `layers` of (resnet, transformer?), then a halving except in the last
// block. Middle: resnet, transformer, resnet. Up: the mirror with layers + 1, each resnet fed with the
// matching skip. Both families (frames alone, frames with time) follow it and differ only in what a resnet
// and a transformer are, which is what UNetBlocks abstracts. Configurations come from files and are bounded
// here: at most 8 blocks, 8192 channels, 8 layers.
#ifndef RINGWAY_ENGINE_NETWORKS_UNET_LAYOUT_H_
#define RINGWAY_ENGINE_NETWORKS_UNET_LAYOUT_H_

#include <string>
#include <vector>

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct UNetLayout {
  std::int64_t in_channels = 4, out_channels = 4;
  std::vector<std::int64_t> channels = {320, 640, 1280, 1280};  // by down block
  std::vector<std::int64_t> heads = {8, 8, 8, 8};
  std::vector<std::int64_t> transformer_layers = {1, 1, 1, 1};
  std::vector<bool> down_attends = {true, true, true, false};
  std::vector<bool> up_attends = {false, true, true, true};
  int layers = 2;
  int norm_groups = 32;
  std::int64_t context_channels = 768;

  std::size_t blocks() const { return channels.size(); }
};

// Reads what both families share; what is wrong is left in the config's status. `heads_key` and the prefix of
// block types that attend differ between families; without a name for the way up there is none.
UNetLayout ReadUNetLayout(Config& config, std::string_view heads_key, std::string_view down_attending,
                          std::string_view down_plain, std::string_view up_attending,
                          std::string_view up_plain);

// "norm_num_groups", which must divide all of `channels` ("block_out_channels"); kNormGroups where none is
// said.
int ReadNormGroups(Config& config, const std::vector<std::int64_t>& channels);

class UNetBlocks {
 public:
  enum class Part { kDown, kMiddle, kUp };
  virtual ~UNetBlocks() = default;
  virtual ValueId Resnet(const Scope& scope, ValueId x, std::int64_t out, Part part,
                         bool attending) const = 0;
  virtual ValueId Transformer(const Scope& scope, ValueId x, int layers, int heads) const = 0;
  // What stands behind every layer of a block of this level, and in the middle behind the transformer:
  // nothing, but in networks that draw films (motion_modules.h). `layer` is its number in the block.
  virtual ValueId Motion(const Scope& /*block*/, std::int64_t /*layer*/, ValueId x, Part /*part*/,
                         std::size_t /*level*/) const {
    return x;
  }
};

// From the noisy pictures to the prediction, [n, h, w, out_channels], of any height and width: a halving
// rounds up, and its doubling leaves the last row or column out again. `controlled`: what is added to each
// skip and to the middle are inputs of the graph, named by ControlInput.
ValueId AddUNet(const Scope& scope, const UNetLayout& layout, const UNetBlocks& blocks, ValueId x,
                bool controlled = false);

// The way down and the middle alone, behind conv_in: what a control network is made of.
struct UNetHalf {
  std::vector<ValueId> skips;  // the first is x itself
  ValueId middle = kAbsent;
};
UNetHalf AddUNetHalf(const Scope& scope, const UNetLayout& layout, const UNetBlocks& blocks, ValueId x);

// How many skips there are, and the names of what is added to them and, last, to the middle.
std::size_t SkipCount(const UNetLayout& layout);
std::string ControlInput(std::size_t skip);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_UNET_LAYOUT_H_
