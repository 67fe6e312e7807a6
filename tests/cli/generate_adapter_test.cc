// `ringway generate --lora` with files that are wrong: each is refused with the file, the tensor and the
// remedy.
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "engine/checkpoint/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/engine/picture_files.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Tensors = std::vector<std::pair<std::string, engine::Tensor>>;

constexpr char kLayer[] = "lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_";

class GenerateAdapterTest : public ::testing::Test {
 protected:
  GenerateAdapterTest() { engine::WritePictureModel(folder_, "picture_sd1"); }

  static Tensors Pair(const std::string& layer, std::int64_t down_rank, std::int64_t up_rank,
                      std::int64_t width) {
    return {{layer + ".lora_down.weight", engine::Tensor(engine::DType::kF32, {down_rank, width})},
            {layer + ".lora_up.weight", engine::Tensor(engine::DType::kF32, {width, up_rank})}};
  }
  std::filesystem::path Write(const Tensors& tensors) const {
    std::filesystem::path path = folder_.path() / "wrong.safetensors";
    EXPECT_TRUE(engine::WriteSafetensors(path, tensors).ok());
    return path;
  }
  // What is said of the file that was written last.
  std::string Refused() const {
    const std::string out = (folder_.path() / "never.png").string();
    const Ran ran = Ringway({"generate", "--model", folder_.path().string(), "-p", "the boat", "--lora",
                             (folder_.path() / "wrong.safetensors").string(), "-o", out});
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_FALSE(std::filesystem::exists(out));
    return ran.err;
  }

  static constexpr std::int64_t kWidth = 64;  // of the layer
  const std::string value_ = absl::StrCat(kLayer, "v"), query_ = absl::StrCat(kLayer, "q");
  engine::ScratchFolder folder_;
};

TEST_F(GenerateAdapterTest, OfAnotherModelIsRefusedByItsLayerOrItsShape) {
  Write(Pair("lora_unet_down_blocks_7_to_v", 2, 2, kWidth));
  EXPECT_THAT(Refused(), AllOf(HasSubstr("wrong.safetensors: tensor \"lora_unet_down_blocks_7_to_v"),
                               HasSubstr("the adapter is for another model")));
  Write(Pair(value_, 2, 2, 2 * kWidth));
  EXPECT_THAT(Refused(), AllOf(HasSubstr("tensor \"" + value_ + ".lora_down.weight\" has shape [2, 128]"),
                               HasSubstr("of this model has shape [64, 64]")));
}

TEST_F(GenerateAdapterTest, OfTwoRanksIsRefusedWithBoth) {
  Write(Pair(value_, 2, 4, kWidth));
  EXPECT_THAT(Refused(), AllOf(HasSubstr("tensor \"" + value_ + ".lora_up.weight\" has shape [64, 4]"),
                               HasSubstr("the rank of \"" + value_ + ".lora_down.weight\" is 2")));
}

// A layer without alpha is no error, for diffusers' keys have none; an alpha that is not one number is.
TEST_F(GenerateAdapterTest, WhoseAlphaIsNoNumberOrStandsAloneIsRefusedByIt) {
  Tensors tensors = Pair(value_, 2, 2, kWidth);
  tensors.emplace_back(value_ + ".alpha", engine::Tensor(engine::DType::kF32, {2}));
  Write(tensors);
  EXPECT_THAT(Refused(), AllOf(HasSubstr("tensor \"" + value_ + ".alpha\" has shape [2]"),
                               HasSubstr("alpha is one number")));
  Write({{query_ + ".alpha", engine::Tensor(engine::DType::kF32, {})}});
  EXPECT_THAT(Refused(), AllOf(HasSubstr("tensor \"" + query_ + ".alpha\" stands alone"),
                               HasSubstr("has no down (A) matrix")));
}

TEST_F(GenerateAdapterTest, ThatIsCutIsRefusedByTheTensorThatIsNotWhole) {
  const std::filesystem::path path = Write(Pair(value_, 2, 2, kWidth));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 8);
  EXPECT_THAT(Refused(), AllOf(HasSubstr("wrong.safetensors: tensor \"" + value_ + ".lora_up.weight\""),
                               HasSubstr("lies at data bytes 512 to 1024; the file holds 1016")));
  std::filesystem::resize_file(path, 6);
  EXPECT_THAT(Refused(), HasSubstr("wrong.safetensors: has 6 bytes"));
}

}  // namespace
}  // namespace ringway::cli
