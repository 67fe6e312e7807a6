// `ringway generate` with a small random model: what it writes, what it says, and what it refuses.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/checkpoint/safetensors.h"
#include "engine/media/decode.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/encode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/engine/film_files.h"
#include "tests/engine/picture_files.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The greatest difference of two values of the same place; more than any if the sizes differ.
int Apart(const engine::Picture& a, const engine::Picture& b) {
  if (a.width != b.width || a.height != b.height || a.rgb.size() != b.rgb.size()) return 256;
  int most = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) most = std::max(most, std::abs(a.rgb[i] - b.rgb[i]));
  return most;
}

class GenerateTest : public ::testing::Test {
 protected:
  GenerateTest() { engine::WritePictureModel(folder_, "picture_sd1"); }
  Ran Generate(std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "--model", folder_.path().string()});
    return Ringway(std::move(words));
  }
  std::string Out(const std::string& name) const { return (folder_.path() / name).string(); }
  static std::string Bytes(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static engine::Picture Decoded(const std::string& file) {
    return engine::DecodePng(Bytes(file)).value_or(engine::Picture());
  }
  engine::ScratchFolder folder_;
};

TEST_F(GenerateTest, WritesAPictureThatSaysHowItWasMade) {
  const Ran ran = Generate({"-p", "the boat, sch\xc3\xb6n", "--negative", "grass", "--size", "40x24",
                            "--steps", "3", "--guidance", "5.5", "--seed", "7", "-o", Out("a.png")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("40 x 24, 3 steps of dpm++, guidance 5.5, seed 7"));
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("step 3 of 3"), HasSubstr("note: for the checkpoint's PNDMScheduler")));
  EXPECT_EQ(Decoded(Out("a.png")).width, 40);
  EXPECT_EQ(Decoded(Out("a.png")).height, 24);
  const std::string bytes = Bytes(Out("a.png"));
  const auto says = [](const std::string& keyword, const std::string& text) {
    return HasSubstr("iTXt" + keyword + std::string(5, '\0') + text);
  };
  EXPECT_THAT(bytes, AllOf(says("prompt", "the boat, sch\xc3\xb6n"), says("negative prompt", "grass"),
                           says("seed", "7"), says("steps", "3"), says("guidance", "5.5"),
                           says("scheduler", "dpm++"), says("size", "40x24"),
                           says("model", folder_.path().filename().string()), says("Software", "Ringway ")));
}

TEST_F(GenerateTest, TheSameWordsDrawTheSamePicture) {
  const std::vector<std::string> words = {"-p", "the boat", "--steps", "2", "--size", "32"};
  const auto with = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    more.insert(more.end(), {"-o", Out(name)});
    const Ran ran = Generate(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Decoded(Out(name));
  };
  const engine::Picture plain = with("a.png", {});
  EXPECT_EQ(with("b.png", {"--seed", "0"}), plain);
  EXPECT_NE(with("c.png", {"--seed", "1"}), plain);
  EXPECT_NE(with("d.png", {"--scheduler", "euler-karras"}), plain);
  EXPECT_NE(with("e.png", {"--clip-skip", "1"}), plain);
}

TEST_F(GenerateTest, StartsFromAPicture) {
  folder_.Write("photo.png", engine::EncodePng(engine::DrawPicture(45, 34)).value());
  const Ran ran = Generate({"-p", "the boat", "--init", Out("photo.png"), "--strength", "0.5", "--steps", "4",
                            "-o", Out("a.png"), "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("\"width\": 40"), HasSubstr("\"height\": 32"), HasSubstr("stands in")));
  EXPECT_THAT(Bytes(Out("a.png")), AllOf(HasSubstr("photo.png"), HasSubstr("strength")));
}

TEST_F(GenerateTest, DrawsWithAdaptersAndSaysWhich) {
  const std::string layer = "lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_v";
  engine::Tensor down(engine::DType::kF32, {2, 64}), up(engine::DType::kF32, {64, 2});
  for (float& v : down.As<float>()) v = 0.5f;
  for (float& v : up.As<float>()) v = 0.5f;
  const std::pair<std::string, engine::Tensor> both[] = {{layer + ".lora_down.weight", down},
                                                         {layer + ".lora_up.weight", up}};
  ASSERT_TRUE(engine::WriteSafetensors(folder_.path() / "style.safetensors", both).ok());
  ASSERT_TRUE(engine::WriteSafetensors(folder_.path() / "odd:1", both).ok());
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"-p", "the boat", "--steps", "2", "-o", Out("a.png")});
    const Ran ran = Generate(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Decoded(Out("a.png"));
  };
  const engine::Picture plain = with({}), drawn = with({"--lora", Out("style.safetensors") + ":0.5"});
  EXPECT_GT(Apart(drawn, plain), 1);
  EXPECT_THAT(Bytes(Out("a.png")), HasSubstr("iTXtlora" + std::string(5, '\0') + "style.safetensors:0.5"));
  EXPECT_NE(with({"--lora", Out("style.safetensors")}), drawn);
  // Two halves are added one after the other, and rounded in between.
  EXPECT_LE(
      Apart(with({"--lora", Out("style.safetensors") + ":0.25", "--lora", Out("odd:1") + ":0.25"}), drawn),
      1);
  EXPECT_THAT(Bytes(Out("a.png")), HasSubstr("odd:1:0.25"));
  const Ran missing = Generate({"-p", "boat", "--lora", Out("no.safetensors"), "-o", Out("never.png")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("no.safetensors"));
}

TEST_F(GenerateTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"--size", "100x64"}, "the size is 100 x 64; both must be multiples of 8"},
      {{"--size", "big"}, "--size is \"big\"; allowed: WIDTHxHEIGHT"},
      {{"--size", "8x8x8"}, "--size is \"8x8x8\""},
      {{"--scheduler", "heun"}, "the scheduler is \"heun\"; allowed: dpm++"},
      {{"--init", "/nonexistent.png"}, "/nonexistent.png: cannot be opened"},
      {{"--init", Out("model_index.json")}, "model_index.json: "},
      {{"-o", Out("a.jpg")}, "pictures are written as .png"}};
  for (const auto& [words, says] : wrong) {
    std::vector<std::string> all = {"-p", "boat", "-o", Out("never.png")};
    if (words.front() == "-o") all.resize(2);
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = Generate(all);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(says));
  }
  EXPECT_FALSE(std::filesystem::exists(Out("never.png")));
}

TEST_F(GenerateTest, RefusesACommandLineThatItDoesNotKnow) {
  const Ran unknown = Generate({"-p", "boat", "--sead", "3"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("--sead"), HasSubstr("--seed")));
  EXPECT_EQ(Generate({"-p", "boat", "--steps", "0"}).code, 2);
  EXPECT_EQ(Generate({"-p", "boat", "--guidance", "-3"}).code, 2);
  EXPECT_EQ(Generate({}).code, 2) << "no prompt";
  EXPECT_EQ(Ringway({"generate", "-p", "boat"}).code, 2) << "no model";
}

TEST_F(GenerateTest, RefusesModelsOfOtherKinds) {
  folder_.Write("model_index.json", R"({"_class_name":"StableVideoDiffusionPipeline"})");
  const Ran ran = Generate({"-p", "boat", "-o", Out("never.png")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("model_index.json: \"_class_name\" is \"StableVideoDiffusionPipeline\""),
                    HasSubstr("`ringway animate`")));
}

TEST_F(GenerateTest, AMotionAdapterMakesAFilm) {
  engine::WriteMotionAdapter(folder_, "motion");
  const auto film = [&](const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> words = {
        "-p",          "boat",     "--size", "24x16", "--steps", "2", "--motion-adapter",
        Out("motion"), "--frames", "4",      "-o",    out};
    words.insert(words.end(), more.begin(), more.end());
    return Generate(words);
  };
  const Ran gif = film(Out("film.gif"), {"--fps", "10"});
  EXPECT_EQ(gif.code, 0) << gif.err;
  EXPECT_THAT(gif.out, HasSubstr("4 frames of 24 x 16 at 10 a second, 2 steps of dpm++"));
  EXPECT_EQ(Bytes(Out("film.gif")).substr(0, 4), "GIF8");
  const Ran json =
      Ringway({"--json", "generate", "--model", folder_.path().string(), "-p", "boat", "--size", "24x16",
               "--steps", "2", "--motion-adapter", Out("motion"), "--frames", "4", "-o", Out("film.webp")});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"frames\": 4"), HasSubstr("\"fps\": 8")));
  if (engine::AnimationFormatOf("mp4")) {
    EXPECT_EQ(film(Out("film.mp4"), {}).code, 0);
    EXPECT_EQ(Bytes(Out("film.mp4")).substr(4, 4), "ftyp");
  }
  const Ran still = film(Out("film.jpg"), {});
  EXPECT_EQ(still.code, 1);
  EXPECT_THAT(still.err, HasSubstr("films are written with an ending of gif"));
  const Ran many = film(Out("many.gif"), {"--frames", "13"});
  EXPECT_NE(many.code, 0);
  const Ran alone = Generate({"-p", "boat", "--fps", "8", "-o", Out("never.png")});
  EXPECT_EQ(alone.code, 1);
  EXPECT_THAT(alone.err, HasSubstr("have no effect without --motion-adapter"));
}

TEST_F(GenerateTest, FollowsMasksControlsAndLearntWords) {
  engine::WriteControlNet(folder_, "edges", "");
  engine::WriteTinyAutoencoder(folder_, "tiny");
  const std::string photo =
      folder_.Write("photo.png", engine::EncodePng(engine::DrawPicture(32, 24)).value()).string();
  const std::string out = (folder_.path() / "out.png").string(),
                    seen = (folder_.path() / "seen.png").string();
  const Ran ran = Generate({"-p",
                            "boat",
                            "--steps",
                            "2",
                            "--init",
                            photo,
                            "--mask",
                            photo,
                            "--control",
                            (folder_.path() / "edges").string() + ":0.5",
                            "--control-image",
                            photo,
                            "--control-window",
                            "0,0.5",
                            "--preview",
                            (folder_.path() / "tiny").string(),
                            "--preview-out",
                            seen,
                            "--vae-memory",
                            "1",
                            "-o",
                            out});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(out) && std::filesystem::exists(seen));
  EXPECT_THAT(Generate({"-p", "boat", "--control", "x"}).err,
              HasSubstr("every --control has a --control-image"));
  EXPECT_THAT(Generate({"-p", "boat", "--mask", photo}).err, HasSubstr("no picture to start from"));
  EXPECT_THAT(Generate({"-p", "boat", "--embedding", "none.safetensors"}).err, HasSubstr("none.safetensors"));
}

TEST_F(GenerateTest, RefusesWhatOnlyFilmsHave) {
  EXPECT_THAT(Generate({"-p", "boat", "--frames", "9", "-o", Out("never.png")}).err,
              HasSubstr("draws pictures, so --frames and --fps have no effect"));
}

class GenerateFilmTest : public ::testing::Test {
 protected:
  GenerateFilmTest() { engine::WriteFilmModel(folder_); }
  Ran Generate(std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "--model", folder_.path().string(), "-p", "a small boat",
                                 "--size", "24x16", "--frames", "5", "--steps", "2"});
    return Ringway(std::move(words));
  }
  std::string Out(const std::string& name) const { return (folder_.path() / name).string(); }
  engine::ScratchFolder folder_;
};

TEST_F(GenerateFilmTest, WritesAFilm) {
  const Ran ran = Generate({"--fps", "12", "--guidance", "2", "--seed", "9", "-o", Out("a.gif")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("5 frames of 24 x 16 at 12 a second, 2 steps, guidance 2, seed 9"));
  EXPECT_THAT(ran.err, HasSubstr("step 2 of 2"));
  EXPECT_GT(std::filesystem::file_size(Out("a.gif")), 100u);
  const Ran json = Generate({"--negative", "all", "-o", Out("b.webp"), "--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_THAT(json.out,
              AllOf(HasSubstr("\"frames\": 5"), HasSubstr("\"fps\": 25"), HasSubstr("\"guidance\": 3")));
  if (engine::DefaultAnimationFormat() != engine::AnimationFormat::kMp4) return;
  const Ran mp4 = Generate({"-o", Out("c.mp4")});
  EXPECT_EQ(mp4.code, 0) << mp4.err;
  std::ifstream stream(Out("c.mp4"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(bytes.substr(0, 16), HasSubstr("ftyp"));
}

TEST_F(GenerateFilmTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"--init", "photo.png", "--lora", "x"}, "--init, --lora: no effect with a model that makes films"},
      {{"-o", Out("a.png3")}, "films are written with an ending of gif"},
      {{"--vae-memory", "0.001"}, "the autoencoder may take"}};
  for (const auto& [words, says] : wrong) {
    std::vector<std::string> all = words;
    if (words.front() != "-o") all.insert(all.end(), {"-o", Out("never.gif")});
    const Ran ran = Generate(all);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(says));
  }
  EXPECT_FALSE(std::filesystem::exists(Out("never.gif")));
}

TEST_F(GenerateTest, ProfilesWhereTheTimeOfAPictureGoes) {
  const Ran ran = Ringway(
      {"engine", "profile", folder_.path().string(), "--size", "16", "--steps", "3", "--rounds", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* said :
       {"text_encoder", "unet", "vae decoder", "conv", "attention", "16 x 16, 3 steps", "OF PEAK"})
    EXPECT_THAT(ran.out, HasSubstr(said));
  EXPECT_THAT(Ringway({"engine", "profile", "/nonexistent"}).err, HasSubstr("no model that draws"));
}

TEST_F(GenerateTest, MeasuresWhatSwitchesCost) {
  std::vector<float> values(4 * 64, 0.01f);
  const std::string layer = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_out_0";
  const std::pair<std::string, engine::Tensor> lora[] = {
      {layer + ".lora_down.weight", engine::Tensor::FromFloats({4, 64}, values)},
      {layer + ".lora_up.weight", engine::Tensor::FromFloats({64, 4}, values)}};
  ASSERT_TRUE(engine::WriteSafetensors(folder_.path() / "lora.safetensors", lora).ok());
  const std::vector<std::string> words = {
      "engine", "profile", folder_.path().string(), "--size",           "16",         "--rounds",
      "1",      "--lora",  Out("lora.safetensors"), "--packed-weights", Out("packed")};
  std::vector<std::string> switches = words;
  switches.push_back("--switches");
  const Ran ran = Ringway(switches);
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* said : {"checkpoint in host memory", "packed file in host memory",
                           "another model, resident", "no LoRA", "another, 384 x 256", "no step is taken"})
    EXPECT_THAT(ran.out, HasSubstr(said));
  switches.push_back("--json");
  EXPECT_THAT(Ringway(switches).out, AllOf(HasSubstr("\"from\": \"LoRA\""), HasSubstr("\"again_s\": ")));
  EXPECT_THAT(Ringway(words).err, HasSubstr("have an effect with --switches alone"));
  switches = {"engine", "profile", folder_.path().string(), "--switches", "--lora", Out("none.safetensors")};
  EXPECT_THAT(Ringway(switches).err, HasSubstr("none.safetensors"));
}

}  // namespace
}  // namespace ringway::cli
