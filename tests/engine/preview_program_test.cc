// The program that routers start: what it writes, how it ends, and that it does not outlive its limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"
#include "engine/media/encode.h"
#include "runtime/child_process.h"
#include "tests/engine/sample_pictures.h"

namespace ringway::engine {
namespace {

using ::testing::HasSubstr;

class PreviewProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "preview.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(File(name), std::ios::binary) << bytes;
  }
  std::string Read(const std::string& name) {
    std::ostringstream bytes;
    bytes << std::ifstream(File(name), std::ios::binary).rdbuf();
    return bytes.str();
  }
  // Its exit code; what it said is in the file `said`.
  int Run(std::vector<std::string> arguments) {
    std::filesystem::remove(File("said"));
    arguments.insert(arguments.begin(), RINGWAY_BIN_DIR "/ringway-preview");
    auto process = runtime::ChildProcess::Start(arguments, File("said"));
    EXPECT_TRUE(process.ok()) << process.status();
    const auto status = process.ok() ? process->WaitFor(Minutes(2)) : std::nullopt;
    EXPECT_TRUE(status && WIFEXITED(*status)) << Read("said");
    return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  }

  std::string folder_;
};

TEST_F(PreviewProgramTest, WritesBothPicturesOfAFilm) {
  const auto film = EncodeAnimation(MovingDisc(64, 48, 9), DefaultAnimationFormat());
  ASSERT_TRUE(film.ok()) << film.status();
  if (!AnimationFormatOf("mp4")) GTEST_SKIP() << "no libav here";
  Write("film", *film);
  EXPECT_EQ(Run({"thumbnail", File("film"), File("thumbnail")}), 0) << Read("said");
  const auto thumbnail = DecodeWebp(Read("thumbnail"));
  ASSERT_TRUE(thumbnail.ok()) << thumbnail.status();
  EXPECT_EQ(thumbnail->width, 64);
  EXPECT_EQ(Run({"spritesheet", File("film"), File("sheet")}), 0) << Read("said");
  const auto sheet = DecodeJpeg(Read("sheet"));
  ASSERT_TRUE(sheet.ok()) << sheet.status();
  EXPECT_EQ(sheet->width, 3 * 64);
  EXPECT_EQ(Read("said"), "");
}

TEST_F(PreviewProgramTest, SaysWhyItMadeNone) {
  Write("text", "this is no film");
  Write("empty", "");
  EXPECT_EQ(Run({"thumbnail", File("text"), File("out")}), AnimationFormatOf("mp4") ? 1 : 2);
  // Clients are shown it: nothing of this machine.
  if (AnimationFormatOf("mp4")) {
    EXPECT_THAT(Read("said"), ::testing::MatchesRegex("no film that is understood: [^/]*\n"));
  }
  EXPECT_EQ(Run({"thumbnail", File("empty"), File("out")}), AnimationFormatOf("mp4") ? 1 : 2);
  EXPECT_EQ(Run({"thumbnail", File("missing"), File("out")}), 2);
  EXPECT_THAT(Read("said"), HasSubstr("missing"));
  EXPECT_EQ(Run({"thumbnail", File("text"), File("no/such/folder")}), 2);
  EXPECT_THAT(Read("said"), HasSubstr("no/such/folder cannot be written"));
  EXPECT_EQ(Run({"poster", File("text"), File("out")}), 2);
  EXPECT_THAT(Read("said"), HasSubstr("usage: ringway-preview"));
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"--version"}), 0);
}

// It is handed a name that nobody else should be able to turn into another file.
TEST_F(PreviewProgramTest, DoesNotFollowALinkToWriteThere) {
  Write("film", WebpFile(Ramp(40, 30)));
  Write("other", "untouched");
  std::filesystem::create_symlink(File("other"), File("link"));
  EXPECT_EQ(Run({"thumbnail", File("film"), File("link")}), 2);
  EXPECT_EQ(Read("other"), "untouched");
}

}  // namespace
}  // namespace ringway::engine
