// A whole model in one file, in the original layout of Stable Diffusion 1.x: the same random weights in both
// layouts give the same picture, bit for bit.
#include "engine/pipelines/single_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Tensors = std::vector<std::pair<std::string, Tensor>>;

// The other way round, and by the published formulas for these sizes (three levels of two layers, attention
// in the upper two; four levels of one layer in the autoencoder), not by counting as the engine does.
std::string OriginalUNetName(const std::string& stock) {
  const std::vector<std::string> parts = absl::StrSplit(stock, '.');
  const auto number = [&](std::size_t i) {
    int n = 0;
    EXPECT_TRUE(absl::SimpleAtoi(parts[i], &n)) << stock;
    return n;
  };
  const std::string kind = parts.size() > 2 ? parts[2] : "";
  std::string place, rest;
  if (parts[0] == "down_blocks") {
    rest = stock.substr(absl::StrCat(parts[0], ".", parts[1], ".", parts[2], ".", parts[3], ".").size());
    const int block = 1 + 3 * number(1) + number(3);
    place = kind == "downsamplers" ? absl::StrCat("input_blocks.", 3 * (number(1) + 1), ".0.op.")
                                   : absl::StrCat("input_blocks.", block, kind == "resnets" ? ".0." : ".1.");
    if (kind == "downsamplers") rest = rest.substr(5);  // "conv."
  } else if (parts[0] == "up_blocks") {
    rest = stock.substr(absl::StrCat(parts[0], ".", parts[1], ".", parts[2], ".", parts[3], ".").size());
    const int block = 3 * number(1) + number(3);
    place = kind == "upsamplers"
                ? absl::StrCat("output_blocks.", 3 * number(1) + 2, number(1) == 0 ? ".1." : ".2.")
                : absl::StrCat("output_blocks.", block, kind == "resnets" ? ".0." : ".1.");
  } else if (parts[0] == "mid_block") {
    rest = stock.substr(absl::StrCat("mid_block.", parts[1], ".", parts[2], ".").size());
    place = absl::StrCat("middle_block.", parts[1] == "attentions" ? 1 : 2 * number(2), ".");
  } else {
    return absl::StrCat("model.diffusion_model.",
                        absl::StrReplaceAll(stock, {{"time_embedding.linear_1", "time_embed.0"},
                                                    {"time_embedding.linear_2", "time_embed.2"},
                                                    {"conv_in", "input_blocks.0.0"},
                                                    {"conv_norm_out", "out.0"},
                                                    {"conv_out", "out.2"}}));
  }
  if (absl::StrContains(stock, "resnets"))
    rest = absl::StrReplaceAll(rest, {{"norm1", "in_layers.0"},
                                      {"conv1", "in_layers.2"},
                                      {"time_emb_proj", "emb_layers.1"},
                                      {"norm2", "out_layers.0"},
                                      {"conv2", "out_layers.3"},
                                      {"conv_shortcut", "skip_connection"}});
  return absl::StrCat("model.diffusion_model.", place, rest);
}

std::string OriginalVaeName(const std::string& stock) {
  return absl::StrCat("first_stage_model.",
                      absl::StrReplaceAll(stock, {{"down_blocks.", "down."},
                                                  {"up_blocks.0.", "up.3."},
                                                  {"up_blocks.1.", "up.2."},
                                                  {"up_blocks.2.", "up.1."},
                                                  {"up_blocks.3.", "up.0."},
                                                  {"mid_block.resnets.0", "mid.block_1"},
                                                  {"mid_block.resnets.1", "mid.block_2"},
                                                  {"mid_block.attentions.0", "mid.attn_1"},
                                                  {"resnets.", "block."},
                                                  {"downsamplers.0", "downsample"},
                                                  {"upsamplers.0", "upsample"},
                                                  {"conv_shortcut", "nin_shortcut"},
                                                  {"conv_norm_out", "norm_out"},
                                                  {"group_norm", "norm"},
                                                  {"to_q", "q"},
                                                  {"to_k", "k"},
                                                  {"to_v", "v"},
                                                  {"to_out.0", "proj_out"}}));
}

class SingleFile : public testing::Test {
 protected:
  SingleFile() {
    WritePictureModel(folder_, "picture_sd1");
    Add("unet/diffusion_pytorch_model", OriginalUNetName);
    Add("vae/diffusion_pytorch_model", OriginalVaeName);
    Add("text_encoder/model",
        [](const std::string& stock) { return absl::StrCat("cond_stage_model.transformer.", stock); });
    expected_ = Drawn(folder_.path(), "").value();
    for (const char* stem :
         {"unet/diffusion_pytorch_model", "vae/diffusion_pytorch_model", "text_encoder/model"})
      std::filesystem::remove(folder_.path() / absl::StrCat(stem, ".safetensors"));
    // What training leaves in such files.
    tensors_.emplace_back("model_ema.decay", Tensor(DType::kF32, {1}));
    tensors_.emplace_back("betas", Tensor(DType::kF32, {1000}));
    tensors_.emplace_back("cond_stage_model.transformer.text_model.embeddings.position_ids",
                          Tensor(DType::kF32, {1, 77}));
  }
  void Add(const std::string& stem, std::string (*original)(const std::string&)) {
    const Weights weights = Weights::Open(folder_.path() / (stem + ".safetensors")).value();
    for (const StoredTensor* stored : weights.All()) {
      Shape shape;
      for (const std::int64_t d : stored->dims) shape.Append(d);
      std::vector<float> values(static_cast<std::size_t>(shape.elements()));
      EXPECT_TRUE(weights.ReadRows(stored->name, 0, 1, values).ok());
      const std::string name = original(stored->name);
      // The autoencoder's attention is stored as kernels.
      if (absl::StrContains(name, "mid.attn_1") && shape.rank() == 2)
        shape = {shape.dim(0), shape.dim(1), 1, 1};
      tensors_.emplace_back(name, Tensor::FromFloats(shape, values));
    }
  }
  std::filesystem::path Write() const {
    const std::filesystem::path file = folder_.path() / "whole.safetensors";
    EXPECT_TRUE(WriteSafetensors(file, tensors_).ok());
    return file;
  }
  static absl::StatusOr<Picture> Drawn(const std::filesystem::path& model, const std::string& configuration) {
    auto engine = PictureEngine::Open(model, {.threads = 2, .configuration = configuration});
    if (!engine.ok()) return engine.status();
    PictureRequest request = {.prompt = "the boat sways", .negative = "grass", .width = 40, .height = 24};
    request.steps = 2;
    request.start = Picture::Blank(40, 24);  // so that the encoder is used
    const auto drawn = (*engine)->Draw(request, {}, {});
    if (!drawn.ok()) return drawn.status();
    return drawn->picture;
  }
  std::string Refusal() const {
    return std::string(Drawn(Write(), folder_.path().string()).status().message());
  }

  ScratchFolder folder_;
  Tensors tensors_;
  Picture expected_;
};

TEST_F(SingleFile, DrawsWhatTheSameWeightsDrawInADirectory) {
  const auto drawn = Drawn(Write(), folder_.path().string());
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(*drawn, expected_);
  // Every name was turned by a rule: the formulas of this file and the engine's are each other's inverse.
  for (const char* part : {"unet", "vae", "text_encoder"}) {
    const ModelDirectory model = ModelDirectory::Open(folder_.path()).value();
    const Weights weights = OpenFromSingleFile(Write(), *model.Find(part)).value();
    for (const StoredTensor* tensor : weights.All())
      EXPECT_FALSE(absl::StrContains(tensor->name, "_model.") &&
                   !absl::StrContains(tensor->name, "text_model."))
          << tensor->name;
  }
}

TEST_F(SingleFile, WantsConfigurationsAndSaysWhatIsWrong) {
  EXPECT_THAT(std::string(Drawn(Write(), "").status().message()),
              AllOf(HasSubstr("whole.safetensors: is a single file"), HasSubstr("--config DIR")));
  const Tensors whole = tensors_;
  tensors_.emplace_back("model.diffusion_model.label_emb.0.0.weight", Tensor(DType::kF32, {3}));
  EXPECT_THAT(Refusal(), HasSubstr("holds \"model.diffusion_model.label_emb.0.0.weight\""));
  tensors_ = whole;
  std::erase_if(tensors_,
                [](const auto& t) { return absl::StrContains(t.first, "input_blocks.4.0.in_layers.2"); });
  EXPECT_THAT(Refusal(), HasSubstr("has no tensor \"down_blocks.1.resnets.0.conv1.weight\""));
  tensors_ = {whole[0]};
  EXPECT_THAT(Refusal(), HasSubstr("holds no text_encoder in the original layout"));
  tensors_ = whole;
  tensors_.emplace_back("cond_stage_model.model.ln_final.weight", Tensor(DType::kF32, {3}));
  EXPECT_THAT(Refusal(), HasSubstr("single files are read of 1.x only"));
}

TEST_F(SingleFile, NeedsNoSafetyChecker) {
  std::ifstream stream(folder_.path() / "model_index.json");
  std::string index{std::istreambuf_iterator<char>(stream), {}};
  index = absl::StrReplaceAll(index,
                              {{"\"safety_checker\":[null,null]",
                                "\"safety_checker\":[\"stable_diffusion\",\"StableDiffusionSafetyChecker\"],"
                                "\"feature_extractor\":[\"transformers\",\"CLIPImageProcessor\"]"}});
  ASSERT_TRUE(absl::StrContains(index, "StableDiffusionSafetyChecker"));
  folder_.Write("model_index.json", index);
  const auto drawn = Drawn(Write(), folder_.path().string());
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(*drawn, expected_);
}

}  // namespace
}  // namespace ringway::engine
