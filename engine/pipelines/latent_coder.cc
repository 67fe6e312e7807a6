#include "engine/pipelines/latent_coder.h"

#include <algorithm>
#include <cmath>

namespace ringway::engine {
namespace {

// Of which weights are there, whatever is asked: what a plan takes does not depend on their numbers.
class AnyWeights final : public WeightSource {
 public:
  explicit AnyWeights(const WeightSource& real) : real_(real) {}
  bool Has(std::string_view name) const override { return real_.Has(name); }
  absl::Status Expect(std::string_view, const std::vector<std::int64_t>&) override {
    return absl::OkStatus();
  }
  absl::Status ReadRows(std::string_view, std::int64_t, std::int64_t, std::span<float>) const override {
    return absl::InternalError("these weights have no numbers");
  }

 private:
  const WeightSource& real_;
};

// How much of a tile's row or column counts where others overlap it: it rises from a border that is no border
// of the picture.
std::vector<float> Ramp(std::int64_t start, std::int64_t tile, std::int64_t size) {
  const std::int64_t fade = std::max<std::int64_t>(tile / 4, 1);
  std::vector<float> ramp(static_cast<std::size_t>(tile), 1.0f);
  for (std::int64_t i = 0; i < tile; ++i) {
    float& weight = ramp[static_cast<std::size_t>(i)];
    const auto share = [&](std::int64_t from) {
      return std::min(1.0f, (static_cast<float>(from) + 0.5f) / static_cast<float>(fade));
    };
    if (start > 0) weight = std::min(weight, share(i));
    if (start + tile < size) weight = std::min(weight, share(tile - 1 - i));
  }
  return ramp;
}

// The sides of a grid of numbers with channels last.
struct Grid {
  std::int64_t height = 0, width = 0, channels = 0;
  std::size_t size() const { return static_cast<std::size_t>(height * width * channels); }
};

void CopyTile(std::span<const float> whole, const Grid& grid, std::int64_t y, std::int64_t x,
              const Grid& tile, std::span<float> out) {
  for (std::int64_t row = 0; row < tile.height; ++row)
    std::copy_n(whole.begin() + ((y + row) * grid.width + x) * grid.channels, tile.width * tile.channels,
                out.begin() + row * tile.width * tile.channels);
}

// Adds what a tile says, weighted, to the sum and to the sum of weights.
class Blend {
 public:
  explicit Blend(const Grid& grid)
      : grid_(grid), sum_(grid.size()), weights_(static_cast<std::size_t>(grid.height * grid.width)) {}

  // `stride` channels from one of the tile's pixels to the next; the first are taken.
  void Add(std::span<const float> said, const Grid& tile, std::int64_t stride, std::int64_t y,
           std::int64_t x) {
    const std::vector<float> down = Ramp(y, tile.height, grid_.height),
                             across = Ramp(x, tile.width, grid_.width);
    for (std::int64_t row = 0; row < tile.height; ++row)
      for (std::int64_t column = 0; column < tile.width; ++column) {
        const float weight = down[static_cast<std::size_t>(row)] * across[static_cast<std::size_t>(column)];
        const std::int64_t at = (y + row) * grid_.width + x + column;
        weights_[static_cast<std::size_t>(at)] += weight;
        const float* from = said.data() + (row * tile.width + column) * stride;
        float* to = sum_.data() + at * grid_.channels;
        for (std::int64_t c = 0; c < grid_.channels; ++c) to[c] += weight * from[c];
      }
  }
  std::vector<float> Finish() {
    for (std::size_t i = 0; i < weights_.size(); ++i)
      for (std::int64_t c = 0; c < grid_.channels; ++c)
        sum_[i * static_cast<std::size_t>(grid_.channels) + static_cast<std::size_t>(c)] /= weights_[i];
    return std::move(sum_);
  }

 private:
  const Grid grid_;
  std::vector<float> sum_, weights_;
};

}  // namespace

std::vector<std::int64_t> TileStarts(std::int64_t size, std::int64_t tile) {
  if (size <= tile) return {0};
  const std::int64_t step = std::max<std::int64_t>(tile - tile / 4, 1);
  const std::int64_t count = (size - tile + step - 1) / step + 1;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < count; ++i) starts.push_back(i * (size - tile) / (count - 1));
  return starts;
}

absl::StatusOr<LatentCoder::Tiling> LatentCoder::Choose(const PipelineContext& context, const BuildFor& build,
                                                        std::int64_t height, std::int64_t width) {
  const std::size_t bytes_max = context.coder_bytes_max != 0 ? context.coder_bytes_max : kBytesMax;
  const absl::StatusOr<ComponentWeights> weights = context.open->WeightsOf(*context.model.Find("vae"));
  if (!weights.ok()) return weights.status();
  for (std::int64_t side = std::max(height, width);; side = side * 3 / 4 / 8 * 8) {
    side = std::max(side, std::min(kTileMin, std::max(height, width)));
    const Tiling tiling{height, width, std::min(side, height), std::min(side, width)};
    AnyWeights any(*weights->source);
    const Graph graph = build(any, tiling.tile_height, tiling.tile_width);
    if (!graph.status().ok()) return graph.status();
    const auto bytes = Plan::ArenaBytes(graph, context.passes(), context.backend);
    if (!bytes.ok()) return bytes.status();
    if (*bytes <= bytes_max || side <= kTileMin) return tiling;
  }
}

absl::Status LatentCoder::Prepare(const PipelineContext& context, Half& half, Autoencoder::Prefixes others,
                                  const BuildFor& build, std::int64_t height, std::int64_t width) {
  Tiling& tiling = half.tiling;
  if (tiling.height != height || tiling.width != width) {
    const absl::StatusOr<Tiling> chosen = Choose(context, build, height, width);
    if (!chosen.ok()) return chosen.status();
    tiling = *chosen;
  }
  return half.part.Prepare(
      context, {tiling.tile_height, tiling.tile_width}, others,
      [&](WeightSource& source) { return build(source, tiling.tile_height, tiling.tile_width); });
}

absl::Status LatentCoder::PrepareDecoder(const PipelineContext& context, const Autoencoder& vae,
                                         std::int64_t height, std::int64_t width) {
  vae_ = vae;
  return Prepare(
      context, decoder_, vae.encoder_prefixes(),
      [&](WeightSource& source, std::int64_t h, std::int64_t w) { return vae.BuildDecoder(source, h, w); },
      height, width);
}

absl::Status LatentCoder::PrepareEncoder(const PipelineContext& context, const Autoencoder& vae,
                                         std::int64_t height, std::int64_t width) {
  vae_ = vae;
  return Prepare(
      context, encoder_, vae.decoder_prefixes(),
      [&](WeightSource& source, std::int64_t h, std::int64_t w) { return vae.BuildEncoder(source, h, w); },
      height, width);
}

int LatentCoder::Tiles(const Tiling& tiling) {
  return static_cast<int>(TileStarts(tiling.height, tiling.tile_height).size() *
                          TileStarts(tiling.width, tiling.tile_width).size());
}

std::vector<float> LatentCoder::Decode(std::span<const float> latents) {
  Plan& plan = decoder_.part.plan();
  const auto input = plan.Input("latent");
  const Tiling& tiling = decoder_.tiling;
  const std::int64_t scale = vae_.halvings(), channels = vae_.picture_channels();
  const Grid grid{tiling.height, tiling.width, vae_.latent_channels()};
  const Grid tile{tiling.tile_height, tiling.tile_width, vae_.latent_channels()};
  const Grid drawn{tile.height * scale, tile.width * scale, channels};
  Blend blend({grid.height * scale, grid.width * scale, channels});
  std::vector<float> picture;
  for (const std::int64_t y : TileStarts(grid.height, tile.height))
    for (const std::int64_t x : TileStarts(grid.width, tile.width)) {
      CopyTile(latents, grid, y, x, tile, input);
      vae_.ForDecoder(input);
      plan.Run();
      const auto tile_picture = plan.Output("picture");
      if (tiling.whole())
        picture.assign(tile_picture.begin(), tile_picture.end());
      else
        blend.Add(tile_picture, drawn, channels, y * scale, x * scale);
    }
  if (!tiling.whole()) picture = blend.Finish();
  vae_.FromDecoder(picture);
  return picture;
}

std::vector<float> LatentCoder::Encode(std::span<const float> picture) {
  Plan& plan = encoder_.part.plan();
  const auto input = plan.Input("picture");
  const Tiling& tiling = encoder_.tiling;
  const std::int64_t scale = vae_.halvings(), channels = vae_.picture_channels();
  const Grid grid{tiling.height * scale, tiling.width * scale, channels};
  const Grid seen{tiling.tile_height * scale, tiling.tile_width * scale, channels};
  const Grid tile{tiling.tile_height, tiling.tile_width, vae_.latent_channels()};
  Blend blend({tiling.height, tiling.width, vae_.latent_channels()});
  for (const std::int64_t y : TileStarts(tiling.height, tile.height))
    for (const std::int64_t x : TileStarts(tiling.width, tile.width)) {
      CopyTile(picture, grid, y * scale, x * scale, seen, input);
      vae_.ForEncoder(input);
      plan.Run();
      blend.Add(plan.Output("moments"), tile, vae_.encoded_channels(), y, x);
    }
  return blend.Finish();
}

}  // namespace ringway::engine
