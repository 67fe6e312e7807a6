#include "engine/networks/unet_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kChannelsMax = 8192;
constexpr std::size_t kBlocksMax = 8;

std::vector<bool> ReadAttending(Config& config, std::string_view key, std::size_t count,
                                std::string_view attending, std::string_view plain,
                                const std::vector<bool>& fallback) {
  const std::vector<std::string> types = config.Texts(key, {});
  if (types.empty() && fallback.size() == count) return fallback;
  std::vector<bool> attends;
  for (const std::string& type : types) attends.push_back(type == attending);
  const bool known = std::all_of(types.begin(), types.end(),
                                 [&](const std::string& t) { return t == attending || t == plain; });
  if (!known || types.size() != count)
    config.Refuse(key, absl::StrCat(count, " of ", absl::string_view(attending.data(), attending.size()),
                                    ", ", absl::string_view(plain.data(), plain.size())));
  attends.resize(count);
  return attends;
}

class UNetWriter {
 public:
  UNetWriter(const Scope& scope, const UNetLayout& layout, const UNetBlocks& blocks)
      : scope_(scope), g_(scope.graph()), layout_(layout), blocks_(blocks) {}

  UNetHalf WriteHalf(ValueId x) {
    skips_.push_back(x);
    for (std::size_t i = 0; i < layout_.blocks(); ++i) x = Down(i, x);
    const ValueId middle = Middle(x);
    return {std::move(skips_), middle};
  }

  ValueId Write(ValueId x, bool controlled) {
    UNetHalf half = WriteHalf(ConvLayer(scope_ / "conv_in", x, layout_.channels[0]));
    skips_ = std::move(half.skips);
    x = half.middle;
    if (controlled) {
      for (std::size_t i = 0; i < skips_.size(); ++i) skips_[i] = Controlled(i, skips_[i]);
      x = Controlled(skips_.size(), x);
    }
    for (std::size_t i = 0; i < layout_.blocks(); ++i) x = Up(i, x);
    x = Silu(g_, GroupNormLayer(scope_ / "conv_norm_out", x, 1e-5f, layout_.norm_groups));
    return ConvLayer(scope_ / "conv_out", x, layout_.out_channels);
  }

 private:
  using Part = UNetBlocks::Part;

  ValueId Transformer(const Scope& block, int layer, ValueId x, std::size_t level) const {
    return blocks_.Transformer(block / "attentions" / layer, x,
                               static_cast<int>(layout_.transformer_layers[level]),
                               static_cast<int>(layout_.heads[level]));
  }

  ValueId Down(std::size_t i, ValueId x) {
    const Scope block = scope_ / "down_blocks" / static_cast<std::int64_t>(i);
    const bool attends = layout_.down_attends[i];
    for (int layer = 0; layer < layout_.layers; ++layer) {
      x = blocks_.Resnet(block / "resnets" / layer, x, layout_.channels[i], Part::kDown, attends);
      if (attends) x = Transformer(block, layer, x, i);
      x = blocks_.Motion(block, layer, x, Part::kDown, i);
      skips_.push_back(x);
    }
    if (i + 1 < layout_.blocks()) {
      x = ConvLayer(block / "downsamplers" / 0 / "conv", x, layout_.channels[i], 3, 2);
      skips_.push_back(x);
    }
    return x;
  }

  ValueId Middle(ValueId x) {
    const Scope block = scope_ / "mid_block";
    const std::int64_t channels = layout_.channels.back();
    x = blocks_.Resnet(block / "resnets" / 0, x, channels, Part::kMiddle, true);
    x = Transformer(block, 0, x, layout_.blocks() - 1);
    x = blocks_.Motion(block, 0, x, Part::kMiddle, layout_.blocks() - 1);
    return blocks_.Resnet(block / "resnets" / 1, x, channels, Part::kMiddle, true);
  }

  ValueId Up(std::size_t i, ValueId x) {
    const Scope block = scope_ / "up_blocks" / static_cast<std::int64_t>(i);
    const std::size_t level = layout_.blocks() - 1 - i;
    const bool attends = layout_.up_attends[i];
    for (int layer = 0; layer <= layout_.layers; ++layer) {
      x = g_.Add(ConcatOp{-1}, {x, skips_.back()}, block.prefix());
      skips_.pop_back();
      x = blocks_.Resnet(block / "resnets" / layer, x, layout_.channels[level], Part::kUp, attends);
      if (attends) x = Transformer(block, layer, x, level);
      x = blocks_.Motion(block, layer, x, Part::kUp, level);
    }
    if (i + 1 == layout_.blocks()) return x;
    return ConvLayer(block / "upsamplers" / 0 / "conv", Doubled(x), layout_.channels[level]);
  }

  ValueId Controlled(std::size_t i, ValueId x) const {
    if (x == kAbsent) return kAbsent;
    const std::string name = ControlInput(i);
    return g_.Add(AddOp{}, {x, g_.Input(name, Shape(g_.shape(x)))}, name);
  }

  // To the size of the skip that comes next, which is odd where the halving rounded up.
  ValueId Doubled(ValueId x) const {
    if (x == kAbsent || skips_.back() == kAbsent) return kAbsent;
    const Shape &small = g_.shape(x), &skip = g_.shape(skips_.back());
    return g_.Add(UpsampleOp{skip.dim(1) < 2 * small.dim(1), skip.dim(2) < 2 * small.dim(2)}, {x});
  }

  const Scope& scope_;
  Graph& g_;
  const UNetLayout& layout_;
  const UNetBlocks& blocks_;
  std::vector<ValueId> skips_;
};

}  // namespace

int ReadNormGroups(Config& config, const std::vector<std::int64_t>& channels) {
  const std::int64_t groups = config.Integer("norm_num_groups", kNormGroups, 1, kChannelsMax);
  const bool divides =
      std::all_of(channels.begin(), channels.end(), [&](std::int64_t c) { return c % groups == 0; });
  if (divides) return static_cast<int>(groups);
  const Json* said = config.json().Find("norm_num_groups");
  if (said != nullptr && !said->is_null())
    config.Refuse("norm_num_groups", "a divisor of all block_out_channels");
  else
    config.Refuse("block_out_channels",
                  absl::StrCat("multiples of ", kNormGroups, ", or another norm_num_groups beside it"));
  return kNormGroups;
}

UNetLayout ReadUNetLayout(Config& config, std::string_view heads_key, std::string_view down_attending,
                          std::string_view down_plain, std::string_view up_attending,
                          std::string_view up_plain) {
  UNetLayout layout;
  layout.channels = config.Integers("block_out_channels", layout.channels, 0, 1, kChannelsMax);
  if (layout.channels.size() > kBlocksMax) config.Refuse("block_out_channels", "at most 8 blocks");
  const std::size_t n = layout.channels.size();
  layout.norm_groups = ReadNormGroups(config, layout.channels);
  layout.in_channels = config.Integer("in_channels", 4, 1, 1024);
  layout.out_channels = config.Integer("out_channels", 4, 1, 1024);
  layout.layers = static_cast<int>(config.Integer("layers_per_block", 2, 1, 8));
  layout.heads = config.Integers(heads_key, std::vector<std::int64_t>(n, 8), n, 1, 1024);
  layout.transformer_layers =
      config.Integers("transformer_layers_per_block", std::vector<std::int64_t>(n, 1), n, 1, 32);
  layout.context_channels = config.Integer("cross_attention_dim", 1024, 1, kChannelsMax);
  layout.down_attends =
      ReadAttending(config, "down_block_types", n, down_attending, down_plain, layout.down_attends);
  layout.up_attends.assign(n, false);
  if (!up_attending.empty()) {
    const std::vector<bool> usual = UNetLayout().up_attends;
    layout.up_attends = ReadAttending(config, "up_block_types", n, up_attending, up_plain, usual);
  }
  for (std::size_t i = 0; i < n && layout.heads.size() == n; ++i)
    if (layout.channels[i] % layout.heads[i] != 0) config.Refuse(heads_key, "divisors of the channels");
  return layout;
}

ValueId AddUNet(const Scope& scope, const UNetLayout& layout, const UNetBlocks& blocks, ValueId x,
                bool controlled) {
  return UNetWriter(scope, layout, blocks).Write(x, controlled);
}

UNetHalf AddUNetHalf(const Scope& scope, const UNetLayout& layout, const UNetBlocks& blocks, ValueId x) {
  return UNetWriter(scope, layout, blocks).WriteHalf(x);
}

std::size_t SkipCount(const UNetLayout& layout) {
  return layout.blocks() * (static_cast<std::size_t>(layout.layers) + 1);
}

std::string ControlInput(std::size_t skip) { return absl::StrCat("control_", skip); }

}  // namespace ringway::engine
