// The demo's picture for real: controller, routers and a worker with the engine are started, and a file comes
// back.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/demo/picture_act.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model_files.h"
#include "tests/engine/picture_files.h"

namespace ringway::demo {
namespace {

using ::testing::HasSubstr;

std::string Begin(const std::string& name, std::size_t bytes) {
  std::ifstream file(name, std::ios::binary);
  std::string begin(bytes, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(bytes));
  return begin;
}

TEST(PictureLiveTest, AnimatesThroughControllerRouterAndWorker) {
  engine::ScratchFolder folder;
  engine::WriteMotionModel(folder);
  std::ostringstream out, err;
  cli::Session session{.out = out, .err = err};
  PictureSettings settings;
  settings.out = (folder.path() / "out.gif").string();
  settings.topology = std::string(RINGWAY_SOURCE_DIR) + "/topology/picture.yaml";
  settings.programs = RINGWAY_BIN_DIR;
  settings.job.prompt = "zoom in";
  settings.job.model = folder.path().string();
  settings.job.settings = {{"format", "gif"}, {"side", "64"}, {"frames", "4"}};
  const absl::Status status = AnimatePicture(session, settings, (folder.path() / "run").string());
  ASSERT_TRUE(status.ok()) << status << "\n" << err.str();
  EXPECT_EQ(Begin(settings.out, 6), "GIF89a");
  EXPECT_THAT(err.str(), HasSubstr("step 4 of 4"));
  EXPECT_THAT(err.str(), HasSubstr("made by home/gpu0 in home"));
  EXPECT_EQ(session.router, "127.0.0.1:7410");  // as it was
}

// Random weights where the bundled ones are looked for: the picture is drawn by the worker that then moves
// it.
TEST(PictureLiveTest, DrawsThePictureThatItAnimates) {
  const engine::ScratchFolder folder, films;
  engine::WriteMotionModel(films);
  engine::ScratchFolder model;
  engine::WritePictureModel(model, "picture_small");
  const std::filesystem::path scenes = folder.path() / "scenes";
  std::filesystem::create_directories(scenes);
  std::filesystem::copy(model.path(), scenes / "student", std::filesystem::copy_options::recursive);
  setenv("RINGWAY_MODEL", films.path().c_str(), 1);
  setenv("RINGWAY_SCENES", scenes.c_str(), 1);
  std::ostringstream out, err;
  cli::Session session{.out = out, .err = err};
  PictureSettings settings;
  settings.out = (folder.path() / "out.gif").string();
  settings.draw = "the boat";
  settings.drawn_out = (folder.path() / "out.png").string();
  settings.topology = std::string(RINGWAY_SOURCE_DIR) + "/topology/picture.yaml";
  settings.programs = RINGWAY_BIN_DIR;
  settings.job.prompt = "zoom in";
  settings.job.settings = {{"format", "gif"}, {"frames", "4"}};
  const absl::Status status = AnimatePicture(session, settings, (folder.path() / "run").string());
  ASSERT_TRUE(status.ok()) << status << "\n" << err.str();
  EXPECT_THAT(Begin(settings.drawn_out, 4), "\x89PNG");
  EXPECT_THAT(Begin(settings.out, 6), "GIF89a");
  EXPECT_THAT(err.str(), testing::AllOf(HasSubstr("A picture first: \"the boat\""),
                                        HasSubstr("Now it moves, \"zoom in\"")));
  std::filesystem::remove_all(scenes);
  const absl::Status without = AnimatePicture(session, settings, (folder.path() / "again").string());
  EXPECT_TRUE(without.ok()) << without << "\n" << err.str();
  EXPECT_THAT(err.str(), testing::AllOf(HasSubstr("(skipped): the bundled picture model is not installed"),
                                        HasSubstr("one of Ringway's own")));
  unsetenv("RINGWAY_MODEL");
  unsetenv("RINGWAY_SCENES");
}

}  // namespace
}  // namespace ringway::demo
