// The videos API on real processes, by curl: what each call answers, and what happens when things go wrong.
#include "tests/deploy/npm_package.h"
#include "tests/gateway/video_world.h"
#include "tests/router/http/raw_client.h"

namespace ringway::videos_test {
namespace {

class ApiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fleet_ = new VideoWorld(
        {.regions = {{"lima", 2, 1}, {"oslo", 1, 1}},
         .service_mean_s = 0.4,
         .worker_flags = {"--result-bytes", "300000"},
         .router_flags = {"--videos-body-secs", "2", "--videos-cors-origin", "https://app.example"}});
    ASSERT_TRUE(fleet_->AwaitReady());
  }
  static void TearDownTestSuite() { delete std::exchange(fleet_, nullptr); }
  static VideoWorld* fleet_;
};

VideoWorld* ApiTest::fleet_ = nullptr;

TEST_F(ApiTest, JsonAndFormsMakeTheSameJob) { fleet_->RunFile("forms"); }
TEST_F(ApiTest, AnyRouterAnswersForAnyJob) { fleet_->RunFile("any_router"); }
TEST_F(ApiTest, AListHoldsTheJobsOfAllRouters) { fleet_->RunFile("lists"); }
TEST_F(ApiTest, RangesOfAFilm) { fleet_->RunFile("ranges"); }
TEST_F(ApiTest, EventsTellTheWholeWayThroughAnyRouter) { fleet_->RunFile("events"); }
TEST_F(ApiTest, WrongRequestsAreToldWhatIsWrong) { fleet_->RunFile("refusals"); }

TEST_F(ApiTest, AHugeBodyIsRefusedEarly) {
  fleet_->RunFile("huge_body");
  std::cout << fleet_->output;
}

TEST_F(ApiTest, DeletingCancelsAJobAndRemovesAResult) {
  const std::string cancelled = "ringway_worker_jobs_total{outcome=\"cancelled\"}";
  const double before = fleet_->world().SumOverWorkers(cancelled);
  // A job takes half a second: on a busy machine it may be over when the first DELETE arrives.
  const bool stopped = live::Eventually([&] {
    fleet_->RunFile("delete");
    return fleet_->world().SumOverWorkers(cancelled) > before;
  });
  EXPECT_TRUE(stopped);
}

TEST_F(ApiTest, TheSameKeyIsTheSameJob) {
  fleet_->RunFile("keys");
  const std::string id = fleet_->output.substr(fleet_->output.find("id=") + 3);
  EXPECT_EQ(fleet_->world().Completions(id.substr(0, id.find('\n'))), 1);
}

// Heads and bodies that trickle in are cut off, and hold nobody else up.
TEST_F(ApiTest, SlowClientsAreBounded) {
  const std::string address = fleet_->world().routers().begin()->second->videos();
  std::vector<http_test::Wire> heads, bodies;
  for (int i = 0; i < 50; ++i) {
    heads.push_back(http_test::Wire::To(address));
    heads.back().Send("GET /v1/models HT");
    bodies.push_back(http_test::Wire::To(address));
    bodies.back().Send(
        "POST /v1/videos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        "100\r\n\r\n{");
  }
  const Time began = absl::Now();
  int open = 50;
  while (open > 0 && absl::Now() - began < Seconds(20)) {
    for (auto& wire : heads) wire.Send("T");
    open = 0;
    for (auto& wire : bodies) open += wire.open() && wire.Send(" ") ? 1 : 0;
    const Time asked = absl::Now();
    ASSERT_TRUE(http_test::Ask(address, "GET", "", "").has_value());
    EXPECT_LT(absl::Now() - asked, Seconds(2));
    absl::SleepFor(Milliseconds(200));
  }
  for (auto& wire : bodies) {
    const auto answer = wire.ReadToEnd();
    ASSERT_TRUE(answer.has_value()) << "a body that trickles in is still waited for";
    EXPECT_NE(answer->find(" 408 "), std::string::npos) << *answer;
  }
  for (auto& wire : heads) EXPECT_TRUE(wire.ClosedWithin(Seconds(20)));
}

// The document names what is served, and nothing else.
TEST_F(ApiTest, TheOpenApiDocumentIsTrue) {
  if (!Installed("node")) GTEST_SKIP() << "no node here";
  fleet_->Run(absl::StrCat("node ", RINGWAY_SOURCE_DIR, "/tests/gateway/openapi.mjs http://$V\n"));
  std::cout << fleet_->output;
}

// What vLLM-Omni and SGLang Diffusion document is answered, or stands in the table of differences.
TEST_F(ApiTest, RequestsOfOtherServersAreAnswered) {
  if (!Installed("node")) GTEST_SKIP() << "no node here";
  const std::string source = RINGWAY_SOURCE_DIR;
  fleet_->Run(absl::StrCat("node ", source, "/tests/gateway/servers.mjs http://$V videos ", source,
                           "/docs/openai-differences.md\n"));
  std::cout << fleet_->output;
}

TEST_F(ApiTest, TheOpenAiClientWorks) {
  const NpmPackage openai = InstallNpmPackage("openai@6", "openai");
  if (!openai.why_not.empty()) GTEST_SKIP() << "THE OPENAI CLIENT IS NOT TESTED: " << openai.why_not;
  fleet_->Run(absl::StrCat("cp ", RINGWAY_SOURCE_DIR, "/tests/gateway/openai.mjs ", openai.folder, "/\nnode ",
                           openai.folder, "/openai.mjs http://$V2/v1\n"));
  std::cout << fleet_->output;
}

}  // namespace
}  // namespace ringway::videos_test
