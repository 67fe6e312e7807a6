// `ringway animate` and `ringway engine` with a small random model, and the line that shows progress.
#include <filesystem>
#include <fstream>

#include "cli/progress_line.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/encode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/engine/model_files.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ProgressLineTest, ShowsBarStepAndWhatIsLeft) {
  EXPECT_EQ(ProgressLine({4, 8, 0.5, 1.2}), "[############------------]  50 %  step 4 of 8  1.2 s left");
  EXPECT_EQ(ProgressLine({0, 8, 0.01, 1.2}), "[------------------------]   1 %  step 0 of 8");
  EXPECT_EQ(ProgressLine({8, 8, 1, 2.5}), "[########################] 100 %  step 8 of 8  2.5 s");
  EXPECT_EQ(ProgressLine({0, 0, -1, 0}), "[------------------------]   0 %");
}

class AnimateTest : public ::testing::Test {
 protected:
  AnimateTest() { engine::WriteMotionModel(folder_); }
  Ran Animate(std::vector<std::string> words) {
    words.insert(words.begin(), "animate");
    words.insert(words.end(), {"--model", folder_.path().string(), "--side", "48", "--frames", "3"});
    return Ringway(std::move(words));
  }
  std::string Out(const std::string& name) const { return (folder_.path() / name).string(); }
  static std::string Bytes(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  engine::ScratchFolder folder_;
};

TEST_F(AnimateTest, DrawsItsOwnPictureAndAnimatesIt) {
  const Ran ran = Animate({"-p", "zoom in", "-o", Out("a.gif"), "--seed", "3"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 frames of 48 x 34"));
  EXPECT_THAT(ran.err, HasSubstr("a picture of Ringway's own"));
  EXPECT_THAT(ran.err, HasSubstr("step 3 of 3"));
  EXPECT_THAT(Bytes(Out("a.gif")), StartsWith("GIF89a"));
  EXPECT_FALSE(std::filesystem::exists(Out("a.gif.part")));
}

TEST_F(AnimateTest, TakesAnyPhotoAndTheFormatOfTheEnding) {
  engine::Animation still;
  still.frames.push_back(engine::DrawPicture(64, 48));
  folder_.Write("still.png", engine::EncodeApng(still).value());
  const Ran ran =
      Animate({Out("still.png"), "-p", "zoom", "-o", Out("b.webp"), "--region", "10%,10%,60%,90%"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(Bytes(Out("b.webp")).substr(8, 4), "WEBP");
}

TEST_F(AnimateTest, SaysWhatIsWrong) {
  EXPECT_THAT(Animate({"/nonexistent.jpg"}).err, HasSubstr("/nonexistent.jpg: cannot be opened"));
  EXPECT_THAT(Animate({"-o", Out("a.bmp")}).err, HasSubstr("format is \"bmp\"; allowed: gif"));
  EXPECT_THAT(Animate({"--steps", "x"}).err, HasSubstr("steps is \"x\""));
  EXPECT_FALSE(std::filesystem::exists(Out("a.bmp")));
}

TEST_F(AnimateTest, NamesTheWordsThatTheModelDoesNotKnow) {
  const Ran ran = Animate({"-p", "zoom asdf", "-o", Out("c.gif")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr("note: words of the prompt that this model does not know, and skipped: \"asdf\""));
  const Ran json = Animate({"-p", "zoom asdf", "-o", Out("c.gif"), "--json"});
  EXPECT_THAT(json.out, HasSubstr("asdf"));
}

TEST_F(AnimateTest, HelpPromisesTheFormatsThatThisBuildWrites) {
  const std::string promised = engine::AnimationFormatNames();
  EXPECT_THAT(Ringway({"animate", "--help"}).out, HasSubstr(promised + "; else by the ending"));
  for (const char* format : {"gif", "apng", "webp", "mp4"}) {
    if (promised.find(format) == std::string::npos) continue;
    const Ran ran = Animate({"-p", "zoom", "-o", Out(std::string("d.") + format)});
    EXPECT_EQ(ran.code, 0) << format << ran.err;
  }
}

TEST_F(AnimateTest, RefusesARegionBeyondThePictureAndNamesItsSize) {
  engine::Animation still;
  still.frames.push_back(engine::DrawPicture(64, 48));
  folder_.Write("still.png", engine::EncodeApng(still).value());
  const Ran ran =
      Animate({Out("still.png"), "-p", "zoom", "-o", Out("e.gif"), "--region", "0,0,100000,100000"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("64 x 48 pixels"));
}

TEST_F(AnimateTest, InspectsTheModel) {
  const Ran ran = Ringway({"engine", "inspect", folder_.path().string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("MotionFieldPipeline"));
  EXPECT_THAT(ran.out, HasSubstr("conditioner"));
  EXPECT_NE(Ringway({"engine", "inspect", "/nonexistent"}).code, 0);
}

}  // namespace
}  // namespace ringway::cli
