// `ringway generate` with a small random model: what it writes, what it says, and what it refuses.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "engine/bundled_pictures.h"
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

TEST_F(GenerateTest, ComputesInThePrecisionThatIsNamed) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"-p", "the boat", "--steps", "2", "-o", Out("a.png")});
    const Ran ran = Generate(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Decoded(Out("a.png"));
  };
  const engine::Picture f32 = with({"--full-precision"});
  EXPECT_EQ(with({"--precision", "f32"}), f32);
  EXPECT_EQ(with({"--precision", "bf16"}), with({}));
  const engine::Picture int8 = with({"--precision", "int8"}), weights = with({"--precision", "int8-weights"});
  EXPECT_NE(int8, f32);
  EXPECT_NE(int8, weights);
  EXPECT_EQ(Generate({"-p", "boat", "--precision", "int4"}).code, 2);
  EXPECT_EQ(Generate({"-p", "boat", "--precision", "int8", "--full-precision"}).code, 2);
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
}

// The bundled picture model's folder, as it is laid out: what the student shares with its teacher are links.
class BundledPicturesTest : public ::testing::Test {
 protected:
  BundledPicturesTest() {
    namespace fs = std::filesystem;
    engine::ScratchFolder model;
    engine::WritePictureModel(model, "picture_small");
    for (const char* part : {"teacher", "student"}) {
      fs::copy(model.path(), folder_.path() / part, fs::copy_options::recursive);
      Schedule(part, std::string_view(part) == "teacher" ? 4 : 2);
    }
    fs::remove_all(folder_.path() / "student/vae");
    fs::create_directory_symlink("../teacher/vae", folder_.path() / "student/vae");
    for (const char* shared : {"text_encoder", "tokenizer"})
      for (const fs::directory_entry& file : fs::directory_iterator(folder_.path() / "teacher" / shared)) {
        const fs::path link = folder_.path() / "student" / shared / file.path().filename();
        fs::remove(link);
        fs::create_symlink(fs::path("../../teacher") / shared / file.path().filename(), link);
      }
    setenv("RINGWAY_SCENES", folder_.path().c_str(), 1);
  }
  ~BundledPicturesTest() override { unsetenv("RINGWAY_SCENES"); }
  void Schedule(const std::string& part, int steps) {
    folder_.Write(part + "/scheduler/scheduler_config.json",
                  absl::StrCat(R"({"beta_schedule":"squaredcos_cap_v2","prediction_type":"v_prediction",)",
                               R"("timestep_spacing":"trailing","clip_sample":false,"ringway_steps":)", steps,
                               R"(,"ringway_guidance":)", steps - 1, "}"));
  }
  void WriteAdapter(const std::string& name) {
    const std::string layer = "unet.mid_block.attentions.0.transformer_blocks.0.attn1.to_v";
    engine::Tensor down(engine::DType::kF32, {2, 96}), up(engine::DType::kF32, {96, 2});
    for (float& v : down.As<float>()) v = 0.5f;
    for (float& v : up.As<float>()) v = 0.5f;
    const std::pair<std::string, engine::Tensor> both[] = {{layer + ".lora_A.weight", down},
                                                           {layer + ".lora_B.weight", up}};
    std::filesystem::create_directories(folder_.path() / "lora");
    ASSERT_TRUE(engine::WriteSafetensors(folder_.path() / "lora" / (name + ".safetensors"), both).ok());
  }
  Ran Generate(std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "-p", "the boat", "-o", Out()});
    return Ringway(std::move(words));
  }
  std::string Out() const { return (folder_.path() / "out.png").string(); }
  std::string Bytes() const {
    std::ifstream stream(Out(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  engine::ScratchFolder folder_;
};

TEST_F(BundledPicturesTest, AreDrawnWithWithoutAModelAsTheySay) {
  const Ran student = Generate({});
  EXPECT_EQ(student.code, 0) << student.err;
  EXPECT_THAT(student.out, HasSubstr("32 x 32, 2 steps of ddim, guidance 1, seed 0"));
  EXPECT_THAT(Bytes(), HasSubstr("iTXtmodel" + std::string(5, '\0') + "scenes"));
  const Ran named = Generate({"--model", "scenes", "--guidance", "2"});
  EXPECT_THAT(named.out, HasSubstr("2 steps of ddim, guidance 2"));
  const Ran teacher = Generate({"--model", "scenes-teacher"});
  EXPECT_EQ(teacher.code, 0) << teacher.err;
  EXPECT_THAT(teacher.out, HasSubstr("4 steps of ddim, guidance 3"));
  EXPECT_THAT(Bytes(), HasSubstr("iTXtmodel" + std::string(5, '\0') + "scenes-teacher"));
}

TEST_F(BundledPicturesTest, HaveAdaptersAndControlNetworksByName) {
  WriteAdapter("sketch");
  engine::WriteSmallControlNet(folder_, "control/edges", "a");
  const std::string photo =
      folder_.Write("photo.png", engine::EncodePng(engine::DrawPicture(32, 32)).value()).string();
  ASSERT_EQ(Generate({}).code, 0);
  const std::string plain = Bytes();
  const Ran sketch = Generate({"--lora", "sketch:0.5"});
  EXPECT_EQ(sketch.code, 0) << sketch.err;
  EXPECT_THAT(Bytes(), HasSubstr("iTXtlora" + std::string(5, '\0') + "sketch.safetensors:0.5"));
  EXPECT_NE(Bytes(), plain);
  const Ran edges = Generate({"--control", "edges:0.8", "--control-image", photo});
  EXPECT_EQ(edges.code, 0) << edges.err;
  EXPECT_NE(engine::DecodePng(Bytes()).value(), engine::DecodePng(plain).value());
  EXPECT_THAT(Generate({"--lora", "charcoal"}).err, HasSubstr("charcoal"));
}

// Of where the user happens to be, only a model takes a bundled one's name.
TEST_F(BundledPicturesTest, AreNotHiddenByAnyFolderOfTheirName) {
  namespace fs = std::filesystem;
  const engine::ScratchFolder elsewhere;
  const fs::path before = fs::current_path();
  fs::current_path(elsewhere.path());
  fs::create_directories("scenes/photos");
  fs::create_directory("sketch");
  WriteAdapter("sketch");
  const Ran hidden = Generate({"--lora", "sketch"});
  EXPECT_EQ(hidden.code, 0) << hidden.err;
  fs::copy(folder_.path() / "teacher", "scenes", fs::copy_options::recursive);
  const Ran own = Generate({});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("4 steps")) << "a model of the name wins";
  fs::current_path(before);
}

TEST_F(BundledPicturesTest, SayTheWordsThatTheyDoNotKnow) {
  folder_.Write("teacher/tokenizer/tokenizer_config.json", R"({"closed_vocabulary":["the"]})");
  const std::filesystem::path link = folder_.path() / "student/tokenizer/tokenizer_config.json";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("../../teacher/tokenizer/tokenizer_config.json", link);
  const Ran ran = Generate({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string note = "words of the prompt that this model does not know: boat";
  EXPECT_THAT(ran.err, HasSubstr("note: " + note));
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("step 1 of 2"))) << "no bar where nobody watches";
  EXPECT_THAT(Bytes(), HasSubstr("iTXtnote" + std::string(5, '\0') + note));
}

TEST_F(BundledPicturesTest, AreListedWithWhatTheyAre) {
  WriteAdapter("sketch");
  folder_.Write("about.json", R"({"sketch":"pencil on paper"})");
  const Ran list = Ringway({"generate", "--list"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(HasSubstr("scenes-teacher"), HasSubstr("pencil on paper"),
                              HasSubstr((folder_.path() / "lora/sketch.safetensors").string())));
  EXPECT_THAT(Ringway({"--json", "generate", "--list"}).out,
              AllOf(HasSubstr("\"name\": \"sketch\""), HasSubstr("\"controls\": []")));
  folder_.Write("about.json", R"({"sketch":3})");
  EXPECT_THAT(Ringway({"generate", "--list"}).err, HasSubstr("about.json: \"sketch\" is 3"));
}

TEST_F(BundledPicturesTest, SayWhereTheyWereLookedForWhereTheyAreAbsent) {
  std::filesystem::remove_all(folder_.path() / "teacher");
  const Ran teacher = Generate({"--model", "scenes-teacher"});
  EXPECT_EQ(teacher.code, 1);
  EXPECT_THAT(teacher.err, HasSubstr("has no teacher/model_index.json; scenes is there"));
  std::filesystem::remove_all(folder_.path() / "student");
  const Ran absent = Generate({});
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, AllOf(HasSubstr("the bundled picture model is not installed"),
                                HasSubstr(folder_.path().string()), HasSubstr("--model")));
}

// The weights themselves, where they are: as their scheduler says, and at the size that they were trained on.
TEST(ShippedPicturesTest, DrawAPictureAndItsSketch) {
  const auto scenes = engine::FindScenes();
  if (!scenes.ok()) GTEST_SKIP() << scenes.status().message();
  const engine::ScratchFolder folder;
  const std::string out = (folder.path() / "out.png").string();
  const Ran ran = Ringway({"generate", "-p", "a red boat on the sea at dusk", "-o", out});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("128 x 128, 8 steps of ddim, guidance 1"));
  for (const auto& [name, file] : engine::BundledAdapters()) {
    const Ran adapted = Ringway({"generate", "-p", "a red house", "--lora", name, "-o", out});
    EXPECT_EQ(adapted.code, 0) << name << ": " << adapted.err;
  }
  for (const auto& [name, directory] : engine::BundledControls()) {
    const Ran led =
        Ringway({"generate", "-p", "a red house", "--control", name, "--control-image", out, "-o", out});
    EXPECT_EQ(led.code, 0) << name << ": " << led.err;
  }
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
