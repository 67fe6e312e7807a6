// Films from prompts by a small random directory of the LTX-Video class: against the same networks in loops,
// from the tokenizer to the pixels; what is refused, by the file and the field or tensor; and how a request
// is kept to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/checkpoint/inspect.h"
#include "engine/checkpoint/weights.h"
#include "engine/pipelines/film_pipeline.h"
#include "tests/engine/film_files.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// 24 x 16 pixels, five frames: three by two latents, two in time.
FilmRequest Small() {
  return {.prompt = "a small boat sways",
          .negative = "all \xEF\xAC\x81ne",
          .seed = 7,
          .width = 24,
          .height = 16,
          .frames = 5,
          .frames_per_second = 12,
          .steps = 3,
          .guidance = 2.5};
}

class TextToFilm : public testing::Test {
 protected:
  TextToFilm() { WriteFilmModel(folder_); }

  absl::StatusOr<std::unique_ptr<FilmEngine>> Open(Precision precision = Precision::kF32) const {
    return FilmEngine::Open(folder_.path(), {.threads = 2, .precision = precision});
  }
  absl::StatusOr<DrawnFilm> Draw(const FilmRequest& request) const {
    const auto engine = Open();
    if (!engine.ok()) return engine.status();
    return (*engine)->Draw(request, {}, {});
  }
  void Replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::ifstream stream(folder_.path() / file);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    RINGWAY_CHECK(text.find(from) != std::string::npos);
    folder_.Write(file, absl::StrReplaceAll(text, {{from, to}}));
  }
  // What drawing or opening says.
  std::string Refusal(const FilmRequest& request = Small()) const {
    return std::string(Draw(request).status().message());
  }
  // The file's tensors, but for one, which is dropped or has another shape.
  void Spoil(const std::string& file, const std::string& tensor, const Shape* shape) const {
    const auto path = folder_.path() / file;
    const Weights weights = Weights::Open(path).value();
    std::vector<std::pair<std::string, Tensor>> tensors;
    bool found = false;
    for (const StoredTensor* stored : weights.All()) {
      found = found || stored->name == tensor;
      if (stored->name == tensor && shape == nullptr) continue;
      Shape dims;
      for (const std::int64_t d : stored->dims) dims.Append(d);
      tensors.emplace_back(stored->name, Tensor(DType::kF32, stored->name == tensor ? *shape : dims));
    }
    RINGWAY_CHECK(found && WriteSafetensors(path, tensors).ok());
  }

  ScratchFolder folder_;
};

TEST_F(TextToFilm, IsItsDefinition) {
  const auto directory = ModelDirectory::Open(folder_.path());
  ASSERT_TRUE(directory.ok()) << directory.status();
  for (const double guidance : {2.5, 1.0}) {
    FilmRequest request = Small();
    request.guidance = guidance;
    std::vector<float> noise(SmallFilm().numbers());
    FillHashed("noise", noise, 1.7f);
    const std::vector<float> expected = ReferenceFilm(request, {}, noise);
    for (const Precision precision : {Precision::kF32, Precision::kBF16}) {
      const CpuBackend backend({.threads = 2});
      const auto pipeline = FilmPipeline::Open({*directory, backend, 2, precision});
      ASSERT_TRUE(pipeline.ok()) << pipeline.status();
      const AnimateProgressFn nobody;
      ProgressTeller progress(nobody);
      const auto film = (*pipeline)->Paint(request, noise, progress, {});
      ASSERT_TRUE(film.ok()) << film.status();
      const double distance = RelativeDistance(*film, expected);
      EXPECT_LT(distance, precision == Precision::kF32 ? 5e-5 : 8e-2);
      std::printf("  film, guidance %g, %s: relative L2 %.1e\n", guidance,
                  precision == Precision::kF32 ? "f32" : "as it is fast", distance);
    }
  }
}

TEST_F(TextToFilm, KeepsToTheRequest) {
  const auto engine = Open();
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_TRUE(FilmEngine::Opens(folder_.path()));
  std::vector<double> fractions;
  const auto draw = [&](const FilmRequest& request) {
    const auto film =
        (*engine)->Draw(request, [&](const AnimateProgress& p) { fractions.push_back(p.fraction); }, {});
    EXPECT_TRUE(film.ok()) << film.status();
    return film.value();
  };
  const DrawnFilm film = draw(Small());
  ASSERT_EQ(film.animation.frames.size(), 5u);
  EXPECT_EQ(film.animation.frames[0].width, 24);
  EXPECT_EQ(film.animation.frames[0].height, 16);
  EXPECT_EQ(film.animation.delay_ms, 83);
  EXPECT_EQ(film.steps, 3);
  EXPECT_TRUE(film.animation.notes.empty());
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_EQ(draw(Small()).animation.frames, film.animation.frames);
  const auto differs = [&](auto change) {
    FilmRequest request = Small();
    change(request);
    return draw(request).animation.frames != film.animation.frames;
  };
  EXPECT_TRUE(differs([](FilmRequest& r) { r.seed = 8; }));
  EXPECT_TRUE(differs([](FilmRequest& r) { r.prompt = "all fine"; }));
  EXPECT_TRUE(differs([](FilmRequest& r) { r.negative = ""; }));
  EXPECT_TRUE(differs([](FilmRequest& r) { r.frames_per_second = 24; }));
  FilmRequest long_one = Small();
  for (int i = 0; i < 130; ++i) long_one.prompt += " a";
  long_one.guidance = 1;
  EXPECT_THAT(
      draw(long_one).animation.notes,
      testing::ElementsAre(HasSubstr("reads the first 127"), HasSubstr("negative prompt has no effect")));
}

TEST_F(TextToFilm, StopsWhenItIsAsked) {
  std::stop_source source;
  const auto engine = Open();
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto film = (*engine)->Draw(
      Small(), [&](const AnimateProgress&) { source.request_stop(); }, source.get_token());
  EXPECT_EQ(film.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(TextToFilm, RefusesWhatTheModelDoesNotDraw) {
  FilmRequest request = Small();
  request.width = 20;
  EXPECT_EQ(Refusal(request), "the size is 20x16; this model draws multiples of 8");
  request = Small();
  request.frames = 8;
  EXPECT_EQ(Refusal(request), "frames is 8; this model draws one more than a multiple of 4: 5 or 9");
  request = Small();
  request.guidance = 101;
  EXPECT_EQ(Refusal(request), "guidance is 101; allowed are 0 to 100");
  const auto engine = FilmEngine::Open(folder_.path(), {.threads = 1, .coder_bytes_max = 1000});
  EXPECT_THAT(std::string((*engine)->Draw(Small(), {}, {}).status().message()),
              AllOf(HasSubstr("decoding 5 frames of 24x16 takes"), HasSubstr("--vae-memory")));
}

TEST_F(TextToFilm, NamesTheFieldThatIsWrong) {
  Replace("transformer/config.json", "\"caption_channels\":24", "\"caption_channels\":32");
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("transformer/config.json: \"caption_channels\" is 32, but \"d_model\" of"),
                    HasSubstr("is 24")));
  Replace("transformer/config.json", "\"caption_channels\":32", "\"caption_channels\":24");
  Replace("vae/config.json", "\"latent_channels\":6", "\"latent_channels\":8");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("\"in_channels\" is 6"), HasSubstr("\"latent_channels\" of")));
  Replace("vae/config.json", "\"latent_channels\":8", "\"latent_channels\":6,\"timestep_conditioning\":true");
  EXPECT_THAT(Refusal(), HasSubstr("vae/config.json: \"timestep_conditioning\" is"));
  Replace("vae/config.json", ",\"timestep_conditioning\":true", "");
  Replace("text_encoder/config.json", "gated-gelu", "relu");
  EXPECT_THAT(Refusal(), HasSubstr("text_encoder/config.json: \"feed_forward_proj\" is \"relu\""));
  Replace("text_encoder/config.json", "\"relu\"", "\"gated-gelu\"");
  Replace("scheduler/scheduler_config.json", "\"num_train", "\"use_karras_sigmas\":true,\"num_train");
  EXPECT_THAT(Refusal(), HasSubstr("scheduler_config.json: \"use_karras_sigmas\" is"));
  Replace("model_index.json", "LTXVideoTransformer3DModel", "CogVideoXTransformer3DModel");
  EXPECT_THAT(Refusal(),
              HasSubstr("\"transformer\" is a CogVideoXTransformer3DModel; allowed: LTXVideoTransf"));
  Replace("model_index.json", "LTXPipeline", "CogVideoXPipeline");
  EXPECT_THAT(Refusal(),
              HasSubstr("model_index.json: \"_class_name\" is \"CogVideoXPipeline\"; allowed: LTXPipeline"));
  EXPECT_FALSE(FilmEngine::Opens(folder_.path()));
}

TEST_F(TextToFilm, NamesTheTensorThatIsWrong) {
  constexpr char kTransformerFile[] = "transformer/diffusion_pytorch_model.safetensors";
  constexpr char kVaeFile[] = "vae/diffusion_pytorch_model.safetensors";
  Spoil(kTransformerFile, "transformer_blocks.1.attn2.norm_k.weight", nullptr);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr(kTransformerFile),
                               HasSubstr("has no tensor \"transformer_blocks.1.attn2.norm_k.weight\" [32]")));
  WriteFilmModel(folder_);
  const Shape wrong = {5, 32};
  Spoil(kTransformerFile, "transformer_blocks.0.scale_shift_table", &wrong);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("transformer_blocks.0.scale_shift_table"), HasSubstr("[5, 32]"),
                               HasSubstr("[6, 32]")));
  WriteFilmModel(folder_);
  Spoil(kVaeFile, "latents_std", nullptr);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr(kVaeFile), HasSubstr("has no tensor \"latents_std\" [6]")));
  WriteFilmModel(folder_);
  Spoil("text_encoder/model.safetensors", "shared.weight", nullptr);
  EXPECT_THAT(Refusal(), HasSubstr("has no tensor \"shared.weight\" [32, 24]"));
  WriteFilmModel(folder_);
  Replace("transformer/config.json", "\"num_layers\":2", "\"num_layers\":1");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("holds \"transformer_blocks.1."), HasSubstr("does not have")));
}

TEST_F(TextToFilm, IsInspectedLikeAnyDirectory) {
  const auto text = InspectCheckpoint(folder_.path());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, AllOf(HasSubstr("LTXPipeline"), HasSubstr("transformer  LTXVideoTransformer3DModel"),
                           HasSubstr("text_encoder  T5EncoderModel"),
                           HasSubstr("decoder_spatio_temporal_scaling"), HasSubstr("transformer_blocks.1")));
}

}  // namespace
}  // namespace ringway::engine
