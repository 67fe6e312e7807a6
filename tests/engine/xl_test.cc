// Stable Diffusion XL as callers see it, small: what it chooses, what counts, and directories with something
// wrong in them, which are refused by file and field or tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class XlFiles : public testing::Test {
 protected:
  XlFiles() { WritePictureModel(folder_, "picture_sdxl"); }
  std::string Text(const std::string& file) const {
    std::ifstream stream(folder_.path() / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void Change(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string text = Text(file);
    ASSERT_NE(text.find(from), std::string::npos) << text;
    folder_.Write(file, absl::StrReplaceAll(text, {{from, to}}));
  }
  absl::StatusOr<DrawnPicture> Drawn(PictureRequest request) const {
    auto engine = PictureEngine::Open(folder_.path(), {.threads = 2});
    if (!engine.ok()) return engine.status();
    if (request.width == 0) request.width = request.height = 16;
    if (request.steps == 0) request.steps = 1;
    return (*engine)->Draw(request, {}, {});
  }
  std::string Refusal() const { return std::string(Drawn({.prompt = "boat"}).status().message()); }
  // A file of the folder with one tensor less.
  void Drop(const std::string& file, const std::string& lost) const {
    const Weights weights = Weights::Open(folder_.path() / file).value();
    std::vector<std::pair<std::string, Tensor>> kept;
    for (const StoredTensor* stored : weights.All()) {
      if (stored->name == lost) continue;
      Shape shape;
      for (const std::int64_t d : stored->dims) shape.Append(d);
      std::vector<float> values(static_cast<std::size_t>(shape.elements()));
      EXPECT_TRUE(weights.ReadRows(stored->name, 0, 1, values).ok());
      kept.emplace_back(stored->name, Tensor::FromFloats(shape, values));
    }
    EXPECT_LT(kept.size(), weights.All().size()) << lost;
    EXPECT_TRUE(WriteSafetensors(folder_.path() / file, kept).ok());
  }

  ScratchFolder folder_;
};

TEST_F(XlFiles, ChoosesAndReadsWhatXlDoes) {
  const auto engine = PictureEngine::Open(folder_.path(), {.threads = 2}).value();
  PictureRequest request = {.prompt = "the boat", .steps = 2};
  const auto plain = engine->Draw(request, {}, {});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->picture.width, 32);
  EXPECT_EQ(plain->guidance, 5.0);
  EXPECT_EQ(plain->scheduler, "euler");
  EXPECT_THAT(plain->notes, IsEmpty());
  std::vector<PictureRequest> others(4, request);
  others[0].prompt = "the water";
  others[1].negative = "grass";
  others[2].clip_skip = 1;
  others[3].guidance = 1;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto drawn = engine->Draw(others[i], {}, {});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_NE(drawn->picture, plain->picture) << i;
  }
  EXPECT_EQ(engine->Draw(request, {}, {})->picture, plain->picture);
  request.clip_skip = 2;  // of three layers the smaller encoder has one before the last
  EXPECT_THAT(std::string(engine->Draw(request, {}, {}).status().message()),
              HasSubstr("clip skip is 2; allowed are 0 to 1"));
}

TEST_F(XlFiles, AnEmptyNegativePromptIsZerosWhereTheIndexSaysSo) {
  const Picture zeros = Drawn({.prompt = "boat"})->picture;
  Change("model_index.json", "\"force_zeros_for_empty_prompt\":true",
         "\"force_zeros_for_empty_prompt\":false");
  EXPECT_NE(Drawn({.prompt = "boat"})->picture, zeros);
}

TEST_F(XlFiles, AdaptersChangeEitherTextEncoderAndTheUNet) {
  const Picture plain = Drawn({.prompt = "boat", .steps = 2})->picture;
  const auto with = [&](const std::string& layer, std::int64_t side) {
    std::vector<float> values(static_cast<std::size_t>(4 * side));
    FillHashed("adapter", values);
    const std::pair<std::string, Tensor> both[] = {
        {layer + ".lora_down.weight", Tensor::FromFloats({4, side}, values)},
        {layer + ".lora_up.weight", Tensor::FromFloats({side, 4}, values)}};
    EXPECT_TRUE(WriteSafetensors(folder_.path() / "lora.safetensors", both).ok());
    const auto drawn =
        Drawn({.prompt = "boat", .steps = 2, .adapters = {{(folder_.path() / "lora.safetensors").string()}}});
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? drawn->picture : Picture();
  };
  EXPECT_NE(with("lora_te1_text_model_encoder_layers_0_self_attn_v_proj", 40), plain);
  EXPECT_NE(with("lora_te2_text_model_encoder_layers_0_self_attn_v_proj", 48), plain);
  const Picture stock = with("lora_unet_down_blocks_1_attentions_1_transformer_blocks_1_attn1_to_out_0", 64);
  EXPECT_NE(stock, plain);
  // What most XL adapters are: kohya's keys with the original numbers of the blocks.
  const std::string original = "lora_unet_input_blocks_5_1_transformer_blocks_1_attn1_to_out_0";
  EXPECT_EQ(with(original, 64), stock);
}

TEST_F(XlFiles, ControlNetworksAreToldWhatTheUNetIsTold) {
  WriteXlControlNet(folder_, "edges", "");
  const auto with = [&](const std::string& name, std::uint8_t grey) {
    ControlRequest control{(folder_.path() / name).string(), Picture::Blank(20, 30)};
    std::ranges::fill(control.picture.rgb, grey);
    return Drawn({.prompt = "boat", .steps = 2, .controls = {control}});
  };
  const Picture plain = Drawn({.prompt = "boat", .steps = 2})->picture;
  const auto controlled = with("edges", 200);
  ASSERT_TRUE(controlled.ok()) << controlled.status();
  EXPECT_NE(controlled->picture, plain);
  EXPECT_NE(with("edges", 20)->picture, controlled->picture);
  EXPECT_EQ(with("edges", 200)->picture, controlled->picture);
  const std::string file = "edges/diffusion_pytorch_model.safetensors", whole = Text(file);
  Drop(file, "add_embedding.linear_1.weight");
  EXPECT_THAT(std::string(with("edges", 200).status().message()),
              AllOf(HasSubstr(file), HasSubstr("has no tensor \"add_embedding.linear_1.weight\"")));
  folder_.Write(file, whole);
  Change("edges/config.json", "\"projection_class_embeddings_input_dim\":120",
         "\"projection_class_embeddings_input_dim\":136");
  EXPECT_THAT(std::string(with("edges", 200).status().message()),
              AllOf(HasSubstr("edges/config.json"), HasSubstr("a summary of 40"),
                    HasSubstr("a summary of 24"), HasSubstr("different models")));
  WriteControlNet(folder_, "old", "");
  EXPECT_THAT(std::string(with("old", 200).status().message()),
              AllOf(HasSubstr("old/config.json"), HasSubstr("different models")));
}

TEST_F(XlFiles, PartsThatDoNotFitAreNamed) {
  const std::vector<std::array<std::string, 4>> changes = {
      {"unet/config.json", "\"cross_attention_dim\": 88", "\"cross_attention_dim\": 40",
       "\"cross_attention_dim\" is 40, but \"hidden_size\""},
      {"unet/config.json", "\"projection_class_embeddings_input_dim\": 120",
       "\"projection_class_embeddings_input_dim\": 128", "leaves 32 for the prompt's summary"},
      {"unet/config.json", "\"addition_embed_type\": \"text_time\"", "\"addition_embed_type\": null",
       "but model_index.json says StableDiffusionXLPipeline"},
      {"text_encoder_2/config.json", "\"projection_dim\": 24", "\"projection_dim\": 32",
       "\"projection_dim\" of"},
      {"text_encoder_2/config.json", "\"max_position_embeddings\": 77", "\"max_position_embeddings\": 64",
       "\"max_position_embeddings\" is 64"},
      {"vae/config.json", "\"scaling_factor\"", "\"latents_mean\": [0, 0, 0, 0], \"scaling_factor\"",
       "\"latents_mean\" is"},
      {"model_index.json", "CLIPTextModelWithProjection", "CLIPTextModel",
       "\"text_encoder_2\" is a CLIPTextModel; allowed: CLIPTextModelWithProjection"},
      {"model_index.json", "\"tokenizer_2\"", "\"tokenizer_3\"", "no such directory"},
      // A refiner has one text encoder.
      {"model_index.json", "\"text_encoder\":[\"transformers\",\"CLIPTextModel\"]",
       "\"text_encoder\":[null,null]", "lists no \"text_encoder\""}};
  for (const auto& [file, from, to, says] : changes) {
    const std::string right = Text(file);
    Change(file, from, to);
    EXPECT_THAT(Refusal(), HasSubstr(says)) << file << ": " << to;
    folder_.Write(file, right);
  }
  EXPECT_EQ(Refusal(), "");
}

TEST_F(XlFiles, TensorsThatAreMissingAreNamed) {
  for (const auto& [file, tensor] :
       {std::pair{"text_encoder_2/model.safetensors", "text_projection.weight"},
        {"text_encoder_2/model.safetensors", "text_model.encoder.layers.3.mlp.fc2.bias"},
        {"unet/diffusion_pytorch_model.safetensors", "add_embedding.linear_2.weight"},
        {"unet/diffusion_pytorch_model.safetensors",
         "mid_block.attentions.0.transformer_blocks.9.attn1.to_q.weight"}}) {
    const std::string whole = Text(file);
    Drop(file, tensor);
    EXPECT_THAT(Refusal(), AllOf(HasSubstr(file), HasSubstr(absl::StrCat("has no tensor \"", tensor, "\""))));
    folder_.Write(file, whole);
  }
  EXPECT_EQ(Refusal(), "");
}

}  // namespace
}  // namespace ringway::engine
