// What stands behind and beside the API: a worker in front of a server of the same API (here another router
// of ours, whose worker is synthetic), and the address that a webhook calls.
#include <memory>
#include <mutex>
#include <vector>

#include "absl/strings/escaping.h"
#include "gateway/webhook_signature.h"
#include "tests/gateway/video_world.h"
#include "tests/router/http/plain_worker.h"

namespace ringway::videos_test {
namespace {

class ChainTest : public ::testing::TestWithParam<const char*> {
 protected:
  explicit ChainTest(double service_s = 1)
      : far_({.regions = {{"oslo", 1, 1}},
              .service_mean_s = service_s,
              .deadline = "60s",
              .worker_flags = {"--result-bytes", "200000"},
              .controlled = false}) {}
  void SetUp() override {
    ASSERT_TRUE(far_.AwaitReady());
    worker_ = std::make_unique<live::DaemonProcess>(
        folder_,
        live::DaemonSpec{"ringway-worker",
                         "front-worker",
                         {"--name", "fw", "--tier", "animate", "--region", "lima", "--backend", "http",
                          "--http-api", "videos", "--http-body", GetParam(), "--http-upstream",
                          absl::StrCat("http://", far_.world().router("oslo-0").videos())}});
    router_ = std::make_unique<live::DaemonProcess>(
        folder_,
        live::DaemonSpec{"ringway-router",
                         "front",
                         {"--name", "front", "--region", "lima", "--worker", worker_->grpc(),
                          "--videos-listen", "127.0.0.1:0", "--videos-store", folder_.File("store")}});
    ASSERT_TRUE(live::Eventually([this] {
      const auto models = live::HttpGet(router_->videos(), "/v1/models");
      return models && models->body.find("animate") != std::string::npos;
    }));
  }
  void RunFile(const std::string& name) { far_.RunFile(name, absl::StrCat("F=", router_->videos(), "\n")); }

  live::ScratchFolder folder_;
  VideoWorld far_;
  std::unique_ptr<live::DaemonProcess> worker_;
  std::unique_ptr<live::DaemonProcess> router_;
};

TEST_P(ChainTest, TheFilmAndItsProgressComeThrough) { RunFile("film_through"); }
// A job that does not end by itself while the script looks at it.
class LongChainTest : public ChainTest {
 protected:
  LongChainTest() : ChainTest(40) {}
};

TEST_P(LongChainTest, CancellingReachesTheFarServer) { RunFile("cancel_through"); }

// The first call is answered with 500 and comes again with the same id; then it is settled.
TEST(WebhookTest, ACompletionIsToldUntilItIsHeard) {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> heard;  // webhook-id and body
  std::string timestamp, signature;                        // of the last
  http_test::PlainWorker hook([&](const http_test::Request& request, http_test::Wire& wire) {
    const std::string body = http_test::ReadBody(request, wire);
    const std::lock_guard lock(mutex);
    heard.emplace_back(request.Field("webhook-id"), body);
    timestamp = request.Field("webhook-timestamp"), signature = request.Field("webhook-signature");
    return http_test::Respond(wire, heard.size() == 1 ? 500 : 200, "");
  });
  live::ScratchFolder secrets;
  const std::string key(32, 's'), file = secrets.File("secret");
  std::ofstream(file) << "whsec_" << absl::Base64Escape(key) << "\n";
  VideoWorld fleet(
      {.regions = {{"lima", 1, 1}},
       .service_mean_s = 0.05,
       .router_flags = {"--videos-webhook-host", hook.address(), "--videos-webhook-secret-file", file},
       .controlled = false});
  ASSERT_TRUE(fleet.AwaitReady());
  const std::string& metrics = fleet.world().router("lima-0").http();
  fleet.Run(absl::StrCat("json $V/v1/videos '{\"prompt\":\"p\",\"webhook_url\":\"http://", hook.address(),
                         "/done?x=1\"}' -o /dev/null\n"));
  EXPECT_TRUE(live::Eventually([&] {
    return live::MetricValue(metrics, "ringway_videos_webhooks_total{result=\"delivered\"}") == 1;
  }));
  const std::lock_guard lock(mutex);
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], heard[1]);
  EXPECT_LT(std::abs(std::stoll(timestamp) - ToUnixSeconds(absl::Now())), 60);
  EXPECT_EQ(signature, gateway::SignWebhook(key, heard[1].first, std::stoll(timestamp), heard[1].second));
  EXPECT_NE(heard[0].second.find("\"type\":\"video.completed\""), std::string::npos) << heard[0].second;
}

INSTANTIATE_TEST_SUITE_P(Bodies, ChainTest, ::testing::Values("form", "json"));
INSTANTIATE_TEST_SUITE_P(Bodies, LongChainTest, ::testing::Values("form", "json"));

}  // namespace
}  // namespace ringway::videos_test
