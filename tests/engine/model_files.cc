#include "tests/engine/model_files.h"

#include "absl/strings/str_cat.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/networks/clip.h"
#include "engine/networks/motion_conditioner.h"
#include "engine/networks/unet_svd.h"
#include "engine/networks/vae.h"

namespace ringway::engine {
namespace {

constexpr char kMotionIndex[] = R"({"_class_name":"MotionFieldPipeline",
  "unet":["diffusers","UNetSpatioTemporalConditionModel"],"text_encoder":["transformers","CLIPTextModel"],
  "conditioner":["ringway","MotionConditioner"],"tokenizer":["ringway","WordTokenizer"],
  "field":["ringway","MotionField"],"scheduler":["diffusers","DPMSolverMultistepScheduler"]})";
constexpr char kMotionUNet[] = R"({"in_channels":32,"out_channels":16,"block_out_channels":[32,64],
  "down_block_types":["DownBlockSpatioTemporal","CrossAttnDownBlockSpatioTemporal"],
  "up_block_types":["CrossAttnUpBlockSpatioTemporal","UpBlockSpatioTemporal"],"layers_per_block":1,
  "cross_attention_dim":48,"num_attention_heads":[2,4],"addition_time_embed_dim":16,
  "projection_class_embeddings_input_dim":48})";
constexpr char kMotionText[] = R"({"hidden_size":48,"intermediate_size":64,"num_hidden_layers":1,
  "num_attention_heads":3,"hidden_act":"gelu","vocab_size":256,"max_position_embeddings":16})";
constexpr char kConditioner[] = R"({"picture_size":64,"in_channels":8,"block_out_channels":[16,24,32],
  "text_channels":48,"out_channels":16})";
constexpr char kField[] =
    R"({"grid":16,"frames":16,"components":2,"patch":2,"scale_per_frame":[0.001,0.002,0.003,
  0.004,0.005,0.006,0.007,0.008,0.009,0.010,0.011,0.012,0.013,0.014,0.015,0.016]})";
constexpr char kVocabulary[] =
    R"({"<pad>":0,"<unk>":1,"zoom":7,"in":5,"slowly":9,"the":3,"grass":120,"sways":255,
  "gently":64})";

constexpr char kVideoIndex[] = R"({"_class_name":"StableVideoDiffusionPipeline",
  "unet":["diffusers","UNetSpatioTemporalConditionModel"],"vae":["diffusers","AutoencoderKLTemporalDecoder"],
  "image_encoder":["transformers","CLIPVisionModelWithProjection"],"scheduler":["diffusers","EulerDiscreteScheduler"],
  "feature_extractor":["transformers","CLIPImageProcessor"]})";
constexpr char kVideoUNet[] =
    R"({"in_channels":8,"out_channels":4,"num_frames":4,"block_out_channels":[32,64],
  "down_block_types":["CrossAttnDownBlockSpatioTemporal","DownBlockSpatioTemporal"],
  "up_block_types":["UpBlockSpatioTemporal","CrossAttnUpBlockSpatioTemporal"],"layers_per_block":1,
  "cross_attention_dim":40,"num_attention_heads":[2,4],"addition_time_embed_dim":16,
  "projection_class_embeddings_input_dim":48})";
constexpr char kVideoVae[] = R"({"block_out_channels":[32,64],"layers_per_block":2,"latent_channels":4,
  "scaling_factor":0.18215})";
constexpr char kVision[] =
    R"({"hidden_size":48,"intermediate_size":96,"num_hidden_layers":2,"num_attention_heads":3,
  "hidden_act":"gelu","image_size":28,"patch_size":7,"projection_dim":40})";

Config Read(std::string_view text) { return Config(Json::Parse(text, "test").value(), "test"); }

// Everything that the networks asked `asked` for, in one file.
void WriteWeights(const ScratchFolder& folder, const std::string& file, HashWeights& asked) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  const auto names = asked.names();
  for (const auto& [name, dims] : names) {
    Shape shape;
    for (const std::int64_t d : dims) shape.Append(d);
    tensors.emplace_back(name, Tensor::FromFloats(shape, asked.Take(name, dims).value()));
  }
  RINGWAY_CHECK(WriteSafetensors(folder.path() / file, tensors).ok());
}

template <typename Build>
void WriteComponent(const ScratchFolder& folder, const std::string& name, std::string_view config,
                    const std::string& file, HashWeights& all, Build build) {
  folder.Write(name + "/config.json", config);
  WriteComponentWeights(folder, name + "/" + file, all, build);
}

constexpr char kDiffusers[] = "diffusion_pytorch_model.safetensors";

}  // namespace

void WriteComponentWeights(const ScratchFolder& folder, const std::string& file, HashWeights& all,
                           const std::function<void(HashWeights&)>& build) {
  HashWeights own;
  build(own);
  std::filesystem::create_directories((folder.path() / file).parent_path());
  WriteWeights(folder, file, own);
  build(all);
}

std::uint64_t WriteMotionModel(const ScratchFolder& folder, const MotionModelChoice& choice) {
  folder.Write("model_index.json", kMotionIndex);
  folder.Write("field/config.json", kField);
  folder.Write("tokenizer/vocab.json", kVocabulary);
  folder.Write(
      "scheduler/scheduler_config.json",
      absl::StrCat(
          R"({"prediction_type":"sample","log_snr_first":-12.0,"log_snr_last":3.0,"time_first":1000,)",
          R"("time_last":0,"num_inference_steps":)", choice.steps, R"(,"image_guidance_scale":)",
          choice.image_scale, R"(,"guidance_scale":)", choice.text_scale, "}"));
  HashWeights all;
  WriteComponent(folder, "unet", kMotionUNet, kDiffusers, all, [](HashWeights& w) {
    BuildSvdUNet(ReadSvdUNetConfig(Read(kMotionUNet)).value(), w, {{1, 8}, 8, 8}, 16);
  });
  WriteComponent(folder, "text_encoder", kMotionText, "model.safetensors", all,
                 [](HashWeights& w) { BuildClipText(ReadClipConfig(Read(kMotionText)).value(), w, 1); });
  WriteComponent(folder, "conditioner", kConditioner, kDiffusers, all, [](HashWeights& w) {
    BuildMotionConditioner(ReadMotionConditionerConfig(Read(kConditioner)).value(), w);
  });
  return all.ListHash();
}

void WriteVideoModel(const ScratchFolder& folder) {
  folder.Write("model_index.json", kVideoIndex);
  folder.Write("feature_extractor/preprocessor_config.json", "{}");
  folder.Write("scheduler/scheduler_config.json",
               R"({"sigma_max":700.0,"sigma_min":0.002,"prediction_type":"v_prediction"})");
  HashWeights all;
  WriteComponent(folder, "unet", kVideoUNet, kDiffusers, all, [](HashWeights& w) {
    BuildSvdUNet(ReadSvdUNetConfig(Read(kVideoUNet)).value(), w, {{1, 4}, 8, 8}, 1);
  });
  WriteComponent(folder, "vae", kVideoVae, kDiffusers, all, [](HashWeights& w) {
    const VaeConfig vae = ReadVaeConfig(Read(kVideoVae)).value();
    BuildVaeEncoder(vae, w, 1, 16, 16);
    BuildVaeTemporalDecoder(vae, w, {{1, 2}, 8, 8});
  });
  WriteComponent(folder, "image_encoder", kVision, "model.safetensors", all,
                 [](HashWeights& w) { BuildClipVision(ReadClipConfig(Read(kVision)).value(), w); });
}

}  // namespace ringway::engine
