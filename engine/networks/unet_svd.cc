#include "engine/networks/unet_svd.h"

namespace ringway::engine {
namespace {

// The reference's epsilons differ from block to block.
float EpsilonOf(UNetBlocks::Part part, bool attending) {
  if (part == UNetBlocks::Part::kMiddle) return 1e-5f;
  return part == UNetBlocks::Part::kDown && !attending ? 1e-5f : 1e-6f;
}

class SvdBlocks : public UNetBlocks {
 public:
  SvdBlocks(const ClipShape& clip, int norm_groups, ValueId activated_time, ValueId context)
      : clip_(clip), norm_groups_(norm_groups), time_(activated_time), context_(context) {}
  ValueId Resnet(const Scope& scope, ValueId x, std::int64_t out, Part part, bool attending) const override {
    const float epsilon = EpsilonOf(part, attending);
    return SpatioTemporalResnet(scope, x, time_, out, clip_, {epsilon, epsilon, false, norm_groups_});
  }
  ValueId Transformer(const Scope& scope, ValueId x, int layers, int heads) const override {
    return SpatioTemporalTransformer(scope, x, context_, clip_, layers, heads, norm_groups_);
  }

 private:
  ClipShape clip_;
  int norm_groups_;
  ValueId time_;
  ValueId context_;
};

}  // namespace

absl::StatusOr<SvdUNetConfig> ReadSvdUNetConfig(Config config) {
  SvdUNetConfig svd;
  svd.layout =
      ReadUNetLayout(config, "num_attention_heads", "CrossAttnDownBlockSpatioTemporal",
                     "DownBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal", "UpBlockSpatioTemporal");
  svd.added_channels = config.Integer("addition_time_embed_dim", 256, 2, 8192);
  svd.added_embedding = config.Integer("projection_class_embeddings_input_dim", 768, 2, 65536);
  if (svd.added_embedding != 3 * svd.added_channels)
    config.Refuse("projection_class_embeddings_input_dim", "three times addition_time_embed_dim");
  if (!config.status().ok()) return config.status();
  return svd;
}

Graph BuildSvdUNet(const SvdUNetConfig& config, WeightSource& weights, const ClipSize& size,
                   std::int64_t tokens) {
  Graph g;
  const Scope root(g, weights);
  const std::int64_t base = config.layout.channels[0];
  const std::int64_t clips = size.clip.clips;
  const ValueId sample =
      g.Input("sample", {clips * size.clip.frames, size.height, size.width, config.layout.in_channels});
  const ValueId time = g.Input("time", {1});
  const ValueId added = g.Input("added", {3 * clips});
  const ValueId context = g.Input("context", {clips, tokens, 1, config.layout.context_channels});
  ValueId embedding =
      TimeEmbeddingLayer(root / "time_embedding", g.Add(TimeEmbeddingOp{base}, {time}), 4 * base, 4 * base);
  const ValueId sinusoids = g.Add(TimeEmbeddingOp{config.added_channels}, {added});
  const ValueId rows = g.Add(ReshapeOp{{clips, 3 * config.added_channels}}, {sinusoids});
  const ValueId extra = TimeEmbeddingLayer(root / "add_embedding", rows, 4 * base, 4 * base);
  embedding = g.Add(AddOp{}, {extra, embedding});
  const SvdBlocks blocks(size.clip, config.layout.norm_groups, Silu(g, embedding), context);
  g.Output("prediction", AddUNet(root, config.layout, blocks, sample));
  return g;
}

}  // namespace ringway::engine
