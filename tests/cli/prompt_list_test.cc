// `ringway generate --prompts`: a picture a line, the same that the line would give alone.
#include "cli/prompt_list.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/engine/picture_files.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PromptListTest : public ::testing::Test {
 protected:
  PromptListTest() { engine::WritePictureModel(folder_, "picture_sd1"); }
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

TEST_F(PromptListTest, DrawsEachPromptOfAFileAsItWouldAlone) {
  folder_.Write("prompts.txt", "the boat\r\nthe sea");
  const Ran ran = Generate({"--prompts", Out("prompts.txt"), "--steps", "2", "--size", "32", "--seed", "7",
                            "-o", Out("new/pictures"), "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr(Out("new/pictures/0001.png")), HasSubstr(Out("new/pictures/0002.png"))));
  const Ran alone =
      Generate({"-p", "the sea", "--steps", "2", "--size", "32", "--seed", "8", "-o", Out("alone.png")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(Bytes(Out("new/pictures/0002.png")), Bytes(Out("alone.png"))) << "what it says included";
  EXPECT_NE(Decoded(Out("new/pictures/0001.png")), Decoded(Out("alone.png")));
}

TEST_F(PromptListTest, RefusesAFileOfPromptsBeforeAnythingIsDrawn) {
  const auto says = [&](const std::string& text, std::vector<std::string> more) {
    folder_.Write("prompts.txt", text);
    more.insert(more.begin(), {"--prompts", Out("prompts.txt")});
    const Ran ran = Generate(more);
    EXPECT_EQ(ran.code, 1) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(says("the boat\n\nthe sea\n", {"-o", Out("never")}), HasSubstr("prompts.txt:2: is empty"));
  EXPECT_THAT(says("", {"-o", Out("never")}), HasSubstr("prompts.txt: is empty; allowed: one prompt a line"));
  std::string many;
  for (std::size_t i = 0; i <= kPromptLinesMax; ++i) many += "boat\n";
  EXPECT_THAT(says(many, {"-o", Out("never")}),
              HasSubstr(absl::StrCat("has more than ", kPromptLinesMax, " lines")));
  EXPECT_THAT(says("boat", {"-o", "-"}), HasSubstr("it names a folder"));
  EXPECT_THAT(says("boat", {"-o", Out("model_index.json")}), HasSubstr("model_index.json: is no folder"));
  EXPECT_THAT(says("boat", {"-o", Out("never"), "--motion-adapter", Out("")}),
              HasSubstr("--prompts draws pictures"));
  EXPECT_THAT(Generate({"--prompts", Out("no.txt")}).err, HasSubstr("no.txt: cannot be opened"));
  EXPECT_EQ(Generate({"--prompts", Out("prompts.txt"), "-p", "boat"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(Out("never")));
}

}  // namespace
}  // namespace ringway::cli
