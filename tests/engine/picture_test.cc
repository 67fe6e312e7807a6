// Pictures from prompts: whole pipelines against the reference (tests/engine/reference/pictures.py), and the
// engine as its callers see it, on small random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/pipelines/picture_pipeline.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Between -1 and 1, so of a peak of 2; nothing is clamped, so that no error hides there.
double DecibelsFromGolden(const Golden& golden, std::span<const float> painted) {
  double sum = 0;
  for (std::size_t i = 0; i < golden.kept.size(); ++i)
    sum += std::pow(painted[i * golden.every] - golden.kept[i], 2);
  return 10 * std::log10(4 * static_cast<double>(golden.kept.size()) / sum);
}

class WholePicture : public testing::TestWithParam<const char*> {};

TEST_P(WholePicture, IsThatOfTheReference) {
  const Golden golden = ReadGolden(GetParam());
  const ScratchFolder folder;
  EXPECT_EQ(WritePictureModel(folder, GetParam()), golden.names);
  const ModelDirectory model = ModelDirectory::Open(folder.path()).value();
  const CpuBackend backend({.threads = 2});
  for (const bool full : {true, false}) {
    auto pipeline = PicturePipeline::Open({model, backend, 2, full ? Precision::kF32 : Precision::kBF16});
    ASSERT_TRUE(pipeline.ok()) << pipeline.status();
    const AnimateProgressFn silent;
    ProgressTeller progress(silent);
    const auto painted = (*pipeline)->Paint(GoldenRequest(golden),
                                            [](std::uint64_t draw, std::span<float> x) {
                                              FillHashed(absl::StrCat("noise", draw), x, std::sqrt(3.0f));
                                            },
                                            progress, {});
    ASSERT_TRUE(painted.ok()) << painted.status();
    ASSERT_EQ(painted->size(), golden.total);
    const double decibels = DecibelsFromGolden(golden, *painted);
    // XL's ten layers on each other are steep with random weights.
    EXPECT_GT(decibels, full ? 50 : GetParam() == std::string_view("picture_sdxl") ? 30 : 35);
    std::printf("  %s, %s: PSNR %.1f dB\n", GetParam(), full ? "f32" : "fastest", decibels);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WholePicture,
                         testing::Values("picture_sd1", "picture_sd2", "picture_from_picture", "picture_lcm",
                                         "picture_sdxl", "picture_small", "picture_small_dpm",
                                         "picture_small_from_picture", "picture_tiny_from_picture"),
                         [](const auto& info) { return std::string(info.param); });

class PictureEngineTest : public testing::Test {
 protected:
  PictureEngineTest() { WritePictureModel(folder_, "picture_sd1"); }
  std::unique_ptr<PictureEngine> Open(int threads = 2) const {
    auto engine = PictureEngine::Open(folder_.path(), {.threads = threads});
    EXPECT_TRUE(engine.ok()) << engine.status();
    return std::move(engine).value();
  }
  static PictureRequest Request() { return {.prompt = "the boat sways", .steps = 3}; }
  ScratchFolder folder_;
};

TEST_F(PictureEngineTest, DrawsTheSizeThatTheModelLikesAndTellsWhatItChose) {
  const auto drawn = Open()->Draw({.prompt = "the boat"}, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->picture.width, 32);
  EXPECT_EQ(drawn->picture.height, 32);
  EXPECT_EQ(drawn->steps, 25);
  EXPECT_EQ(drawn->guidance, 7.5);
  EXPECT_EQ(drawn->scheduler, "dpm++");
  ASSERT_EQ(drawn->notes.size(), 1u);
  EXPECT_THAT(drawn->notes[0], HasSubstr("for the checkpoint's PNDMScheduler stands in dpm++"));
}

// The layout of the bundled model: what it is to be drawn with is in its scheduler's configuration.
class SmallPictureTest : public testing::Test {
 protected:
  SmallPictureTest() { WritePictureModel(folder_, "picture_small"); }
  std::unique_ptr<PictureEngine> Open() const {
    return PictureEngine::Open(folder_.path(), {.threads = 2}).value();
  }
  ScratchFolder folder_;
};

TEST_F(SmallPictureTest, IsDrawnAsItsSchedulerSaysWhereNothingElseIsAsked) {
  folder_.Write("scheduler/scheduler_config.json",
                R"({"beta_schedule":"squaredcos_cap_v2","prediction_type":"v_prediction",
                    "timestep_spacing":"trailing","clip_sample":false,"ringway_steps":3,"ringway_guidance":1})");
  const auto engine = Open();
  for (const char* scheduler : {"", "dpm++", "euler-ancestral"}) {
    const auto drawn = engine->Draw({.prompt = "the boat", .scheduler = scheduler}, {}, {});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_EQ(drawn->steps, 3);
    EXPECT_EQ(drawn->guidance, 1);
    EXPECT_EQ(drawn->scheduler, *scheduler == '\0' ? "ddim" : scheduler);
    EXPECT_EQ(drawn->picture.width, 32);
  }
  const auto asked = engine->Draw({.prompt = "the boat", .steps = 2, .guidance = 4}, {}, {});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->steps, 2);
  EXPECT_EQ(asked->guidance, 4);
}

TEST_F(SmallPictureTest, SaysWhatDoesNotFitItsContextOf32) {
  std::string prompt;
  for (int i = 0; i < 31; ++i) prompt += "boat ";
  const auto drawn = Open()->Draw({.prompt = prompt, .steps = 1}, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_THAT(drawn->notes, testing::Contains(HasSubstr("this model reads the first 30")));
}

TEST_F(SmallPictureTest, FollowsAControlNetworkOfItsOwnLatentChannels) {
  WriteSmallControlNet(folder_, "edges", "a");
  PictureRequest request{.prompt = "the boat", .steps = 2};
  const auto engine = Open();
  const Picture plain = engine->Draw(request, {}, {})->picture;
  request.controls = {{(folder_.path() / "edges").string(), Picture::Blank(32, 32)}};
  const auto drawn = engine->Draw(request, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_NE(drawn->picture, plain);
}

TEST_F(PictureEngineTest, DrawsEverySizeOfEights) {
  const auto engine = Open();
  for (const auto& [width, height] : {std::pair{8, 8}, {8, 40}, {56, 24}, {72, 48}, {32, 32}}) {
    PictureRequest request = Request();
    request.width = width;
    request.height = height;
    const auto drawn = engine->Draw(request, {}, {});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_EQ(drawn->picture.width, width);
    EXPECT_EQ(drawn->picture.height, height);
  }
}

TEST_F(PictureEngineTest, RepeatsItselfForTheSameSeedOnly) {
  for (const char* scheduler : {"", "euler-ancestral", "dpm++-sde-karras"}) {
    PictureRequest request = Request();
    request.scheduler = scheduler;
    const auto engine = Open();
    const auto once = engine->Draw(request, {}, {}), alone = Open(1)->Draw(request, {}, {});
    request.seed = 1;
    const auto other = engine->Draw(request, {}, {});
    request.seed = 0;
    const auto again = engine->Draw(request, {}, {});
    ASSERT_TRUE(once.ok() && alone.ok() && other.ok() && again.ok());
    EXPECT_EQ(once->picture, again->picture) << scheduler;
    EXPECT_EQ(once->picture, alone->picture) << scheduler << ": other threads, same picture";
    EXPECT_NE(once->picture, other->picture) << scheduler;
  }
}

TEST_F(PictureEngineTest, EveryWordAndSettingCounts) {
  const auto engine = Open();
  const PictureRequest plain = Request();
  const Picture picture = engine->Draw(plain, {}, {})->picture;
  std::vector<PictureRequest> others(6, plain);
  others[0].prompt = "the water";
  others[1].negative = "grass";
  others[2].guidance = 3;
  others[3].scheduler = "ddim";
  others[4].clip_skip = 1;
  others[5].guidance = 1;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto drawn = engine->Draw(others[i], {}, {});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_NE(drawn->picture, picture) << i;
  }
  EXPECT_EQ(engine->Draw(plain, {}, {})->picture, picture) << "nothing stays behind";
}

TEST_F(PictureEngineTest, StaysNearerToThePictureItStartsFromTheLessStrengthItHas) {
  const auto engine = Open();
  PictureRequest request = Request();
  request.steps = 10;
  request.start = Picture::Blank(45, 37);  // not a multiple of eight
  std::vector<Picture> drawn;
  for (const double strength : {0.1, 0.5, 1.0}) {
    request.strength = strength;
    const auto picture = engine->Draw(request, {}, {});
    ASSERT_TRUE(picture.ok()) << picture.status();
    EXPECT_EQ(picture->picture.width, 40);
    EXPECT_EQ(picture->picture.height, 32);
    drawn.push_back(picture->picture);
  }
  // What the autoencoder alone makes of it, as nearly as a step of the solver allows.
  const auto distance = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < drawn[0].rgb.size(); ++k) sum += std::abs(drawn[i].rgb[k] - drawn[0].rgb[k]);
    return sum;
  };
  EXPECT_GT(distance(1), 0);
  EXPECT_GT(distance(2), distance(1));
}

TEST_F(PictureEngineTest, TellsProgressAndStopsWithinAStep) {
  const auto engine = Open();
  std::vector<AnimateProgress> told;
  ASSERT_TRUE(engine->Draw(Request(), [&](const AnimateProgress& p) { told.push_back(p); }, {}).ok());
  ASSERT_EQ(told.size(), 4u);  // three steps and the end
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GT(told[i].fraction, told[i - 1].fraction);
  EXPECT_EQ(told.back().fraction, 1.0);
  for (const int stop_after : {1, 3}) {
    std::stop_source stop;
    int steps = 0;
    const auto drawn = engine->Draw(
        Request(),
        [&](const AnimateProgress&) {
          if (++steps == stop_after) stop.request_stop();
        },
        stop.get_token());
    EXPECT_EQ(drawn.status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(steps, stop_after);
  }
}

TEST_F(PictureEngineTest, SaysWhatHasNoEffect) {
  PictureRequest request = Request();
  request.scheduler = "euler";
  EXPECT_THAT(Open()->Draw(request, {}, {})->notes, IsEmpty());
  request.negative = "grass";
  request.guidance = 1;
  EXPECT_THAT(Open()->Draw(request, {}, {})->notes, testing::ElementsAre(HasSubstr("has no effect")));
  const ScratchFolder consistent;
  WritePictureModel(consistent, "picture_lcm");
  auto engine = PictureEngine::Open(consistent.path(), {}).value();
  const auto drawn = engine->Draw({.prompt = "zoom", .negative = "grass"}, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->steps, 4);
  EXPECT_EQ(drawn->guidance, 8.5);
  EXPECT_THAT(drawn->notes, testing::ElementsAre(HasSubstr("reads no negative prompt")));
}

// Of UNet and text encoder, in the order of requests: with, without, more, another size, wrong.
TEST_F(PictureEngineTest, DrawsWithAdaptersAndForgetsThem) {
  const auto write = [&](const std::string& name, const std::string& layer, std::int64_t in) {
    const auto tensor = [&](const std::string& end, const Shape& shape) {
      std::vector<float> values(static_cast<std::size_t>(shape.elements()));
      FillHashed(layer + end, values);
      return std::pair(layer + end, Tensor::FromFloats(shape, values));
    };
    const std::pair<std::string, Tensor> both[] = {tensor(".lora_down.weight", {4, in}),
                                                   tensor(".lora_up.weight", {in, 4})};
    EXPECT_TRUE(WriteSafetensors(folder_.path() / name, both).ok());
    return (folder_.path() / name).string();
  };
  const AdapterFile unet = {
      write("a.safetensors", "lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_v", 64)};
  const AdapterFile text = {
      write("b.safetensors", "lora_te_text_model_encoder_layers_1_self_attn_v_proj", 40), 0.7};
  const AdapterFile other = {write("c.safetensors", "lora_unet_of_another_model", 64)};
  const auto engine = Open();
  const auto draw = [&](std::vector<AdapterFile> adapters, int side = 0) {
    PictureRequest request = Request();
    request.width = request.height = side;
    request.adapters = std::move(adapters);
    return engine->Draw(request, {}, {});
  };
  const Picture with = draw({unet})->picture;  // the first of all: the model itself was never drawn with
  const Picture plain = draw({})->picture;
  EXPECT_EQ(plain, Open()->Draw(Request(), {}, {})->picture);
  EXPECT_NE(with, plain);
  const Picture both = draw({unet, text})->picture;
  EXPECT_NE(both, with);
  EXPECT_EQ(draw({text, unet})->picture, both);
  EXPECT_NE(draw({text})->picture, plain);
  EXPECT_THAT(std::string(draw({unet, other}).status().message()),
              AllOf(HasSubstr("c.safetensors"), HasSubstr("for another model")));
  EXPECT_TRUE(draw({unet, text}, 48).ok());
  EXPECT_EQ(draw({unet, text})->picture, both);
  EXPECT_EQ(draw({})->picture, plain);
}

// Whether the picture is drawn for the first time, from packed weights that were found, or from the model's
// own files again because what was found is damaged: it is the same.
TEST_F(PictureEngineTest, KeepsPackedWeightsWhereItIsTold) {
  const Picture expected = Open()->Draw(Request(), {}, {})->picture;
  std::vector<std::string> log;
  const auto draw = [&] {
    auto engine = PictureEngine::Open(
        folder_.path(), {.threads = 2, .packed_weights = "model", .log = [&](const std::string& line) {
                           log.push_back(line);
                         }});
    const auto drawn = (*engine)->Draw(Request(), {}, {});
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_EQ(drawn->picture, expected);
  };
  const auto packed = [&] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / ".packed"))
      if (entry.path().extension() == ".packed") files.push_back(entry.path());
    return files;
  };
  draw();
  ASSERT_EQ(packed().size(), 3u) << "text encoder, UNet, decoder";
  draw();
  EXPECT_THAT(log, IsEmpty());
  for (const auto& file : packed()) std::filesystem::resize_file(file, 5000);
  draw();
  EXPECT_EQ(log.size(), 3u);
  log.clear();
  draw();
  EXPECT_THAT(log, IsEmpty()) << "written anew";
  EXPECT_EQ(packed().size(), 3u);
}

TEST_F(PictureEngineTest, RefusesWhatItCannotDo) {
  const auto engine = Open();
  const auto says = [&](const std::function<void(PictureRequest&)>& change) {
    PictureRequest request = Request();
    change(request);
    return std::string(engine->Draw(request, {}, {}).status().message());
  };
  EXPECT_THAT(says([](auto& r) { r.width = r.height = 100; }),
              HasSubstr("the size is 100 x 100; both must be multiples of 8"));
  EXPECT_THAT(says([](auto& r) { r.width = 64; }), HasSubstr("both width and height"));
  EXPECT_THAT(says([](auto& r) { r.width = r.height = 4096; }), HasSubstr("at most 4194304 pixels"));
  EXPECT_THAT(says([](auto& r) { r.guidance = -1; }), HasSubstr("guidance is -1; allowed are 0 to 100"));
  EXPECT_THAT(says([](auto& r) { r.guidance = std::nan(""); }), HasSubstr("guidance is nan"));
  EXPECT_THAT(says([](auto& r) { r.steps = -1; }), HasSubstr("steps is -1; this checkpoint allows 1 to 998"));
  EXPECT_THAT(says([](auto& r) { r.clip_skip = 3; }), HasSubstr("clip skip is 3; allowed are 0 to 2"));
  EXPECT_THAT(says([](auto& r) { r.scheduler = "heun"; }), HasSubstr("\"heun\"; allowed: dpm++"));
  EXPECT_THAT(says([](auto& r) { r.prompt.assign(20'000, 'a'); }), HasSubstr("the prompt's bytes is 20000"));
  EXPECT_THAT(says([](auto& r) {
                r.start = Picture::Blank(64, 64);
                r.strength = 0;
              }),
              HasSubstr("strength is 0"));
}

}  // namespace
}  // namespace ringway::engine
