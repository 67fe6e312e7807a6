// The controller's HTTP door over loopback: files, documents, stream, orders, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "controller/daemon/daemon.h"
#include "controller/daemon/live_feed.h"
#include "tests/controller/raw_http.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "web/files.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kWebToken[] = "0123456789abcdef";
const std::string kJson = "Content-Type: application/json";

class WebTest : public ::testing::Test {
 protected:
  void Start(bool writes, const std::string& token = "") {
    DaemonSettings settings;
    settings.topology = folder_.File("world.yaml");
    std::ofstream(settings.topology) << kPairWorld;
    settings.state_dir = folder_.File("state");
    settings.listen = "127.0.0.1:0";
    settings.http = "127.0.0.1:0";
    settings.token = token;
    settings.dashboard_writes = writes;
    settings.log_level = runtime::LogLevel::kError;
    settings.controller.epoch_period = Milliseconds(50);
    auto started = ControllerDaemon::Start(settings);
    ASSERT_TRUE(started.ok()) << started.status();
    daemon_ = *std::move(started);
  }
  RawReply Get(const std::string& target, const std::vector<std::string>& fields = {}) {
    return Ask(daemon_->http_address(), "GET", target, fields);
  }
  RawReply Post(const std::string& target, const std::string& body,
                std::vector<std::string> fields = {kJson}) {
    return Ask(daemon_->http_address(), "POST", target, fields, body);
  }

  live::ScratchFolder folder_;
  std::unique_ptr<ControllerDaemon> daemon_;
};

TEST_F(WebTest, EveryFileIsServedWithItsProtectionAndComesBackUnchangedAsSuch) {
  Start(false);
  ASSERT_GT(web::Files().size(), 20u);
  for (const web::File& file : web::Files()) {
    const RawReply reply = Get(std::string(file.path));
    EXPECT_EQ(reply.status, 200) << file.path;
    EXPECT_EQ(reply.body, file.bytes) << file.path;
    EXPECT_THAT(reply.head, HasSubstr("Content-Security-Policy: default-src 'self'")) << file.path;
    EXPECT_THAT(reply.head, HasSubstr("X-Content-Type-Options: nosniff")) << file.path;
    const RawReply again =
        Get(std::string(file.path), {absl::StrCat("If-None-Match: ", std::string(file.tag))});
    EXPECT_EQ(again.status, 304) << file.path;
    EXPECT_EQ(again.body, "") << file.path;
  }
  EXPECT_EQ(Get("/index.html").status, 404);
  EXPECT_EQ(Get("/../etc/passwd").status, 404);
  EXPECT_EQ(Ask(daemon_->http_address(), "DELETE", "/").status, 405);
}

TEST_F(WebTest, DocumentsAnswerAndAWrongOneSaysWhatIsWrong) {
  Start(false);
  EXPECT_THAT(Get("/api/v1/world").body, HasSubstr("\"name\":\"a\""));
  EXPECT_THAT(Get("/api/v1/fleet").body, HasSubstr("\"world\":\"pair\""));
  EXPECT_THAT(Get("/api/v1/table").body, HasSubstr("\"version\":null"));
  EXPECT_THAT(Get("/api/v1/timeline?tier=t").body, HasSubstr("\"tier\":\"t\""));
  EXPECT_THAT(Get("/api/v1/region?tier=t&region=b").body, HasSubstr("\"rtt_ms\":10"));
  EXPECT_THAT(Get("/api/v1/events").body, HasSubstr("\"last\":"));
  EXPECT_EQ(Get("/api/v1/nothing").status, 404);
  const RawReply mars = Get("/api/v1/region?tier=t&region=mars");
  EXPECT_EQ(mars.status, 404);
  EXPECT_THAT(mars.body, HasSubstr("mars"));
  EXPECT_EQ(Get("/api/v1/events?after=x").status, 400);
  EXPECT_THAT(Get("/api/v1/workers?tier=t&region=b").body, HasSubstr("\"total\":0"));
  EXPECT_EQ(Get("/api/v1/workers?tier=t&region=mars").status, 404);
  EXPECT_THAT(Get("/api/v1/routers").body, HasSubstr("\"routers\":[]"));
  EXPECT_THAT(Get("/api/v1/orders").body, HasSubstr("\"orders\":[]"));
  EXPECT_THAT(Get("/api/v1/audit").body, HasSubstr("\"entries\":[]"));
  EXPECT_THAT(Get("/api/v1/history?tier=t").body, HasSubstr("\"tables\":["));
  EXPECT_EQ(Get("/api/v1/history?tier=mars").status, 404);
  EXPECT_EQ(Get("/api/v1/diff?tier=t&before=1.1").status, 409);  // no table is in force yet
}

TEST_F(WebTest, ATornHourIsDroppedAndTheControllerStarts) {
  std::filesystem::create_directories(folder_.File("state"));
  std::ofstream(folder_.File("state/timeline")) << "ringway-state timeline v1 400 00000000\ntorn";
  Start(false);
  EXPECT_THAT(Get("/api/v1/timeline?tier=t").body, HasSubstr("\"demand\":[]"));
}

TEST_F(WebTest, ForeignNamesAndSitesSeeNothingButProbesAreServed) {
  Start(true);
  EXPECT_EQ(Get("/", {"Host: evil.example"}).status, 403);
  EXPECT_EQ(Get("/api/v1/fleet", {"Host: evil.example"}).status, 403);
  EXPECT_EQ(Get("/api/v1/fleet", {"Origin: http://evil.example"}).status, 403);
  EXPECT_EQ(Post("/api/v1/drain", "{}", {kJson, "Origin: http://evil.example"}).status, 403);
  EXPECT_EQ(Get("/metrics", {"Host: controller.ringway.svc:7401"}).status, 200);
  EXPECT_EQ(Get("/healthz", {"Host: whatever"}).status, 200);
}

TEST_F(WebTest, TheStreamSendsAFrameAnEpochAndFullMeansLater) {
  Start(false);
  std::vector<std::unique_ptr<RawHttp>> watchers;
  for (std::size_t i = 0; i < LiveFeed::kWatchersMax; ++i) {
    watchers.push_back(std::make_unique<RawHttp>(daemon_->http_address()));
    watchers.back()->Send("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(watchers.back()->ReadUntil("retry: 1000")) << i;
  }
  for (auto& watcher : watchers) ASSERT_TRUE(watcher->ReadUntil("event: fleet\ndata: {\"at_ms\":"));
  const RawReply more = Get("/api/v1/live");
  EXPECT_EQ(more.status, 503);
  EXPECT_THAT(more.head, HasSubstr("Retry-After"));
  watchers.pop_back();
  EXPECT_TRUE(live::Eventually([&] {
    RawHttp next(daemon_->http_address());
    next.Send("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return next.ReadUntil("\r\n\r\n") && next.got().find(" 200 ") != std::string::npos;
  }));
}

TEST_F(WebTest, WithoutTheFlagThePageOnlyShows) {
  Start(false);
  EXPECT_THAT(Get("/api/v1/ability").body, HasSubstr("\"writes\":false"));
  const RawReply refused = Post("/api/v1/drain", R"({"by":{"who":"ann"},"region":"b","drain":true})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("--dashboard-writes"));
  EXPECT_THAT(Get("/api/v1/fleet").body, Not(HasSubstr("\"drain\":true")));
  // Asking what would be is no order.
  EXPECT_EQ(Post("/api/v1/dryrun", R"({"tier":"t","overload_threshold":0.5})").status, 200);
}

TEST_F(WebTest, AnOrderIsCarriedOutAndToldWithWhereItCameFrom) {
  Start(true);
  EXPECT_THAT(Get("/api/v1/ability").body, HasSubstr("\"writes\":true"));
  const RawReply done =
      Post("/api/v1/drain", R"({"by":{"who":"ann","why":"fans"},"region":"b","drain":true})");
  EXPECT_EQ(done.status, 200);
  EXPECT_THAT(done.body, HasSubstr("\"done\":true"));
  EXPECT_THAT(Get("/api/v1/fleet").body, HasSubstr("\"drain\":true"));
  const std::string events = Get("/api/v1/events").body;
  EXPECT_THAT(events, HasSubstr("ann (dashboard, 127.0.0.1)"));
  EXPECT_THAT(events, HasSubstr("fans"));
  EXPECT_THAT(Get("/api/v1/audit?limit=1").body, HasSubstr("\"why\":\"fans\""));
  EXPECT_THAT(Get("/api/v1/orders?tier=t").body, HasSubstr("\"kind\":\"drain\",\"region\":\"b\""));
  EXPECT_THAT(Post("/api/v1/drain", R"({"by":{"who":"ann"},"region":"mars","drain":true})").body,
              HasSubstr("\"done\":false"));
  EXPECT_EQ(Post("/api/v1/threshold", R"({"by":{"who":"ann"},"tier":"t","overload_threshold":0.6})").status,
            200);
  EXPECT_THAT(Get("/api/v1/fleet").body, HasSubstr("\"threshold\":0.6"));
  EXPECT_EQ(Post("/api/v1/drain", "{").status, 400);
  EXPECT_EQ(Post("/api/v1/drain", "{}", {"Content-Type: text/plain"}).status, 415);
  EXPECT_EQ(Post("/api/v1/drain", std::string((64 << 10) + 1, ' ')).status, 413);
  EXPECT_EQ(Post("/api/v1/fleet", "{}").status, 404);
}

TEST_F(WebTest, WhereATokenIsSetDocumentsWantItAndThePageCanAskForIt) {
  Start(true, kWebToken);
  const std::string right = absl::StrCat("Authorization: Bearer ", kWebToken);
  EXPECT_EQ(Get("/").status, 200);
  EXPECT_THAT(Get("/api/v1/ability").body, HasSubstr("\"token\":true"));
  EXPECT_EQ(Get("/api/v1/fleet").status, 401);
  EXPECT_EQ(Get("/api/v1/live").status, 401);
  EXPECT_EQ(Get("/api/v1/fleet", {"Authorization: Bearer 0123456789abcdee"}).status, 401);
  EXPECT_EQ(Get("/api/v1/fleet", {right}).status, 200);
  const std::string drain = R"({"by":{"who":"ann"},"region":"b","drain":true})";
  EXPECT_EQ(Post("/api/v1/drain", drain).status, 401);
  EXPECT_EQ(Post("/api/v1/drain", drain, {kJson, right}).status, 200);
}

TEST_F(WebTest, ClientsThatLeaveInTheMiddleHarmNobody) {
  Start(true);
  for (int i = 0; i < 50; ++i) {
    RawHttp(daemon_->http_address()).Send("GET /api/v1/fleet HTTP/1.1\r\nHost: localhost\r\n\r\n");
    RawHttp(daemon_->http_address())
        .Send(absl::StrCat("POST /api/v1/drain HTTP/1.1\r\nHost: localhost\r\n", kJson,
                           "\r\nContent-Length: 9\r\n\r\n{"));
    RawHttp(daemon_->http_address()).Send("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_EQ(Get("/api/v1/fleet").status, 200);
  // Two requests on one connection, the second sent before the first was answered.
  RawHttp client(daemon_->http_address());
  client.Send(
      "GET /api/v1/world HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/v1/table HTTP/1.1\r\nHost: "
      "localhost\r\n\r\n");
  EXPECT_TRUE(client.ReadUntil("\"world\":\"pair\""));
  EXPECT_TRUE(client.ReadUntil("\"version\":null"));
}

}  // namespace
}  // namespace ringway::controller
