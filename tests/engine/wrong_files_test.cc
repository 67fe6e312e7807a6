// Stable Diffusion directories with something wrong in them: the answer names the file and the tensor or the
// field, nothing is half loaded, and an engine that is open goes on. And directories in less usual layouts,
// which are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kUNet[] = "unet/diffusion_pytorch_model";
constexpr char kVae[] = "vae/diffusion_pytorch_model";
using Tensors = std::vector<std::pair<std::string, Tensor>>;

class WrongFiles : public testing::Test {
 protected:
  WrongFiles() { WritePictureModel(folder_, "picture_sd1"); }

  std::filesystem::path File(const std::string& stem) const {
    return folder_.path() / (stem + ".safetensors");
  }
  Tensors TensorsOf(const std::string& stem) const {
    const Weights weights = Weights::Open(File(stem)).value();
    Tensors tensors;
    for (const StoredTensor* stored : weights.All()) {
      Shape shape;
      for (const std::int64_t d : stored->dims) shape.Append(d);
      std::vector<float> values(static_cast<std::size_t>(shape.elements()));
      EXPECT_TRUE(weights.ReadRows(stored->name, 0, shape.elements() / shape.dim(0), values).ok());
      tensors.emplace_back(stored->name, Tensor::FromFloats(shape, values));
    }
    return tensors;
  }
  void Write(const std::string& stem, const Tensors& tensors) const {
    ASSERT_TRUE(WriteSafetensors(File(stem), tensors).ok());
  }
  // Every other tensor into each of two shards, with an index of this name.
  void Shard(const std::string& stem, const std::string& index) const {
    const Tensors all = TensorsOf(stem);
    Tensors shards[2];
    std::string map;
    for (std::size_t i = 0; i < all.size(); ++i) {
      shards[i % 2].push_back(all[i]);
      absl::StrAppend(&map, map.empty() ? "" : ",", "\"", all[i].first, "\":\"part-", i % 2,
                      ".safetensors\"");
    }
    std::filesystem::remove(File(stem));
    for (int i = 0; i < 2; ++i) Write(absl::StrCat(stem.substr(0, stem.find('/')), "/part-", i), shards[i]);
    folder_.Write(stem.substr(0, stem.find('/') + 1) + index, "{\"weight_map\":{" + map + "}}");
  }
  void Cut(const std::filesystem::path& file, std::uintmax_t bytes) const {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - bytes);
  }
  // Into one field of a component's configuration.
  void Change(const std::string& file, const std::string& from, const std::string& to) const {
    std::ifstream stream(folder_.path() / file);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_NE(text.find(from), std::string::npos) << text;
    text.replace(text.find(from), from.size(), to);
    folder_.Write(file, text);
  }
  static absl::StatusOr<DrawnPicture> Drawn(const std::filesystem::path& model) {
    auto engine = PictureEngine::Open(model, {.threads = 2});
    if (!engine.ok()) return engine.status();
    return (*engine)->Draw({.prompt = "boat", .width = 16, .height = 16, .steps = 1}, {}, {});
  }
  std::string Refusal() const { return std::string(Drawn(folder_.path()).status().message()); }
  Picture Drawing() const {
    const auto drawn = Drawn(folder_.path());
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? drawn->picture : Picture();
  }

  ScratchFolder folder_;
};

TEST_F(WrongFiles, ShardsAndHalfPrecisionUnderEveryNameAreRight) {
  const Picture whole = Drawing();
  const Tensors unet = TensorsOf(kUNet);
  for (const char* index : {"diffusion_pytorch_model.safetensors.index.json",
                            "diffusion_pytorch_model.safetensors.index.fp16.json",
                            "diffusion_pytorch_model.fp16.safetensors.index.json"}) {
    Write(kUNet, unet);
    Shard(kUNet, index);
    EXPECT_EQ(Drawing(), whole) << index;
    std::filesystem::remove(folder_.path() / "unet" / index);
  }
  Write(std::string(kUNet) + ".fp16", unet);
  EXPECT_EQ(Drawing(), whole);
}

TEST_F(WrongFiles, TruncatedFilesAreNamed) {
  Shard(kUNet, "diffusion_pytorch_model.safetensors.index.json");
  Cut(folder_.path() / "unet/part-1.safetensors", 1000);
  EXPECT_THAT(Refusal(), HasSubstr("unet/part-1.safetensors"));
  std::filesystem::remove(folder_.path() / "unet/part-1.safetensors");
  EXPECT_THAT(Refusal(), HasSubstr("unet/part-1.safetensors"));
  Cut(File("text_encoder/model"), 4);
  EXPECT_THAT(Refusal(), HasSubstr("text_encoder/model.safetensors"));
}

TEST_F(WrongFiles, MissingTensorsAreNamed) {
  for (const char* stem : {kUNet, kVae, "text_encoder/model"}) {
    const Tensors all = TensorsOf(stem);
    Tensors less = all;
    const std::string lost = less[less.size() / 3].first;  // of the VAE: one of the decoder's
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(less.size() / 3));
    Write(stem, less);
    EXPECT_THAT(Refusal(), AllOf(HasSubstr(stem), HasSubstr("has no tensor \"" + lost + "\"")));
    Write(stem, all);
  }
  std::filesystem::remove(File(kVae));
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("vae: holds no weights"), HasSubstr("fp16.safetensors")));
}

TEST_F(WrongFiles, TensorsThatNobodyAskedForAreNamed) {
  for (const auto& [stem, name] : {std::pair{kUNet, "add_embedding.linear_1.weight"},
                                   {kVae, "decoder.time_conv_out.weight"},
                                   {kVae, "loss.logvar"},
                                   {"text_encoder/model", "visual_projection.weight"}}) {
    const Tensors all = TensorsOf(stem);
    Tensors more = all;
    more.emplace_back(name, Tensor(DType::kF32, {3}));
    Write(stem, more);
    EXPECT_THAT(Refusal(), HasSubstr(absl::StrCat("holds \"", name, "\"")));
    Write(stem, all);
  }
  EXPECT_TRUE(Drawn(folder_.path()).ok());
}

TEST_F(WrongFiles, ShapesThatTheConfigurationDoesNotMeanAreNamed) {
  Change("text_encoder/config.json", "\"intermediate_size\": 80", "\"intermediate_size\": 96");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("text_encoder/model.safetensors: tensor \"text_model.encoder."),
                               HasSubstr("has shape [80, 40]; its configuration asks for [96, 40]")));
}

TEST_F(WrongFiles, NumbersThatAreNoneAreNamed) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    WritePictureModel(folder_, "picture_sd1");
    Tensors tensors = TensorsOf(kUNet);
    tensors[10].second.As<float>()[3] = value;
    Write(kUNet, tensors);
    EXPECT_THAT(Refusal(), AllOf(HasSubstr(kUNet), HasSubstr("\"" + tensors[10].first + "\" holds"),
                                 HasSubstr("at element 3")));
  }
}

TEST_F(WrongFiles, PartsOfDifferentModelsAreToldApart) {
  const std::pair<std::pair<const char*, const char*>, const char*> changes[] = {
      {{"\"cross_attention_dim\": 40", "\"cross_attention_dim\": 1024"},
       "\"cross_attention_dim\" is 1024, but \"hidden_size\""},
      {{"\"in_channels\": 4", "\"in_channels\": 5"}, "models for depth"},
      {{"\"in_channels\": 4", "\"addition_embed_type\": \"text_time\", \"in_channels\": 4"},
       "\"addition_embed_type\" is \"text_time\", but model_index.json says StableDiffusionPipeline"}};
  std::ifstream stream(folder_.path() / "unet/config.json");
  const std::string right{std::istreambuf_iterator<char>(stream), {}};
  for (const auto& [change, says] : changes) {
    folder_.Write("unet/config.json", right);
    Change("unet/config.json", change.first, change.second);
    EXPECT_THAT(Refusal(), AllOf(HasSubstr("unet/config.json"), HasSubstr(says)));
  }
  folder_.Write("unet/config.json", right);
  Change("model_index.json", "AutoencoderKL", "AutoencoderKLTemporalDecoder");
  EXPECT_THAT(Refusal(), HasSubstr("\"vae\" is a AutoencoderKLTemporalDecoder; allowed: AutoencoderKL"));
  Change("model_index.json", "AutoencoderKLTemporalDecoder", "AutoencoderKL");
  Change("model_index.json", "PNDMScheduler", "FlowMatchEulerDiscreteScheduler");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("scheduler_config.json"), HasSubstr("FlowMatchEulerDiscrete")));
}

// What fails for one request leaves what others are drawn with as it was.
TEST_F(WrongFiles, AnOpenEngineGoesOn) {
  Tensors vae = TensorsOf(kVae);
  std::erase_if(vae, [](const auto& tensor) { return tensor.first == "encoder.conv_in.weight"; });
  Write(kVae, vae);
  const PictureRequest small = {.prompt = "boat", .width = 16, .height = 16, .steps = 2};
  PictureRequest from_picture = small;
  from_picture.start = Picture::Blank(16, 16);
  const auto engine = PictureEngine::Open(folder_.path(), {.threads = 2}).value();
  const auto before = engine->Draw(small, {}, {});
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_THAT(std::string(engine->Draw(from_picture, {}, {}).status().message()),
              HasSubstr("has no tensor \"encoder.conv_in.weight\""));
  const auto after = engine->Draw(small, {}, {});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->picture, before->picture);
}

}  // namespace
}  // namespace ringway::engine
