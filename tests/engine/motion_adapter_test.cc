// Motion adapters (AnimateDiff): the UNet against the reference (tests/engine/reference/motion_modules.py),
// films as callers see them, what pictures see of them (nothing), and the wrong adapters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/pipelines/picture_pipeline.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Hashed weights, with tables of positions only where `table` makes them.
class MotionWeights : public HashWeights {
 public:
  using Table = std::function<float(std::int64_t position, std::int64_t channel, std::int64_t channels)>;
  explicit MotionWeights(Table table = {}) : table_(std::move(table)) {}
  bool Has(std::string_view name) const override { return table_ || !name.ends_with("pos_embed.pe"); }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    if (!name.ends_with("pos_embed.pe")) return HashWeights::ReadRows(name, first, row_elements, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::int64_t at = first * row_elements + static_cast<std::int64_t>(i);
      out[i] = table_(at / row_elements, at % row_elements, row_elements);
    }
    return absl::OkStatus();
  }

 private:
  Table table_;
};

// Vaswani et al., 3.5.
float Sinusoid(std::int64_t position, std::int64_t channel, std::int64_t channels) {
  const double pair = static_cast<double>(channel - channel % 2) / static_cast<double>(channels);
  const double angle = static_cast<double>(position) / std::pow(10000.0, pair);
  return static_cast<float>(channel % 2 == 0 ? std::sin(angle) : std::cos(angle));
}

std::vector<float> Predicted(const Golden& golden, WeightSource& weights, const PassOptions& options) {
  const CpuBackend backend({.threads = 2});
  const Graph graph = BuildMotionUNet(ReadSdUNetConfig(ConfigOf(golden, "unet")).value(),
                                      ReadMotionAdapterConfig(ConfigOf(golden, "motion")).value(), weights,
                                      {2, 8, 12}, /*frames=*/5, 77);
  EXPECT_TRUE(graph.status().ok()) << graph.status();
  const auto plan = Plan::Freeze(graph, options, backend, weights).value();
  FillHashed("sample", plan->Input("sample"));
  FillHashed("context", plan->Input("context"));
  plan->Input("time")[0] = 501.0f;
  plan->Run();
  return {plan->Output("prediction").begin(), plan->Output("prediction").end()};
}

TEST(MotionParity, WithTorch) {
  const Golden golden = ReadGolden("motion_unet");
  MotionWeights weights;
  const double f32 = DistanceToGolden(golden, Predicted(golden, weights, {}));
  EXPECT_EQ(weights.ListHash(), golden.names);
  EXPECT_LT(f32, 1e-5);
  const PassOptions plain = {.fold_constants = false, .hoist_expansion = false, .fuse = false};
  EXPECT_LT(DistanceToGolden(golden, Predicted(golden, weights, plain)), 1e-5);
  const double bf16 = DistanceToGolden(golden, Predicted(golden, weights, {.precision = DType::kBF16}));
  EXPECT_LE(bf16, golden.torch_bf16);
  std::printf("  UNet with motion modules: relative L2 f32 %.1e, bf16 %.2e (torch's own %.2e)\n", f32, bf16,
              golden.torch_bf16);
}

TEST(MotionParity, StoredPositionsAreRead) {
  const Golden golden = ReadGolden("motion_unet");
  MotionWeights stored(Sinusoid);
  const PassOptions plain = {.fold_constants = false, .hoist_expansion = false, .fuse = false};
  EXPECT_LT(DistanceToGolden(golden, Predicted(golden, stored, {})), 1e-5);
  EXPECT_LT(DistanceToGolden(golden, Predicted(golden, stored, plain)), 1e-5);
  EXPECT_EQ(stored.names().at("down_blocks.1.motion_modules.0.transformer_blocks.1.pos_embed.pe"),
            (std::vector<std::int64_t>{1, 8, 64}));
  MotionWeights none([](std::int64_t, std::int64_t, std::int64_t) { return 0.0f; });
  EXPECT_GT(DistanceToGolden(golden, Predicted(golden, none, {})), 1e-3) << "positions count";
}

TEST(MotionParity, FramesBeyondThePositionsAreRefused) {
  const Golden golden = ReadGolden("motion_unet");
  MotionWeights weights;
  const Graph graph = BuildMotionUNet(ReadSdUNetConfig(ConfigOf(golden, "unet")).value(),
                                      ReadMotionAdapterConfig(ConfigOf(golden, "motion")).value(), weights,
                                      {1, 8, 8}, /*frames=*/9, 77);
  EXPECT_THAT(std::string(graph.status().message()),
              HasSubstr("9 frames by a motion adapter of 8 positions"));
}

TEST(MotionConfiguration, IsRefusedBeyondWhatIsDone) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"block_out_channels":[]})", "block_out_channels"},
      {R"({"motion_layers_per_block":[2,2,1,2]})", "the same for every block"},
      {R"({"motion_num_attention_heads":7})", "divisors of the channels"},
      {R"({"motion_norm_num_groups":33})", "a divisor of the channels"},
      {R"({"motion_max_seq_length":0})", "\"motion_max_seq_length\" is 0"},
      {R"({"motion_mid_block_layers_per_block":2})", "motion_mid_block_layers_per_block"},
      {R"({"conv_in_channels":9})", "\"conv_in_channels\" is 9"}};
  for (const auto& [text, says] : wrong) {
    const auto read = ReadMotionAdapterConfig(Config(Json::Parse(text, "c").value(), "motion/config.json"));
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(std::string(read.status().message()),
                AllOf(HasSubstr("motion/config.json"), HasSubstr(says)));
  }
  const auto usual = ReadMotionAdapterConfig(Config(Json::Parse("{}", "c").value(), "c")).value();
  EXPECT_TRUE(CheckMotionFits(usual, UNetLayout(), "c").ok()) << "the defaults are Stable Diffusion 1.5's";
}

std::int64_t Parameters(const MotionAdapterConfig& config) {
  HashWeights weights;
  EXPECT_TRUE(BuildMotionModules(config, weights).status().ok());
  std::int64_t sum = 0;
  for (const auto& [name, dims] : weights.names()) {
    std::int64_t elements = 1;
    for (const std::int64_t d : dims) elements *= d;
    if (!name.ends_with("pos_embed.pe")) sum += elements;
  }
  return sum;
}

// The released adapters have 453.2 million, and 417.1 million those without the middle.
TEST(MotionConfiguration, TheDefaultsHaveAsManyParametersAsTheReleasedAdapters) {
  MotionAdapterConfig config;
  EXPECT_EQ(Parameters(config), 453'209'280);
  config.middle = false;
  EXPECT_EQ(Parameters(config), 417'137'600);
}

class Filmed : public testing::Test {
 protected:
  static constexpr int kFrames = 6;
  Filmed()
      : backend_({.threads = 2}),
        open_(std::make_shared<OpenModel>(backend_)),
        model_((WritePictureModel(folder_, "picture_sd1"), ModelDirectory::Open(folder_.path()).value())),
        pipeline_(PicturePipeline::Open({model_, backend_, 2, Precision::kBF16, open_}).value()) {
    WriteMotionAdapter(folder_, "motion");
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  PictureRequest Request(const std::string& motion = "motion") const {
    PictureRequest request{.prompt = "the boat", .width = 24, .height = 16, .steps = 3};
    if (!motion.empty()) request.motion = Path(motion), request.frames = kFrames;
    return request;
  }
  absl::StatusOr<DrawnFilm> Film(const PictureRequest& request) {
    const AnimateProgressFn silent;
    ProgressTeller progress(silent);
    return pipeline_->Film(request, progress, {});
  }
  std::vector<Picture> Frames(const PictureRequest& request) {
    auto film = Film(request);
    EXPECT_TRUE(film.ok()) << film.status();
    return film.ok() ? std::move(film->animation.frames) : std::vector<Picture>();
  }
  absl::StatusOr<DrawnPicture> Draw(const PictureRequest& request) {
    const AnimateProgressFn silent;
    ProgressTeller progress(silent);
    return pipeline_->Draw(request, progress, {});
  }
  Picture Drawn(const PictureRequest& request) {
    const auto drawn = Draw(request);
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? drawn->picture : Picture();
  }
  std::string Refusal(const PictureRequest& request) { return std::string(Film(request).status().message()); }
  // The adapter's file again, `change` of every tensor's name or "" to leave it out.
  void Rewrite(const std::string& name, const std::function<std::string(const std::string&)>& change) const {
    const auto file = folder_.path() / name / "diffusion_pytorch_model.safetensors";
    const Weights weights = Weights::Open(file).value();
    std::vector<std::pair<std::string, Tensor>> kept;
    for (const StoredTensor* stored : weights.All()) {
      const std::string named = change(stored->name);
      if (named.empty()) continue;
      Shape shape;
      for (const std::int64_t d : stored->dims) shape.Append(d);
      std::vector<float> values(static_cast<std::size_t>(shape.elements()));
      EXPECT_TRUE(weights.ReadRows(stored->name, 0, 1, values).ok());
      kept.emplace_back(named, Tensor::FromFloats(shape, values));
    }
    EXPECT_TRUE(WriteSafetensors(file, kept).ok());
  }
  std::string WithConfig(const std::string& from, const std::string& to) {
    WriteMotionAdapter(folder_, "wrong");
    std::ifstream stream(folder_.path() / "wrong/config.json");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_NE(text.find(from), std::string::npos) << from;
    folder_.Write("wrong/config.json", absl::StrReplaceAll(text, {{from, to}}));
    return Refusal(Request("wrong"));
  }

  ScratchFolder folder_;
  CpuBackend backend_;
  std::shared_ptr<OpenModel> open_;
  ModelDirectory model_;
  std::unique_ptr<PicturePipeline> pipeline_;
};

TEST_F(Filmed, ThePromptBecomesFramesOfOneFilm) {
  const auto film = Film(Request());
  ASSERT_TRUE(film.ok()) << film.status();
  ASSERT_EQ(film->animation.frames.size(), 6u);
  EXPECT_EQ(film->animation.delay_ms, 125) << "eight frames a second";
  EXPECT_EQ(film->steps, 3);
  for (const Picture& frame : film->animation.frames) {
    EXPECT_EQ(frame.width, 24);
    EXPECT_EQ(frame.height, 16);
  }
  EXPECT_NE(film->animation.frames[0], film->animation.frames[1]);
  EXPECT_EQ(Frames(Request()), film->animation.frames) << "the same seed, the same film";
  std::vector<PictureRequest> others(4, Request());
  others[0].seed = 1;
  others[1].prompt = "the water";
  others[2].guidance = 1;
  others[3].frames = 5;
  for (const PictureRequest& other : others) EXPECT_NE(Frames(other)[0], film->animation.frames[0]);
  PictureRequest usual = Request();
  usual.frames = 0;
  EXPECT_EQ(Frames(usual).size(), 12u) << "sixteen, or as many as the adapter has positions";
}

TEST_F(Filmed, ProgressRisesAndAStopIsObeyed) {
  std::vector<double> told;
  const AnimateProgressFn tell = [&](const AnimateProgress& p) { told.push_back(p.fraction); };
  ProgressTeller progress(tell);
  ASSERT_TRUE(pipeline_->Film(Request(), progress, {}).ok());
  EXPECT_EQ(told.size(), 3u + kFrames);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_NEAR(told.back(), 1, 1e-9);
  std::stop_source stop;
  const AnimateProgressFn stopping = [&](const AnimateProgress& p) {
    if (p.step == 2) stop.request_stop();
  };
  ProgressTeller stopped(stopping);
  EXPECT_EQ(pipeline_->Film(Request(), stopped, stop.get_token()).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(Filmed, PicturesSeeNothingOfAnAdapter) {
  const Picture plain = Drawn(Request(""));
  const std::size_t frozen = open_->plans().frozen(), derived = open_->derived_weights();
  const std::vector<Picture> film = Frames(Request());
  const std::size_t tensors =
      Weights::Open(folder_.path() / "motion/diffusion_pytorch_model.safetensors")->All().size();
  EXPECT_EQ(open_->plans().frozen(), frozen + 1) << "the UNet with its modules";
  EXPECT_LE(open_->derived_weights() - derived, tensors) << "the UNet's own weights are packed once";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Drawn(Request("")), plain);
    EXPECT_EQ(Frames(Request()), film);
  }
  EXPECT_EQ(open_->plans().frozen(), frozen + 1) << "turning it on or off makes no plan";
}

TEST_F(Filmed, AnotherAdapterTakesItsPlaceAndLoraGoesWithIt) {
  WriteMotionAdapter(folder_, "other", "other");
  const std::vector<Picture> film = Frames(Request());
  EXPECT_NE(Frames(Request("other")), film);
  EXPECT_EQ(Frames(Request()), film);
  std::vector<float> values(4 * 64);
  FillHashed("lora", values);
  const std::string layer = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_out_0";
  const std::pair<std::string, Tensor> lora[] = {
      {layer + ".lora_down.weight", Tensor::FromFloats({4, 64}, values)},
      {layer + ".lora_up.weight", Tensor::FromFloats({64, 4}, values)}};
  ASSERT_TRUE(WriteSafetensors(folder_.path() / "lora.safetensors", lora).ok());
  PictureRequest adapted = Request(), picture = Request("");
  adapted.adapters = picture.adapters = {{Path("lora.safetensors")}};
  const Picture plain = Drawn(Request("")), with = Drawn(picture);
  const std::vector<Picture> moved = Frames(adapted);
  EXPECT_NE(moved, film);
  EXPECT_EQ(Drawn(picture), with);
  EXPECT_NE(with, plain);
  EXPECT_EQ(Frames(Request()), film);
  EXPECT_EQ(Frames(adapted), moved);
  EXPECT_EQ(Drawn(Request("")), plain);
}

TEST_F(Filmed, WrongAdaptersAreNamedAndTheModelGoesOn) {
  const Picture plain = Drawn(Request(""));
  const std::vector<Picture> film = Frames(Request());
  EXPECT_THAT(Refusal(Request("nowhere")), HasSubstr("nowhere"));
  EXPECT_THAT(Refusal(Request("unet")), AllOf(HasSubstr("unet/config.json"), HasSubstr("MotionAdapter")));
  EXPECT_THAT(WithConfig("[32,64,64]", "[32,64,96]"),
              AllOf(HasSubstr("wrong/config.json"), HasSubstr("block_out_channels"),
                    HasSubstr("widths 32, 64, 96 of 2 layers"), HasSubstr("widths 32, 64, 64 of 2 layers")));
  EXPECT_THAT(WithConfig("\"motion_layers_per_block\":2", "\"motion_layers_per_block\":1"),
              HasSubstr("of 1 layers"));
  EXPECT_THAT(WithConfig("\"motion_max_seq_length\":12", "\"motion_max_seq_length\":16"),
              AllOf(HasSubstr("wrong/diffusion_pytorch_model.safetensors"), HasSubstr("pos_embed.pe"),
                    HasSubstr("[1, 16, 32]")));
  EXPECT_THAT(WithConfig("\"use_motion_mid_block\":true", "\"use_motion_mid_block\":false"),
              AllOf(HasSubstr("wrong: holds \"mid_block.motion_modules.0."), HasSubstr("MotionAdapter")));
  const std::string lost = "up_blocks.1.motion_modules.2.transformer_blocks.0.attn2.to_k.weight";
  WriteMotionAdapter(folder_, "lost");
  Rewrite("lost", [&](const std::string& name) { return name == lost ? std::string() : name; });
  EXPECT_THAT(Refusal(Request("lost")),
              AllOf(HasSubstr("lost/diffusion_pytorch_model.safetensors"),
                    HasSubstr(absl::StrCat("has no tensor \"", lost, "\" [64, 64]"))));
  WriteMotionAdapter(folder_, "cut");
  const auto cut = folder_.path() / "cut/diffusion_pytorch_model.safetensors";
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1000);
  EXPECT_THAT(Refusal(Request("cut")), HasSubstr("cut/diffusion_pytorch_model.safetensors"));
  EXPECT_EQ(Drawn(Request("")), plain);
  EXPECT_EQ(Frames(Request()), film);
}

TEST_F(Filmed, CheckpointsThatAreJoinedKeepTheirTensorsApart) {
  const Weights unet = Weights::OpenComponent(folder_.path() / "unet").value();
  const Weights motion = Weights::OpenComponent(folder_.path() / "motion").value();
  const Weights joined = unet.Joined(motion).value();
  EXPECT_EQ(joined.All().size(), unet.All().size() + motion.All().size());
  EXPECT_EQ(joined.Untaken().size(), joined.All().size());
  for (const auto& [from, name] :
       {std::pair{&unet, "conv_in.bias"}, {&motion, "down_blocks.0.motion_modules.0.norm.weight"}}) {
    std::vector<float> alone(32), together(32);
    ASSERT_TRUE(from->ReadRows(name, 0, 1, alone).ok());
    ASSERT_TRUE(joined.ReadRows(name, 0, 1, together).ok());
    EXPECT_EQ(together, alone) << name;
  }
  const absl::Status twice = joined.Joined(motion).status();
  EXPECT_EQ(twice.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(twice.message()), AllOf(HasSubstr("motion/"), HasSubstr("already")));
}

TEST_F(Filmed, AdaptersWithoutTablesOfPositionsAreRead) {
  WriteMotionAdapter(folder_, "bare");
  Rewrite("bare",
          [](const std::string& name) { return name.ends_with("pos_embed.pe") ? std::string() : name; });
  EXPECT_EQ(Frames(Request("bare")).size(), 6u);
}

TEST_F(Filmed, WishesThatHaveNoEffectAreRefused) {
  PictureRequest many = Request();
  many.frames = 13;
  EXPECT_THAT(Refusal(many), AllOf(HasSubstr("motion/config.json: \"motion_max_seq_length\" is 12"),
                                   HasSubstr("13 were asked for")));
  PictureRequest large = Request();
  large.width = large.height = 2048;
  EXPECT_THAT(Refusal(large), HasSubstr("a film of 6 frames of 2048 x 2048"));
  PictureRequest start = Request();
  start.start = Picture::Blank(24, 16);
  EXPECT_THAT(Refusal(start), HasSubstr("no picture to start from"));
  PictureRequest frames = Request("");
  frames.frames = 4;
  EXPECT_THAT(std::string(Draw(frames).status().message()), HasSubstr("no motion adapter"));
  EXPECT_THAT(Refusal(Request("")), HasSubstr("none is named"));
  EXPECT_THAT(std::string(Draw(Request()).status().message()), HasSubstr("draws films"));
  const ScratchFolder xl;
  WritePictureModel(xl, "picture_sdxl");
  const auto engine = PictureEngine::Open(xl.path(), {.threads = 2}).value();
  EXPECT_THAT(std::string(engine->Film(Request(), {}, {}).status().message()),
              AllOf(HasSubstr("unet/config.json"), HasSubstr("XL")));
}

}  // namespace
}  // namespace ringway::engine
