#include "engine/networks/clip.h"

#include <algorithm>

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

ValueId SelfAttention(const Scope& scope, ValueId x, const ClipConfig& config, bool causal) {
  Graph& g = scope.graph();
  const ValueId q = LinearLayer(scope / "q_proj", x, config.channels);
  const ValueId k = LinearLayer(scope / "k_proj", x, config.channels);
  const ValueId v = LinearLayer(scope / "v_proj", x, config.channels);
  const ValueId attended =
      g.Add(AttentionOp{static_cast<int>(config.heads), causal}, {q, k, v}, scope.prefix());
  return LinearLayer(scope / "out_proj", attended, config.channels);
}

// Layers from `first` to before `end`.
ValueId Encoder(const Scope& scope, ValueId x, const ClipConfig& config, bool causal,
                std::int64_t first_layer, std::int64_t end) {
  Graph& g = scope.graph();
  for (std::int64_t i = first_layer; i < end; ++i) {
    const Scope layer = scope / "layers" / i;
    const ValueId first = LayerNormLayer(layer / "layer_norm1", x);
    x = g.Add(AddOp{}, {SelfAttention(layer / "self_attn", first, config, causal), x});
    const ValueId wide =
        LinearLayer(layer / "mlp" / "fc1", LayerNormLayer(layer / "layer_norm2", x), config.hidden);
    const ValueId active = g.Add(ActivateOp{config.activation}, {wide});
    x = g.Add(AddOp{}, {LinearLayer(layer / "mlp" / "fc2", active, config.channels), x});
  }
  return x;
}

}  // namespace

absl::StatusOr<ClipConfig> ReadClipConfig(Config config) {
  ClipConfig clip;
  clip.channels = config.Integer("hidden_size", clip.channels, 1, 8192);
  clip.hidden = config.Integer("intermediate_size", clip.hidden, 1, 65536);
  clip.layers = config.Integer("num_hidden_layers", clip.layers, 1, 64);
  clip.heads = config.Integer("num_attention_heads", clip.heads, 1, 256);
  if (clip.channels % clip.heads != 0) config.Refuse("num_attention_heads", "a divisor of hidden_size");
  const std::string activation = config.Text("hidden_act", "quick_gelu");
  if (activation == "gelu")
    clip.activation = Activation::kGelu;
  else if (activation != "quick_gelu")
    config.Refuse("hidden_act", "gelu or quick_gelu");
  clip.vocabulary = config.Integer("vocab_size", clip.vocabulary, 1, 1'000'000);
  clip.tokens_max = config.Integer("max_position_embeddings", clip.tokens_max, 1, 4096);
  clip.picture_size = config.Integer("image_size", clip.picture_size, 1, 4096);
  clip.patch = config.Integer("patch_size", clip.patch, 1, clip.picture_size);
  clip.projection = config.Integer("projection_dim", clip.projection, 1, 8192);
  if (!config.status().ok()) return config.status();
  return clip;
}

Graph BuildClipText(const ClipConfig& config, WeightSource& weights, std::int64_t texts, std::int64_t skipped,
                    ClipTextResult result, bool rows) {
  Graph g;
  const Scope text = Scope(g, weights) / "text_model";
  const Scope embeddings = text / "embeddings";
  const ValueId table =
      (embeddings / "token_embedding").Weight("weight", {config.vocabulary, config.channels});
  const ValueId positions =
      (embeddings / "position_embedding").Weight("weight", {config.tokens_max, config.channels});
  ValueId x = rows ? g.Input("rows", {texts, config.tokens_max, 1, config.channels})
                   : g.Add(LookupOp{}, {table, g.Input("ids", {texts, config.tokens_max, 1}, DType::kI32)},
                           embeddings.prefix());
  x = g.Add(AddOp{}, {x, g.Add(ReshapeOp{{1, config.tokens_max, 1, config.channels}}, {positions})},
            embeddings.prefix());
  const Scope layers = text / "encoder";
  if (result == ClipTextResult::kNormed) {
    x = Encoder(layers, x, config, /*causal=*/true, 0, config.layers - skipped);
    g.Output("hidden", LayerNormLayer(text / "final_layer_norm", x));
    return g;
  }
  const std::int64_t before_last = std::max<std::int64_t>(config.layers - 1 - skipped, 0);
  x = Encoder(layers, x, config, /*causal=*/true, 0, before_last);
  g.Output("hidden", x);
  if (result == ClipTextResult::kBeforeLast) return g;
  x = Encoder(layers, x, config, /*causal=*/true, before_last, config.layers);
  x = LayerNormLayer(text / "final_layer_norm", x);
  const ValueId all = g.Add(ReshapeOp{{config.tokens_max, config.channels}}, {x});
  const ValueId end = g.Add(LookupOp{}, {all, g.Input("end", {1}, DType::kI32)}, text.prefix());
  g.Output("summary", LinearLayer(Scope(g, weights) / "text_projection", end, config.projection,
                                  /*bias=*/false));
  return g;
}

Graph BuildClipVision(const ClipConfig& config, WeightSource& weights) {
  Graph g;
  const Scope root(g, weights);
  const Scope vision = root / "vision_model";
  const Scope embeddings = vision / "embeddings";
  const std::int64_t side = config.picture_size / config.patch, patches = side * side,
                     channels = config.channels;
  const ValueId picture = g.Input("picture", {1, config.picture_size, config.picture_size, 3});
  const ValueId kernel = (embeddings / "patch_embedding").ConvWeight(channels, 3, config.patch, config.patch);
  ValueId x = g.Add(ConvOp{.stride = static_cast<int>(config.patch), .padding = {}}, {picture, kernel},
                    embeddings.prefix());
  x = g.Add(ReshapeOp{{1, patches, 1, channels}}, {x});
  const ValueId summary =
      g.Add(ReshapeOp{{1, 1, 1, channels}}, {embeddings.Weight("class_embedding", {channels})});
  x = g.Add(ConcatOp{1}, {summary, x}, embeddings.prefix());
  const ValueId positions = (embeddings / "position_embedding").Weight("weight", {patches + 1, channels});
  x = g.Add(AddOp{}, {x, g.Add(ReshapeOp{{1, patches + 1, 1, channels}}, {positions})});
  x = LayerNormLayer(vision / "pre_layrnorm", x);  // spelled so in every checkpoint
  x = Encoder(vision / "encoder", x, config, /*causal=*/false, 0, config.layers);
  const ValueId first = g.Add(SliceOp{0, channels}, {g.Add(ReshapeOp{{1, (patches + 1) * channels}}, {x})});
  const ValueId norm = LayerNormLayer(vision / "post_layernorm", first);
  g.Output("embedding", LinearLayer(root / "visual_projection", norm, config.projection, /*bias=*/false));
  return g;
}

}  // namespace ringway::engine
