// Pictures to latents and back by a model's autoencoder, within a bound on memory: whole where they fit, in
// tiles where they do not.
//
// Tiles are of one size, so they share a plan, and overlap by a quarter. Where they do, one fades into the
// other linearly, so a seam is no step. A tile sees its own surroundings alone: attention and the norms'
// means stop at its border, so a picture in tiles is not that of one piece to the last bit, but the same
// drawing; what fits is never tiled. How much a plan of a size takes is asked of the memory planner before
// anything is allocated. The bound is on a plan's arena, beside weights and the picture's own numbers; the
// smallest tile, kTileMin latents a side, is used whatever it takes.
//
// One thread at a time. Memory: the plans of one size each, and the weights.
#ifndef RINGWAY_ENGINE_PIPELINES_LATENT_CODER_H_
#define RINGWAY_ENGINE_PIPELINES_LATENT_CODER_H_

#include <vector>

#include "engine/networks/autoencoder.h"
#include "engine/pipelines/frozen_part.h"

namespace ringway::engine {

// Beginnings of tiles of `tile` that cover `size` and overlap by a quarter at least; one if it fits.
std::vector<std::int64_t> TileStarts(std::int64_t size, std::int64_t tile);

class LatentCoder {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{4} << 30;
  static constexpr std::int64_t kTileMin = 16;

  // Of the last preparation: latents of a tile's sides.
  struct Tiling {
    std::int64_t height = 0, width = 0;            // of the whole
    std::int64_t tile_height = 0, tile_width = 0;  // in latents, as the whole
    bool whole() const { return height == tile_height && width == tile_width; }
  };

  explicit LatentCoder(const char* component = "vae")
      : encoder_{FrozenPart(component), {}}, decoder_{FrozenPart(component), {}} {}

  // For latents of this height and width.
  absl::Status PrepareDecoder(const PipelineContext& context, const Autoencoder& vae, std::int64_t height,
                              std::int64_t width);
  absl::Status PrepareEncoder(const PipelineContext& context, const Autoencoder& vae, std::int64_t height,
                              std::int64_t width);
  // height x width x 3 numbers, -1 black and 1 white; latents as the autoencoder has them, not scaled.
  std::vector<float> Decode(std::span<const float> latents);
  // The latents; of a distribution, its mean.
  std::vector<float> Encode(std::span<const float> picture);

  // After preparing: the plan of a tile, and of how many the whole is made.
  Plan& decoder() { return decoder_.part.plan(); }
  Plan& encoder() { return encoder_.part.plan(); }
  static int Tiles(const Tiling& tiling);

  const Tiling& decoder_tiling() const { return decoder_.tiling; }
  const Tiling& encoder_tiling() const { return encoder_.tiling; }

 private:
  using BuildFor = std::function<Graph(WeightSource&, std::int64_t height, std::int64_t width)>;
  static absl::StatusOr<Tiling> Choose(const PipelineContext& context, const BuildFor& build,
                                       std::int64_t height, std::int64_t width);

  struct Half {
    FrozenPart part;
    Tiling tiling;
  };
  static absl::Status Prepare(const PipelineContext& context, Half& half, Autoencoder::Prefixes others,
                              const BuildFor& build, std::int64_t height, std::int64_t width);

  Half encoder_, decoder_;
  Autoencoder vae_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_LATENT_CODER_H_
