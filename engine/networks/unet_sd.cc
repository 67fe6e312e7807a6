#include "engine/networks/unet_sd.h"

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

class SdBlocks : public UNetBlocks {
 public:
  SdBlocks(bool linear_projection, ValueId activated_time, ValueId context)
      : linear_projection_(linear_projection), time_(activated_time), context_(context) {}

  ValueId Resnet(const Scope& scope, ValueId x, std::int64_t out, Part, bool) const override {
    return ResnetBlock(scope, x, time_, out, 1e-5f);
  }

  ValueId Transformer(const Scope& scope, ValueId x, int layers, int heads) const override {
    Graph& g = scope.graph();
    if (x == kAbsent) return kAbsent;
    const Shape shape = g.shape(x);
    ValueId tokens = Project(scope / "proj_in", GroupNormLayer(scope / "norm", x, 1e-6f), shape.dim(3));
    tokens = ToTokens(g, tokens);
    for (int i = 0; i < layers; ++i)
      tokens = TransformerBlock(scope / "transformer_blocks" / i, tokens, context_, heads);
    const ValueId out =
        Project(scope / "proj_out", ToPictures(g, tokens, shape.dim(1), shape.dim(2)), shape.dim(3));
    return g.Add(AddOp{}, {out, x}, scope.prefix());
  }

 private:
  ValueId Project(const Scope& scope, ValueId x, std::int64_t channels) const {
    return linear_projection_ ? LinearLayer(scope, x, channels) : ConvLayer(scope, x, channels, 1);
  }
  bool linear_projection_;
  ValueId time_;
  ValueId context_;
};

}  // namespace

absl::StatusOr<SdUNetConfig> ReadSdUNetConfig(Config config) {
  SdUNetConfig sd;
  // In this family "attention_head_dim" has always meant the number of heads.
  sd.layout = ReadUNetLayout(config, "attention_head_dim", "CrossAttnDownBlock2D", "DownBlock2D",
                             "CrossAttnUpBlock2D", "UpBlock2D");
  sd.linear_projection = config.Boolean("use_linear_projection", false);
  if (!config.status().ok()) return config.status();
  return sd;
}

Graph BuildSdUNet(const SdUNetConfig& config, WeightSource& weights, const PictureSize& size,
                  std::int64_t tokens) {
  Graph g;
  const Scope root(g, weights);
  const std::int64_t base = config.layout.channels[0];
  const ValueId sample = g.Input("sample", {size.count, size.height, size.width, config.layout.in_channels});
  const ValueId time = g.Input("time", {1});
  const ValueId context = g.Input("context", {size.count, tokens, 1, config.layout.context_channels});
  const ValueId embedding =
      TimeEmbeddingLayer(root / "time_embedding", g.Add(TimeEmbeddingOp{base}, {time}), 4 * base, 4 * base);
  const SdBlocks blocks(config.linear_projection, Silu(g, embedding), context);
  g.Output("prediction", AddUNet(root, config.layout, blocks, sample));
  return g;
}

}  // namespace ringway::engine
