// What a pipeline keeps open of its model: weights that films of all sizes share.
#include <gtest/gtest.h>

#include "engine/media/drawn_picture.h"
#include "engine/pipelines/video_pipeline.h"
#include "tests/engine/model_files.h"

namespace ringway::engine {
namespace {

TEST(OpenModel, FilmsOfOtherSizesPackNothing) {
  const ScratchFolder folder;
  WriteVideoModel(folder);
  const auto model = ModelDirectory::Open(folder.path());
  ASSERT_TRUE(model.ok()) << model.status();
  const CpuBackend backend({.threads = 2});
  const PipelineContext context{*model, backend, 2, Precision::kF32};
  const auto pipeline = VideoPipeline::Open(context);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const auto film = [&](int side) {
    const AnimateProgressFn nobody;
    ProgressTeller progress(nobody);
    const auto animation = (*pipeline)->Animate(
        {.picture = DrawPicture(96, 64), .steps = 1, .frames = 2, .side_max = side}, progress, {});
    EXPECT_TRUE(animation.ok()) << animation.status();
    return animation->frames;
  };
  const auto packed = [&] {
    std::vector<std::size_t> bytes;
    for (const char* part : {"unet", "vae", "image_encoder"})
      bytes.push_back(context.open->WeightsOf(*model->Find(part))->set->packed_bytes());
    return bytes;
  };
  const auto first = film(32);
  const std::vector<std::size_t> bytes = packed();
  for (const std::size_t b : bytes) EXPECT_GT(b, 0u);
  film(64);
  EXPECT_EQ(packed(), bytes);
  // Back to the first size: the plans rested, and what they draw is what they drew.
  EXPECT_GT(context.open->plans().resting_bytes(), 0u);
  const auto again = film(32);
  EXPECT_GT(context.open->plans().hits(), 0u);
  EXPECT_EQ(packed(), bytes);
  ASSERT_EQ(again.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i].rgb, first[i].rgb);
}

}  // namespace
}  // namespace ringway::engine
