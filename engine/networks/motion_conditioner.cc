#include "engine/networks/motion_conditioner.h"

#include "engine/networks/blocks.h"

namespace ringway::engine {

absl::StatusOr<MotionConditionerConfig> ReadMotionConditionerConfig(Config config) {
  MotionConditionerConfig c;
  c.picture_size = config.Integer("picture_size", c.picture_size, 8, 512);
  if (c.picture_size % 8 != 0) config.Refuse("picture_size", "multiples of 8");
  if (config.Integer("in_channels", MotionConditionerConfig::kInputs, 1, 64) !=
      MotionConditionerConfig::kInputs)
    config.Refuse("in_channels", "8");
  c.channels = config.Integers("block_out_channels", c.channels, 3, 1, 1024);
  c.text_channels = config.Integer("text_channels", c.text_channels, 1, 8192);
  c.out_channels = config.Integer("out_channels", c.out_channels, 1, 1024);
  if (!config.status().ok()) return config.status();
  return c;
}

Graph BuildMotionConditioner(const MotionConditionerConfig& config, WeightSource& weights) {
  Graph g;
  const Scope root(g, weights);
  const Scope convs = root / "convs", residual = root / "residual";
  ValueId x =
      g.Input("planes", {1, config.picture_size, config.picture_size, MotionConditionerConfig::kInputs});
  const ValueId summary = g.Input("summary", {1, config.text_channels});
  x = Silu(g, ConvLayer(convs / 0, x, config.channels[0], 3, 2));
  x = Silu(g, ConvLayer(convs / 1, x, config.channels[1], 3, 2));
  x = Silu(g, ConvLayer(convs / 2, x, config.channels[1]));
  x = Silu(g, ConvLayer(convs / 3, x, config.channels[2], 3, 2));
  const ValueId h = Silu(g, ConvLayer(residual / 0, x, config.channels[2]));
  x = g.Add(AddOp{}, {ConvLayer(residual / 1, h, config.channels[2]), x});
  const ValueId text = LinearLayer(root / "text_projection", summary, config.out_channels);
  const ValueId everywhere = g.Add(ReshapeOp{{1, 1, 1, config.out_channels}}, {text});
  g.Output("planes", g.Add(AddOp{}, {LinearLayer(root / "proj_out", x, config.out_channels), everywhere}));
  return g;
}

}  // namespace ringway::engine
