// The autoencoder in tiles: where they lie, what they cost, and that what fits is never tiled.
#include "engine/pipelines/latent_coder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/cpu/cpu_backend.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

TEST(TileStarts, CoverEverythingAndOverlapByAQuarter) {
  for (std::int64_t tile = 1; tile <= 40; ++tile)
    for (std::int64_t size = 1; size <= 200; ++size) {
      const auto starts = TileStarts(size, tile);
      ASSERT_EQ(starts.front(), 0);
      if (size <= tile) {
        ASSERT_EQ(starts.size(), 1u);
        continue;
      }
      ASSERT_EQ(starts.back(), size - tile);
      for (std::size_t i = 1; i < starts.size(); ++i)
        ASSERT_LE(starts[i], starts[i - 1] + tile - tile / 4) << size << " by " << tile;
    }
}

class TiledCoder : public testing::TestWithParam<const char*> {
 protected:
  TiledCoder()
      : model_((WritePictureModel(folder_, GetParam()), ModelDirectory::Open(folder_.path()).value())) {
    vae_ = AutoencoderOf(ReadComponentConfig(*model_.Find("vae")).value());
  }
  PipelineContext Context(std::size_t bytes_max) const {
    return {model_, backend_, 2, Precision::kF32, open_, bytes_max};
  }
  std::size_t DecoderBytes(std::int64_t height, std::int64_t width) const {
    HashWeights any;
    return Plan::ArenaBytes(vae_.BuildDecoder(any, height, width), {}, backend_).value();
  }
  static std::vector<float> Wavy(std::int64_t height, std::int64_t width, int channels) {
    std::vector<float> values;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (int c = 0; c < channels; ++c)
          values.push_back(std::sin(0.3f * static_cast<float>(x + c)) +
                           std::cos(0.2f * static_cast<float>(y)));
    return values;
  }
  static double Decibels(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0, peak = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += std::pow(a[i] - b[i], 2);
      peak = std::max(peak, std::abs(double{a[i]}));
    }
    return 10 * std::log10(4 * peak * peak * static_cast<double>(a.size()) / sum);
  }

  ScratchFolder folder_;
  CpuBackend backend_{{.threads = 2}};
  ModelDirectory model_;
  std::shared_ptr<OpenModel> open_ = std::make_shared<OpenModel>(backend_);
  Autoencoder vae_;
};

TEST_P(TiledCoder, KeepsToItsBoundAndWhatFitsIsWhole) {
  const std::int64_t height = 40, width = 56;
  const std::size_t whole = DecoderBytes(height, width);
  LatentCoder coder;
  ASSERT_TRUE(coder.PrepareDecoder(Context(whole), vae_, height, width).ok());
  EXPECT_TRUE(coder.decoder_tiling().whole());
  LatentCoder tiled;
  const std::size_t bound = whole / 3;
  ASSERT_TRUE(tiled.PrepareDecoder(Context(bound), vae_, height, width).ok());
  const auto tiling = tiled.decoder_tiling();
  EXPECT_FALSE(tiling.whole());
  EXPECT_LE(DecoderBytes(tiling.tile_height, tiling.tile_width), bound);
  LatentCoder least;
  ASSERT_TRUE(least.PrepareDecoder(Context(1), vae_, height, width).ok());
  EXPECT_EQ(least.decoder_tiling().tile_height, LatentCoder::kTileMin);
  std::printf("  whole %zu KiB, bound %zu KiB, tiles of %d x %d latents\n", whole >> 10, bound >> 10,
              static_cast<int>(tiling.tile_height), static_cast<int>(tiling.tile_width));
}

// A tile's norms see the tile alone, so the drawing is alike, not the same: much nearer than another one.
TEST_P(TiledCoder, DrawsAndReadsNearlyTheSame) {
  const std::int64_t height = 36, width = 28;
  const std::vector<float> latents = Wavy(height, width, 4), photo = Wavy(8 * height, 8 * width, 3);
  LatentCoder whole, tiled;
  for (auto [coder, bytes] : {std::pair{&whole, std::size_t{0}}, {&tiled, std::size_t{1}}}) {
    ASSERT_TRUE(coder->PrepareDecoder(Context(bytes), vae_, height, width).ok());
    ASSERT_TRUE(coder->PrepareEncoder(Context(bytes), vae_, height, width).ok());
  }
  ASSERT_FALSE(tiled.decoder_tiling().whole());
  ASSERT_FALSE(tiled.encoder_tiling().whole());
  const double drawn = Decibels(whole.Decode(latents), tiled.Decode(latents)),
               read = Decibels(whole.Encode(photo), tiled.Encode(photo));
  std::printf("  decoded %.1f dB, encoded %.1f dB from whole\n", drawn, read);
  EXPECT_GT(drawn, 20);
  EXPECT_GT(read, 20);
  EXPECT_EQ(tiled.Decode(latents), tiled.Decode(latents));
}

INSTANTIATE_TEST_SUITE_P(All, TiledCoder, testing::Values("picture_sd1", "picture_tiny_from_picture"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ringway::engine
