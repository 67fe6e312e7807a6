// The engine as its callers see it, on small random models: both pipelines, progress, cancelling,
// repeatability, and the bundled kind against the code that trains it.
#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/animate_order.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/media/drawn_picture.h"
#include "engine/motion/leaning.h"
#include "engine/pipelines/motion_pipeline.h"
#include "tests/engine/golden.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/model_files.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

std::unique_ptr<Engine> Open(const ScratchFolder& folder, int threads = 2) {
  auto engine = Engine::Open(folder.path(), {.threads = threads});
  EXPECT_TRUE(engine.ok()) << engine.status();
  return std::move(engine).value();
}

AnimateRequest SmallRequest() {
  AnimateRequest request;
  request.picture = DrawPicture(96, 64);
  request.prompt = "zoom in";
  request.side_max = 48;
  request.frames = 5;
  return request;
}

class EngineKinds : public testing::TestWithParam<bool> {
 protected:
  EngineKinds() {
    if (GetParam())
      WriteVideoModel(folder_);
    else
      WriteMotionModel(folder_);
  }
  AnimateRequest Request() const {
    AnimateRequest request = SmallRequest();
    request.steps = 4;
    return request;
  }
  ScratchFolder folder_;
};

TEST_P(EngineKinds, TellsProgressThatRisesToTheEnd) {
  std::vector<AnimateProgress> told;
  const auto animation =
      Open(folder_)->Animate(Request(), [&](const AnimateProgress& p) { told.push_back(p); }, {});
  ASSERT_TRUE(animation.ok()) << animation.status();
  EXPECT_EQ(animation->frames.size(), 5u);
  int steps_told = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].steps, 4);
    if (i > 0) {
      EXPECT_GT(told[i].fraction, told[i - 1].fraction);
      EXPECT_GE(told[i].step, told[i - 1].step);
    }
    if (i == 0 || told[i].step > told[i - 1].step) ++steps_told;
  }
  EXPECT_EQ(steps_told, 4);
  EXPECT_EQ(told.back().fraction, 1.0);
}

TEST_P(EngineKinds, StopsWithinAStep) {
  const auto engine = Open(folder_);
  for (const int stop_after : {1, 2, 4, 6}) {  // within the solver, at its end, between frames
    std::stop_source stop;
    int told = 0;
    const auto animation = engine->Animate(
        Request(),
        [&](const AnimateProgress&) {
          if (++told == stop_after) stop.request_stop();
        },
        stop.get_token());
    // The decoder of the video model may take all its frames at once: then there is nothing left to stop.
    if (animation.ok()) {
      EXPECT_TRUE(GetParam() && stop_after > 4);
      continue;
    }
    EXPECT_EQ(animation.status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(told, stop_after);
  }
  EXPECT_TRUE(engine->Animate(Request(), {}, {}).ok());  // and works again
}

TEST_P(EngineKinds, RepeatsItselfForTheSameSeedOnly) {
  AnimateRequest request = Request();
  const auto once = Open(folder_)->Animate(request, {}, {});
  const auto engine = Open(folder_);
  request.seed = 7;
  const auto other = engine->Animate(request, {}, {});
  request.seed = 0;
  const auto again = engine->Animate(request, {}, {});
  ASSERT_TRUE(once.ok() && other.ok() && again.ok());
  EXPECT_EQ(once->frames, again->frames);
  EXPECT_NE(once->frames, other->frames);
}

TEST_P(EngineKinds, HasItsOwnPaceUnlessItIsTold) {
  const auto engine = Open(folder_);
  AnimateRequest request = Request();
  EXPECT_EQ(engine->frames_per_second(), GetParam() ? 7 : 24);  // what the weights were trained on
  EXPECT_EQ(engine->Animate(request, {}, {})->delay_ms, GetParam() ? 143 : 42);
  request.frames_per_second = 10;
  EXPECT_EQ(engine->Animate(request, {}, {})->delay_ms, 100);
}

TEST_P(EngineKinds, SaysWhatOfThePromptItDidNotRead) {
  const auto engine = Open(folder_);
  AnimateRequest request = Request();
  request.prompt = "zoom qwer";
  const auto animation = engine->Animate(request, {}, {});
  ASSERT_TRUE(animation.ok()) << animation.status();
  ASSERT_EQ(animation->notes.size(), 1u);
  EXPECT_THAT(animation->notes[0], HasSubstr(GetParam() ? "reads no prompt" : "\"qwer\""));
}

TEST_P(EngineKinds, RefusesWhatItCannotDo) {
  const auto engine = Open(folder_);
  const auto says = [&](const AnimateRequest& request) {
    return std::string(engine->Animate(request, {}, {}).status().message());
  };
  AnimateRequest request = Request();
  request.frames = 481;
  EXPECT_THAT(says(request), HasSubstr("frames is 481; allowed are 0 to 480"));
  request = Request();
  request.picture = {};
  EXPECT_THAT(says(request), HasSubstr("at least 2 x 2"));
  request = Request();
  request.region = Region{0.5, 0.5, 0.4, 0.9};
  EXPECT_THAT(says(request), HasSubstr("must lie inside"));
}

INSTANTIATE_TEST_SUITE_P(All, EngineKinds, testing::Bool(),
                         [](const auto& info) { return info.param ? "Video" : "Motion"; });

TEST(Engine, RefusesModelsThatItDoesNotKnow) {
  const ScratchFolder folder;
  folder.Write("model_index.json", R"({"_class_name":"PixArt","unet":["diffusers","Unknown"]})");
  folder.Write("unet/config.json", "{}");
  const auto engine = Engine::Open(folder.path(), {});
  EXPECT_THAT(std::string(engine.status().message()), HasSubstr("\"PixArt\"; allowed: MotionFieldPipeline"));
}

TEST(Engine, RefusesPartsThatDoNotFit) {
  const std::pair<const char*, std::pair<const char*, const char*>> wrong[] = {
      {"field/config.json",
       {R"({"grid":16,"frames":16,"patch":2,"scale_per_frame":[0.1]})", "scale_per_frame"}},
      {"field/config.json", {R"({"grid":16,"frames":16,"patch":3})", "a divisor of grid and frames"}},
      {"tokenizer/vocab.json", {R"({"<pad>":0,"<unk>":1,"zoom":256})", "a number from 0 to 255"}},
      {"tokenizer/vocab.json", {R"({"zoom":2})", "lacks"}},
      {"scheduler/scheduler_config.json", {R"({"log_snr_first":3,"log_snr_last":3})", "log_snr_first"}},
      {"scheduler/scheduler_config.json",
       {R"({"algorithm_type":"euler"})", "dpmsolver++ or sde-dpmsolver++"}},
      {"scheduler/scheduler_config.json", {R"({"deterministic_part":"some"})", "none or affine"}},
      {"scheduler/scheduler_config.json",
       {R"({"first_noise_mean":[1]})", "two numbers, of x and y, above 0 and at most 4"}},
      {"scheduler/scheduler_config.json",
       {R"({"first_noise_mean":[1,0]})", "two numbers, of x and y, above 0 and at most 4"}},
      {"scheduler/scheduler_config.json", {R"({"wave_noise_lean":1.5})", "a number from 0 to 1"}},
      {"conditioner/config.json",
       {R"({"picture_size":128,"block_out_channels":[16,24,32]})", "out_size is 16"}}};
  for (const auto& [file, change] : wrong) {
    const ScratchFolder folder;
    WriteMotionModel(folder);
    folder.Write(file, change.first);
    const auto engine = Engine::Open(folder.path(), {});
    EXPECT_THAT(std::string(engine.status().message()), HasSubstr(change.second)) << file;
  }
}

Picture HashedPhoto() {
  Picture photo = Picture::Blank(64, 64);
  for (std::size_t i = 0; i < photo.rgb.size(); ++i)
    photo.rgb[i] = static_cast<std::uint8_t>((HashedUniform(Fnv1a("photo"), i) + 1.0f) * 127.5f);
  return photo;
}

// Tokenizer, planes, guidance, solver and networks together give what the training code gives.
TEST(MotionModel, AgreesWithItsTraining) {
  const Golden golden = ReadGolden("motion_field");
  const ScratchFolder folder;
  EXPECT_EQ(WriteMotionModel(folder), golden.names);
  const ModelDirectory model = ModelDirectory::Open(folder.path()).value();
  const CpuBackend backend({.threads = 2});
  AnimateRequest request;
  request.picture = HashedPhoto();
  request.prompt = "Zoom in SLOWLY, while the grass sways (gently) xyzzy";
  request.region = Region{0.25, 0.125, 0.75, 0.875};
  for (const bool full : {true, false}) {
    auto opened = MotionPipeline::Open({model, backend, 2, full ? Precision::kF32 : Precision::kBF16});
    ASSERT_TRUE(opened.ok()) << opened.status();
    auto& pipeline = static_cast<MotionPipeline&>(**opened);
    std::vector<float> noise(pipeline.field_config().elements());
    FillHashed("noise", noise);
    const AnimateProgressFn silent;
    ProgressTeller progress(silent);
    const auto field = pipeline.Diffuse(request, noise, progress, {});
    ASSERT_TRUE(field.ok());
    const double distance = DistanceToGolden(golden, *field);
    EXPECT_LT(distance, full ? 1e-4 : 1e-1);  // guidance multiplies the roundings of bf16
    std::printf("  motion field, %s: relative L2 %.1e\n", full ? "f32" : "fastest", distance);
  }
}

std::vector<float> NoiseFor(const MotionFieldConfig& config) {
  std::vector<float> noise(config.elements());
  FillHashed("noise", noise);
  return noise;
}

// The field that this schedule makes of `noise`, or of the same noise every time.
std::vector<float> FieldBy(const ScratchFolder& folder, const char* schedule, std::uint64_t seed,
                           std::vector<float> noise = {}, bool region = false) {
  folder.Write("scheduler/scheduler_config.json", schedule);
  const ModelDirectory model = ModelDirectory::Open(folder.path()).value();
  const CpuBackend backend({.threads = 2});
  auto opened = MotionPipeline::Open({model, backend, 2, Precision::kF32}).value();
  auto& pipeline = static_cast<MotionPipeline&>(*opened);
  AnimateRequest request;
  request.picture = HashedPhoto();
  request.prompt = "zoom in";
  request.seed = seed;
  if (region) request.region = Region{0.25, 0.25, 0.75, 0.75};
  if (noise.empty()) noise = NoiseFor(pipeline.field_config());
  const AnimateProgressFn silent;
  ProgressTeller progress(silent);
  return pipeline.Diffuse(request, noise, progress, {}).value();
}

// From the same start, the seed decides on the noise of every step; without it, the start alone decides.
TEST(MotionModel, FreshNoiseFollowsTheSeed) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  const char* quiet = R"({"num_inference_steps":3})";
  EXPECT_EQ(FieldBy(folder, quiet, 1), FieldBy(folder, quiet, 2));
  const char* stirred = R"({"algorithm_type":"sde-dpmsolver++","num_inference_steps":3})";
  const std::vector<float> one = FieldBy(folder, stirred, 1);
  EXPECT_EQ(one, FieldBy(folder, stirred, 1));
  EXPECT_NE(one, FieldBy(folder, stirred, 2));
}

TEST(MotionModel, TheFirstNoiseIsAsLoudInCommonAsItsScheduleSays) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  const MotionFieldConfig config{.scale_per_frame = std::vector<float>(16, 0.1f)};
  std::vector<float> louder = NoiseFor(config);
  ScaleCommonPart(config, {1.5f, 2}, louder);
  const char* plain = R"({"num_inference_steps":3})";
  const char* loud = R"({"num_inference_steps":3,"first_noise_mean":[1.5,2]})";
  EXPECT_EQ(FieldBy(folder, loud, 1, NoiseFor(config)), FieldBy(folder, plain, 1, louder));
  EXPECT_NE(FieldBy(folder, loud, 1, NoiseFor(config)), FieldBy(folder, plain, 1, NoiseFor(config)));
  EXPECT_EQ(FieldBy(folder, loud, 1, NoiseFor(config), true),
            FieldBy(folder, plain, 1, NoiseFor(config), true))
      << "with a region";
}

TEST(MotionModel, AllNoiseLeansAsItsScheduleSays) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  const MotionFieldConfig config{.scale_per_frame = std::vector<float>(16, 0.1f)};
  std::vector<float> leaning = NoiseFor(config);
  Leaning(config, 0.8f, leaning).Apply(leaning);
  const char* plain = R"({"num_inference_steps":3})";
  const char* leans = R"({"num_inference_steps":3,"wave_noise_lean":0.8})";
  EXPECT_EQ(FieldBy(folder, leans, 1, NoiseFor(config)), FieldBy(folder, plain, 1, leaning));
  EXPECT_NE(FieldBy(folder, leans, 1, NoiseFor(config)), FieldBy(folder, plain, 1, NoiseFor(config)));
  EXPECT_EQ(FieldBy(folder, leans, 1, {}, true), FieldBy(folder, plain, 1, {}, true)) << "with a region";
  const char* stirred = R"({"num_inference_steps":3,"algorithm_type":"sde-dpmsolver++"})";
  const char* both = R"({"num_inference_steps":3,"algorithm_type":"sde-dpmsolver++","wave_noise_lean":0.8})";
  EXPECT_NE(FieldBy(folder, both, 1, NoiseFor(config)), FieldBy(folder, stirred, 1, leaning))
      << "the fresh noise leans too";
}

TEST(MotionModel, RefusesToLeanOnAFieldTooSmallForIt) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  folder.Write("scheduler/scheduler_config.json", R"({"wave_noise_lean":0.8})");
  folder.Write("field/config.json", R"({"grid":4,"frames":4,"patch":2,"scale_per_frame":[0.1,0.1,0.1,0.1]})");
  EXPECT_THAT(std::string(Engine::Open(folder.path(), {}).status().message()),
              HasSubstr("wave_noise_lean wants a field of more than two frames and four cells a side"));
}

// Two steps: the second looks at what one advance has made of the noise, and the answer is what it says.
TEST(MotionModel, WhatIsAffineMayBeSteadyBesideFreshNoise) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  const auto field = [&](const char* more, std::uint64_t seed) {
    return FieldBy(folder, absl::StrCat(R"({"num_inference_steps":2)", more, "}").c_str(), seed);
  };
  const char* stirred = R"(,"algorithm_type":"sde-dpmsolver++")";
  const char* beside = R"(,"algorithm_type":"sde-dpmsolver++","deterministic_part":"affine")";
  EXPECT_NE(field(beside, 1), field(stirred, 1));
  EXPECT_NE(field(beside, 1), field("", 1));
  EXPECT_NE(field(beside, 1), field(beside, 2));
  EXPECT_EQ(field(beside, 1), field(beside, 1));
  EXPECT_EQ(field(R"(,"deterministic_part":"affine")", 1), field("", 1)) << "of that equation all is";
}

}  // namespace
}  // namespace ringway::engine
