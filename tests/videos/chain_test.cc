// A worker in front of a server of the same API: here another router of ours, whose worker is synthetic.
#include "tests/videos/video_world.h"

namespace ringway::videos_test {
namespace {

class ChainTest : public ::testing::TestWithParam<const char*> {
 protected:
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
  void Run(const std::string& script) { far_.Run(absl::StrCat("F=", router_->videos(), "\n", script)); }

  live::ScratchFolder folder_;
  VideoWorld far_{{.regions = {{"oslo", 1, 1}},
                   .service_mean_s = 1,
                   .worker_flags = {"--result-bytes", "200000"},
                   .controlled = false}};
  std::unique_ptr<live::DaemonProcess> worker_;
  std::unique_ptr<live::DaemonProcess> router_;
};

TEST_P(ChainTest, TheFilmAndItsProgressComeThrough){
    Run(R"(
printf 'a picture' > picture
form() { curl -sS "http://$1/v1/videos/sync" -F prompt='a "boat"' -F seed=5 -F input_reference=@picture -o "$2"; }
form $F through & form $V direct; wait
want bytes "$(stat -c %s through)" 200000 made =
            $(json $F / v1 / videos '{"prompt":"p"}' | field id) timeout 20 curl - sSN
                    "http://$F/v1/videos/$made/events" >
                events want end "$(grep ^event: events | tail -1)" 'event: video.completed'(
                    ($(grep - c video.progress events) >= 2)) ||
            {
              cat events;
              exit 1;
            }) ");
}

TEST_P(ChainTest, CancellingReachesTheFarServer) {
  Run(R"(
id=$(take $F); await $F $id in_progress
for _ in $(seq 40); do curl -sS "http://$V/v1/videos" | grep -q '"in_progress"' && break; sleep 0.05; done
curl -sS -X DELETE "http://$F/v1/videos/$id" -o /dev/null
for _ in $(seq 60); do curl -sS "http://$V/v1/videos" | grep -q '"in_progress"' || exit 0; sleep 0.05; done
echo 'the far job still runs'; exit 1
)");
}

INSTANTIATE_TEST_SUITE_P(Bodies, ChainTest, ::testing::Values("form", "json"));

}  // namespace
}  // namespace ringway::videos_test
