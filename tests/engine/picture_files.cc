#include "tests/engine/picture_files.h"

#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/networks/autoencoder.h"
#include "engine/networks/clip.h"
#include "engine/networks/unet_sd.h"
#include "engine/networks/vae.h"
#include "tests/engine/clip_vocabulary.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/model_files.h"

namespace ringway::engine {
namespace {

constexpr char kIndexOfXlParts[] =
    R"("unet":["diffusers","UNet2DConditionModel"],
  "text_encoder":["transformers","CLIPTextModel"],"tokenizer":["transformers","CLIPTokenizer"],
  "text_encoder_2":["transformers","CLIPTextModelWithProjection"],"tokenizer_2":["transformers","CLIPTokenizer"],
  "force_zeros_for_empty_prompt":true,"add_watermarker":null,)";
constexpr char kIndexOfParts[] =
    R"("unet":["diffusers","UNet2DConditionModel"],
  "text_encoder":["transformers","CLIPTextModel"],"tokenizer":["transformers","CLIPTokenizer"],
  "safety_checker":[null,null],"requires_safety_checker":false,)";

Json JsonOf(const std::string& text) { return Json::Parse(text, "golden").value(); }

ClipVocabulary Vocabulary() {
  std::ifstream file(std::string(RINGWAY_SOURCE_DIR) + "/tests/engine/golden/clip_tokens.json");
  std::ostringstream text;
  text << file.rdbuf();
  return ClipVocabulary(JsonOf(text.str()));
}

void WriteControl(const ScratchFolder& folder, const std::string& name, const std::string& seed,
                  const std::string& text) {
  folder.Write(name + "/config.json", text);
  const ControlNetConfig config = ReadControlNetConfig(Config(JsonOf(text), name)).value();
  HashWeights all;
  WriteComponentWeights(folder, name + "/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    w.Seed(seed);
    BuildControlCondition(config, w, 4, 4);
    BuildControlNet(config, w, {1, 4, 4}, 77);
  });
}

Config PartOf(const Json& config, const char* file) {
  return Config(JsonOf(*config.Find("files")->Find(file)->string()), file);
}

}  // namespace

Autoencoder AutoencoderOf(Config config) {
  if (config.Text("_class_name", "AutoencoderKL") == "AutoencoderTiny")
    return Autoencoder(ReadTinyVaeConfig(std::move(config)).value());
  return Autoencoder(ReadVaeConfig(std::move(config)).value());
}

std::uint64_t WritePictureModel(const ScratchFolder& folder, const std::string& name) {
  const Json config = JsonOf(ReadGolden(name).config);
  for (const auto& [file, text] : *config.Find("files")->object()) folder.Write(file, *text.string());
  const bool xl = config.Find("files")->Find("text_encoder_2/config.json") != nullptr;
  folder.Write(
      "model_index.json",
      absl::StrCat(R"({"_class_name":"StableDiffusion)", xl ? "XL" : "", R"(Pipeline","vae":["diffusers",")",
                   PartOf(config, "vae/config.json").Text("_class_name", "AutoencoderKL"), "\"],",
                   xl ? kIndexOfXlParts : kIndexOfParts, R"("scheduler":["diffusers",")",
                   *config.Find("scheduler_class")->string(), "\"]}"));
  const ClipVocabulary words = Vocabulary();
  for (const char* tokenizer : {"tokenizer", "tokenizer_2"}) {
    if (!xl && std::string_view(tokenizer) == "tokenizer_2") break;
    folder.Write(absl::StrCat(tokenizer, "/vocab.json"), words.vocabulary);
    folder.Write(absl::StrCat(tokenizer, "/merges.txt"), words.merges);
  }
  const SdUNetConfig unet = ReadSdUNetConfig(PartOf(config, "unet/config.json")).value();
  const Autoencoder vae = AutoencoderOf(PartOf(config, "vae/config.json"));
  const ClipConfig clip = ReadClipConfig(PartOf(config, "text_encoder/config.json")).value();
  HashWeights all;
  WriteComponentWeights(folder, "unet/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    BuildSdUNet(unet, w, {1, 4, 4}, clip.tokens_max);
  });
  WriteComponentWeights(folder, "vae/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    vae.BuildEncoder(w, 4, 4);
    vae.BuildDecoder(w, 4, 4);
  });
  HashWeights texts, second;  // of XL: two of the same names
  WriteComponentWeights(folder, "text_encoder/model.safetensors", xl ? texts : all,
                        [&](HashWeights& w) { BuildClipText(clip, w, 1); });
  if (xl) {
    const ClipConfig projected = ReadClipConfig(PartOf(config, "text_encoder_2/config.json")).value();
    WriteComponentWeights(folder, "text_encoder_2/model.safetensors", second, [&](HashWeights& w) {
      BuildClipText(projected, w, 1, 0, ClipTextResult::kBeforeLastAndSummary);
    });
  }
  return all.ListHash();
}

void WriteControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed) {
  std::string text =
      R"({"_class_name":"ControlNetModel","in_channels":4,"block_out_channels":[32,64,64],"layers_per_block":2,
      "attention_head_dim":4,"cross_attention_dim":40,"conditioning_embedding_out_channels":[16,32,96,256],
      "down_block_types":["CrossAttnDownBlock2D","CrossAttnDownBlock2D","DownBlock2D"]})";
  WriteControl(folder, name, seed, text);
}

// As the released ones are configured, but for the widths: what XL is told is told to them too.
void WriteXlControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed) {
  WriteControl(folder, name, seed,
               R"({"_class_name":"ControlNetModel","in_channels":4,"block_out_channels":[32,64,64],
      "layers_per_block":2,"attention_head_dim":[2,4,4],"num_attention_heads":null,"cross_attention_dim":88,
      "use_linear_projection":true,"transformer_layers_per_block":[1,2,10],"addition_embed_type":"text_time",
      "addition_time_embed_dim":16,"projection_class_embeddings_input_dim":120,"class_embed_type":null,
      "encoder_hid_dim_type":null,"global_pool_conditions":false,"mid_block_type":"UNetMidBlock2DCrossAttn",
      "conditioning_embedding_out_channels":[16,32,96,256],"controlnet_conditioning_channel_order":"rgb",
      "down_block_types":["DownBlock2D","CrossAttnDownBlock2D","CrossAttnDownBlock2D"]})");
}

void WriteSmallControlNet(const ScratchFolder& folder, const std::string& name, const std::string& seed) {
  WriteControl(folder, name, seed,
               R"({"_class_name":"ControlNetModel","in_channels":8,"block_out_channels":[48,96],
      "layers_per_block":1,"attention_head_dim":[2,3],"cross_attention_dim":40,"norm_num_groups":24,
      "conditioning_embedding_out_channels":[16,32,64,64],
      "down_block_types":["CrossAttnDownBlock2D","CrossAttnDownBlock2D"]})");
}

void WriteMotionAdapter(const ScratchFolder& folder, const std::string& name, const std::string& seed) {
  const std::string text =
      R"({"_class_name":"MotionAdapter","block_out_channels":[32,64,64],"motion_layers_per_block":2,
      "motion_num_attention_heads":4,"motion_norm_num_groups":32,"motion_max_seq_length":12,
      "motion_mid_block_layers_per_block":1,"use_motion_mid_block":true,"conv_in_channels":null})";
  folder.Write(name + "/config.json", text);
  const MotionAdapterConfig config = ReadMotionAdapterConfig(Config(JsonOf(text), name)).value();
  HashWeights all;
  WriteComponentWeights(folder, name + "/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    w.Seed(seed);
    BuildMotionModules(config, w);
  });
}

void WriteTinyAutoencoder(const ScratchFolder& folder, const std::string& name) {
  const std::string text =
      R"({"_class_name":"AutoencoderTiny","decoder_block_out_channels":[32,32,32,32],"num_decoder_blocks":[3,3,3,1],
      "encoder_block_out_channels":[32,32,32,32],"num_encoder_blocks":[1,1,2,1],"latent_channels":4,"out_channels":3})";
  folder.Write(name + "/config.json", text);
  const TinyVaeConfig config = ReadTinyVaeConfig(Config(JsonOf(text), name)).value();
  HashWeights all;
  WriteComponentWeights(folder, name + "/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    BuildTinyDecoder(config, w, 4, 4);
    BuildTinyEncoder(config, w, 32, 32);
  });
}

void MakeInpainting(const ScratchFolder& folder) {
  std::ifstream stream(folder.path() / "unet/config.json");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  text = absl::StrReplaceAll(text, {{"\"in_channels\": 4", "\"in_channels\": 9"}});
  folder.Write("unet/config.json", text);
  const SdUNetConfig unet = ReadSdUNetConfig(Config(JsonOf(text), "unet")).value();
  HashWeights all;
  WriteComponentWeights(folder, "unet/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
    BuildSdUNet(unet, w, {1, 4, 4}, 77);
  });
}

PictureRequest GoldenRequest(const Golden& golden) {
  const Json config = JsonOf(golden.config);
  const Json& asked = *config.Find("request");
  const auto whole = [&](const char* key) { return static_cast<int>(*asked.Find(key)->integer()); };
  PictureRequest request;
  request.prompt = *asked.Find("prompt")->string();
  request.negative = *asked.Find("negative")->string();
  request.scheduler = *asked.Find("scheduler")->string();
  request.guidance = asked.Find("guidance")->number();
  request.clip_skip = whole("clip_skip");
  request.steps = whole("steps");
  request.width = whole("width");
  request.height = whole("height");
  request.strength = asked.Find("strength")->number();
  if (request.strength < 1) {
    request.start = Picture::Blank(request.width, request.height);
    for (std::size_t i = 0; i < request.start->rgb.size(); ++i)
      request.start->rgb[i] = static_cast<std::uint8_t>((HashedUniform(Fnv1a("photo"), i) + 1.0f) * 127.5f);
  }
  return request;
}

}  // namespace ringway::engine
