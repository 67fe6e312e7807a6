#include "engine/checkpoint/model_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/checkpoint/inspect.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/engine/checkpoint_files.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

class Directory : public testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("model_index.json",
                  R"({"_class_name":"StableVideoDiffusionPipeline","_diffusers_version":"0.24",
        "unet":["diffusers","UNetSpatioTemporalConditionModel"],"scheduler":["diffusers","EulerDiscreteScheduler"],
        "safety_checker":[null,null]})");
    folder_.Write(
        "unet/config.json",
        R"({"_class_name":"U","sample_size":96,"block_out_channels":[320,640],"act":"silu","f":null})");
    folder_.Write("scheduler/scheduler_config.json", R"({"beta_start":0.00085})");
    const std::pair<std::string, Tensor> tensors[] = {{"conv_in.weight", Tensor(DType::kF32, {4, 2, 3, 3})},
                                                      {"down_blocks.0.x", Tensor(DType::kBF16, {1000})}};
    ASSERT_TRUE(WriteSafetensors(folder_.path() / "unet/diffusion_pytorch_model.safetensors", tensors).ok());
  }
  ScratchFolder folder_;
};

TEST_F(Directory, ListsItsComponents) {
  const auto model = ModelDirectory::Open(folder_.path());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->pipeline, "StableVideoDiffusionPipeline");
  ASSERT_EQ(model->components.size(), 2u);  // absent components are skipped
  EXPECT_EQ(model->Find("unet")->class_name, "UNetSpatioTemporalConditionModel");
  EXPECT_EQ(model->Find("vae"), nullptr);
}

TEST_F(Directory, IsDescribedByInspect) {
  const auto text = InspectCheckpoint(folder_.path(), {.list_tensors = true});
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* part : {"StableVideoDiffusionPipeline", "unet  UNetSpatioTemporalConditionModel",
                           "block_out_channels", "320, 640", "1.1 k in 2 tensors", "BF16 1.0 k, F32 72",
                           "conv_in.weight", "[4, 2, 3, 3]", "beta_start"})
    EXPECT_THAT(*text, HasSubstr(part));
  EXPECT_TRUE(InspectCheckpoint(folder_.path() / "unet").ok());
  EXPECT_TRUE(InspectCheckpoint(folder_.path() / "unet/diffusion_pytorch_model.safetensors").ok());
}

TEST_F(Directory, SaysWhatIsMissing) {
  EXPECT_THAT(std::string(ModelDirectory::Open(folder_.path() / "unet/..").status().message()), "");
  EXPECT_THAT(std::string(ModelDirectory::Open("/nonexistent/model").status().message()),
              HasSubstr("neither model_index.json nor config.json"));
  folder_.Write("model_index.json", R"({"vae":["diffusers","AutoencoderKL"]})");
  EXPECT_THAT(std::string(ModelDirectory::Open(folder_.path()).status().message()),
              HasSubstr("no such directory"));
  folder_.Write("model_index.json", R"({"../unet":["diffusers","X"]})");
  EXPECT_THAT(std::string(ModelDirectory::Open(folder_.path()).status().message()),
              HasSubstr("not the plain name"));
}

TEST_F(Directory, ConfigKeepsTheFirstThingThatIsWrong) {
  auto config = Config::Read(folder_.path() / "unet/config.json");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->Integer("sample_size", 1, 1, 100), 96);
  EXPECT_EQ(config->Integer("absent", 7, 1, 100), 7);
  EXPECT_EQ(config->Integer("f", 8, 1, 100), 8);  // null means the default
  EXPECT_EQ(config->Integers("block_out_channels", {}, 0, 1, 4096), (std::vector<std::int64_t>{320, 640}));
  EXPECT_EQ(config->Integers("sample_size", {}, 3, 1, 100), (std::vector<std::int64_t>{96, 96, 96}));
  EXPECT_TRUE(config->status().ok());
  config->Integer("sample_size", 1, 1, 64);
  config->Boolean("act", false);
  EXPECT_THAT(
      std::string(config->status().message()),
      testing::AllOf(HasSubstr("config.json: \"sample_size\" is 96; allowed: an integer from 1 to 64")));
}

}  // namespace
}  // namespace ringway::engine
