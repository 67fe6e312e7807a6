// A worker that was given no model, behind a real router, draws what the images API asks for.
//
// Small random models lie where the bundled ones are looked for. Settings that the worker does not have are
// refused as of any other model. The worker is a process of its own, which inherits where to look.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "tests/engine/model_files.h"
#include "tests/engine/picture_files.h"
#include "tests/gateway/video_world.h"
#include "tests/router/http/raw_client.h"

namespace ringway::gateway_test {
namespace {

using ::testing::HasSubstr;

std::optional<http_test::Answer> Post(const std::string& router, const std::string& path,
                                      const std::string& json) {
  http_test::Wire wire = http_test::Wire::To(router);
  (void)wire.Send(absl::StrCat("POST ", path, " HTTP/1.1\r\nHost: ", router,
                               "\r\nContent-Type: application/json\r\nContent-Length: ", json.size(),
                               "\r\n\r\n", json));
  return http_test::ReadAnswer(wire, false, Seconds(60));
}

TEST(BundledImagesTest, AreDrawnWhereNoOtherModelIsNamed) {
  const engine::ScratchFolder films, pictures, scenes;
  engine::WriteMotionModel(films);
  engine::WritePictureModel(pictures, "picture_small");
  std::filesystem::copy(pictures.path(), scenes.path() / "student", std::filesystem::copy_options::recursive);
  setenv("RINGWAY_MODEL", films.path().c_str(), 1);
  setenv("RINGWAY_SCENES", scenes.path().c_str(), 1);
  {
    videos_test::VideoWorld fleet(
        {.regions = {{"lima", 1, 1}}, .worker_flags = {"--backend", "engine", "--engine-threads", "1"}});
    ASSERT_TRUE(fleet.AwaitReady());
    const std::string router = fleet.world().routers().begin()->second->videos();
    const auto drawn = Post(router, "/v1/images/generations", R"({"prompt":"the boat","steps":2})");
    ASSERT_TRUE(drawn.has_value());
    EXPECT_EQ(drawn->status, 200) << drawn->body;
    EXPECT_THAT(drawn->body, HasSubstr("\"content_type\":\"image/png\""));
    const auto refused = Post(router, "/v1/images/generations", R"({"prompt":"the boat","lora":"charcoal"})");
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->status, 400) << refused->body;
  }
  unsetenv("RINGWAY_MODEL");
  unsetenv("RINGWAY_SCENES");
}

}  // namespace
}  // namespace ringway::gateway_test
