#include "engine/networks/original_names.h"

#include "absl/strings/str_cat.h"

namespace ringway::engine {

OriginalNames OriginalNames::OfUNet(const UNetLayout& layout) {
  OriginalNames names("model.diffusion_model.");
  auto& blocks = names.blocks_;
  blocks = {{"time_embed.0", "time_embedding.linear_1"},
            {"time_embed.2", "time_embedding.linear_2"},
            {"input_blocks.0.0", "conv_in"},
            {"out.0", "conv_norm_out"},
            {"out.2", "conv_out"},
            {"middle_block.0", "mid_block.resnets.0"},
            {"middle_block.1", "mid_block.attentions.0"},
            {"middle_block.2", "mid_block.resnets.1"}};
  int block = 1;
  for (std::size_t level = 0; level < layout.blocks(); ++level) {
    const std::string stock = absl::StrCat("down_blocks.", level, ".");
    for (int layer = 0; layer < layout.layers; ++layer, ++block) {
      blocks[absl::StrCat("input_blocks.", block, ".0")] = absl::StrCat(stock, "resnets.", layer);
      if (layout.down_attends[level])
        blocks[absl::StrCat("input_blocks.", block, ".1")] = absl::StrCat(stock, "attentions.", layer);
    }
    if (level + 1 < layout.blocks())
      blocks[absl::StrCat("input_blocks.", block++, ".0.op")] = stock + "downsamplers.0.conv";
  }
  block = 0;
  for (std::size_t level = 0; level < layout.blocks(); ++level) {
    const std::string stock = absl::StrCat("up_blocks.", level, ".");
    for (int layer = 0; layer <= layout.layers; ++layer, ++block) {
      const std::string original = absl::StrCat("output_blocks.", block, ".");
      blocks[original + "0"] = absl::StrCat(stock, "resnets.", layer);
      if (layout.up_attends[level]) blocks[original + "1"] = absl::StrCat(stock, "attentions.", layer);
      if (layer == layout.layers && level + 1 < layout.blocks())
        blocks[original + (layout.up_attends[level] ? "2.conv" : "1.conv")] = stock + "upsamplers.0.conv";
    }
  }
  names.layers_ = {{"in_layers.0", "norm1"},  {"in_layers.2", "conv1"},
                   {"out_layers.0", "norm2"}, {"emb_layers.1", "time_emb_proj"},
                   {"out_layers.3", "conv2"}, {"skip_connection", "conv_shortcut"}};
  return names;
}

OriginalNames OriginalNames::OfVae(const VaeConfig& config) {
  OriginalNames names("first_stage_model.");
  auto& blocks = names.blocks_;
  blocks = {{"quant_conv", "quant_conv"}, {"post_quant_conv", "post_quant_conv"}};
  for (const std::string half : {"encoder.", "decoder."}) {
    blocks[half + "conv_in"] = half + "conv_in";
    blocks[half + "norm_out"] = half + "conv_norm_out";
    blocks[half + "conv_out"] = half + "conv_out";
    blocks[half + "mid.block_1"] = half + "mid_block.resnets.0";
    blocks[half + "mid.attn_1"] = half + "mid_block.attentions.0";
    blocks[half + "mid.block_2"] = half + "mid_block.resnets.1";
  }
  const std::size_t levels = config.channels.size();
  for (std::size_t level = 0; level < levels; ++level) {
    const std::string down = absl::StrCat("encoder.down.", level, "."),
                      stock_down = absl::StrCat("encoder.down_blocks.", level, "."),
                      up = absl::StrCat("decoder.up.", level, "."),
                      stock_up = absl::StrCat("decoder.up_blocks.", levels - 1 - level, ".");
    for (int layer = 0; layer < config.layers; ++layer)
      blocks[absl::StrCat(down, "block.", layer)] = absl::StrCat(stock_down, "resnets.", layer);
    for (int layer = 0; layer <= config.layers; ++layer)
      blocks[absl::StrCat(up, "block.", layer)] = absl::StrCat(stock_up, "resnets.", layer);
    blocks[down + "downsample.conv"] = stock_down + "downsamplers.0.conv";
    blocks[up + "upsample.conv"] = stock_up + "upsamplers.0.conv";
  }
  names.layers_ = {
      {"nin_shortcut", "conv_shortcut"}, {"norm", "group_norm"}, {"q", "to_q"}, {"k", "to_k"}, {"v", "to_v"},
      {"proj_out", "to_out.0"}};
  return names;
}

OriginalNames OriginalNames::OfText() {
  OriginalNames names("cond_stage_model.");
  names.blocks_ = {{"transformer.text_model", "text_model"},
                   {"transformer.embeddings", "text_model.embeddings"},  // as some programs write it
                   {"transformer.encoder", "text_model.encoder"},
                   {"transformer.final_layer_norm", "text_model.final_layer_norm"}};
  return names;
}

std::optional<std::string> OriginalNames::OriginalName(std::string_view stock) const {
  for (const auto& [original, block] : blocks_) {
    if (!stock.starts_with(block) || stock.size() <= block.size() || stock[block.size()] != '.') continue;
    std::string rest(stock.substr(block.size() + 1));
    for (const auto& [before, now] : layers_)
      if (rest.starts_with(now) && rest.size() > now.size() && rest[now.size()] == '.') {
        rest.replace(0, now.size(), before);
        break;
      }
    return absl::StrCat(original, ".", rest);
  }
  return std::nullopt;
}

std::optional<std::string> OriginalNames::StockName(std::string_view original) const {
  if (!original.starts_with(part_)) return std::nullopt;
  const std::string_view name = original.substr(part_.size());
  // The longest prefix that ends at a dot: "input_blocks.3.0.op" before "input_blocks.3.0".
  for (std::size_t end = name.rfind('.'); end != std::string_view::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    const auto block = blocks_.find(name.substr(0, end));
    if (block == blocks_.end()) continue;
    std::string rest(name.substr(end + 1));  // "weight", "in_layers.0.weight"
    if (const std::size_t dot = rest.rfind('.'); dot != std::string::npos)
      if (const auto layer = layers_.find(std::string_view(rest).substr(0, dot)); layer != layers_.end())
        rest = layer->second + rest.substr(dot);
    return absl::StrCat(block->second, ".", rest);
  }
  return std::string(original);
}

}  // namespace ringway::engine
