// The demo's picture for real: controller, routers and a worker with the engine are started, and a file comes
// back.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/demo/picture_act.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model_files.h"

namespace ringway::demo {
namespace {

using ::testing::HasSubstr;

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
  std::ifstream file(settings.out, std::ios::binary);
  std::string magic(6, '\0');
  file.read(magic.data(), 6);
  EXPECT_EQ(magic, "GIF89a");
  EXPECT_THAT(err.str(), HasSubstr("step 4 of 4"));
  EXPECT_THAT(err.str(), HasSubstr("made by home/gpu0 in home"));
  EXPECT_EQ(session.router, "127.0.0.1:7410");  // as it was
}

}  // namespace
}  // namespace ringway::demo
