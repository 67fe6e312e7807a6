// What strangers and broken workers do to the videos API, on real sockets: foreign pages, odd fields, false
// types, films without an end. The worker is scripted, the router is real; what it may cost is in
// cost_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runtime/grpc_server.h"
#include "tests/deploy/shell.h"
#include "tests/gateway/edge_world.h"
#include "tests/live/job_call.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;

// ---- models ----

TEST_F(EdgeTest, AModelThatNobodyHasIsNotAnsweredByAnother) {
  Start(MakesAFilm(), {}, "wan-2");
  auto answer = Post("{\"prompt\":\"x\",\"model\":\"sora-9\"}");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(FieldOf(*answer, "code"), "model_not_found");
  EXPECT_THAT(answer->body, HasSubstr("model is 'sora-9'; this fleet serves: animate, wan-2"));
  for (const char* model : {"\"animate\"", "\"wan-2\"", "null"}) {
    answer = Post(absl::StrCat("{\"prompt\":\"x\",\"model\":", model, "}"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << answer->body;
  }
  EXPECT_EQ(FieldOf(*answer, "model"), "animate") << "who names none is told which it was";
  answer = Post("{\"prompt\":\"x\",\"model\":\"\"}");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_THAT(answer->body, HasSubstr("model is ''"));

  const auto ingress = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
  v1::JobHeader header = live::Header("animate", "job-1");
  header.set_model("sora-9");
  const live::JobAnswer refused = live::JobCall::ToRouter(*ingress).Send(header).Await();
  EXPECT_EQ(refused.outcome(), "rejected");
  EXPECT_THAT(refused.end.message(),
              HasSubstr("JobHeader.model: is 'sora-9'; the workers of tier animate have: "
                        "animate, wan-2"));
  header.set_model("wan-2");
  EXPECT_EQ(live::JobCall::ToRouter(*ingress).Send(header).Await().outcome(), "done");
}

TEST_F(EdgeTest, AServerOfManyModelsDecidesForItself) {
  Start(MakesAFilm(), {}, "*");
  const auto answer = Post("{\"prompt\":\"x\",\"model\":\"whatever it has\"}");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
}

// ---- whose page asks ----

TEST_F(EdgeTest, PagesOfOtherSitesAreRefused) {
  Start(MakesAFilm());
  const std::string id = Make();
  const std::string rebound = "Host: rebind.evil.example\r\n";
  for (const std::string& line : {std::string("GET /v1/videos"), "GET /v1/videos/" + id + "/content",
                                  "DELETE /v1/videos/" + id, std::string("GET /openapi.json")}) {
    const auto answer = Ask(line, rebound);
    ASSERT_TRUE(answer) << line;
    EXPECT_EQ(answer->status, 403) << line;
    EXPECT_EQ(FieldOf(*answer, "code"), "unknown_host");
    EXPECT_THAT(answer->body, HasSubstr("--videos-host"));
  }
  const std::string form = "--B\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nx\r\n--B--\r\n";
  const std::string multipart = "Content-Type: multipart/form-data; boundary=B\r\n";
  for (const char* foreign :
       {"Origin: http://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n"}) {
    const auto answer = Ask("POST /v1/videos", multipart + foreign, form);
    ASSERT_TRUE(answer) << foreign;
    EXPECT_EQ(answer->status, 403) << foreign;
    EXPECT_EQ(FieldOf(*answer, "code"), "foreign_site");
  }
  EXPECT_EQ(Ask("POST /v1/videos", multipart, form)->status, 200);
  EXPECT_EQ(Get("/v1/videos", "Host: localhost\r\nOrigin: http://localhost\r\n")->status, 200);
}

TEST_F(EdgeTest, ANameThatWasGivenIsServed) {
  Start(MakesAFilm(), {"--videos-host", "videos.example"});
  EXPECT_EQ(Get("/v1/videos", "Host: Videos.Example:8080\r\n")->status, 200);
  EXPECT_EQ(Get("/v1/videos", "Host: other.example\r\n")->status, 403);
}

// The authority of the target is the host, whatever the field says (RFC 9112, 3.2.2).
TEST_F(EdgeTest, AnAbsoluteTargetNamesTheHost) {
  Start(MakesAFilm());
  EXPECT_EQ(Ask("GET http://rebind.evil.example/v1/models", "Host: 127.0.0.1\r\n")->status, 403);
  EXPECT_EQ(Ask("GET http://127.0.0.1/v1/models", "Host: rebind.evil.example\r\n")->status, 200);
  EXPECT_EQ(Ask("GET http:///v1/models", "Host: 127.0.0.1\r\n")->status, 400);
}

TEST_F(EdgeTest, ATokenIsProofEnough) {
  const std::string path = folder_.File("token");
  std::ofstream(path) << "0123456789abcdef0123456789abcdef\n";
  worker_.emplace(live::WorkerScript{.run = MakesAFilm()});
  router_.emplace(
      folder_,
      live::DaemonSpec{.program = "ringway-router",
                       .name = "r1",
                       .arguments = {"--name", "r1", "--region", "home", "--worker", worker_->address(),
                                     "--videos-listen", "127.0.0.1:0", "--videos-store",
                                     folder_.File("store"), "--videos-token-file", path}});
  const std::string token = "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n";
  EXPECT_EQ(Get("/v1/videos", "Host: api.example\r\n")->status, 401);
  EXPECT_EQ(Get("/v1/videos", "Host: api.example\r\n" + token)->status, 200);
}

TEST(EdgeAtTheStart, OtherMachinesNeedATokenOrAnExplicitWord) {
  const std::string start =
      absl::StrCat("timeout 10 ", RINGWAY_BIN_DIR,
                   "/ringway-router --name r1 --region home --listen 127.0.0.1:0 --http "
                   "127.0.0.1:0 --videos-store /proc/videos --videos-listen 0.0.0.0:0");
  Ran ran = RunShell(start);
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("--videos-listen is 0.0.0.0:0, which other machines can reach"));
  EXPECT_THAT(ran.output, HasSubstr("--videos-token-file"));
  ran = RunShell(start + " --videos-open");
  EXPECT_THAT(ran.output, ::testing::Not(HasSubstr("other machines")))
      << "it fails at the folder, not before";
}

TEST_F(EdgeTest, OddFieldsOfARequestAreToldApart) {
  Start(MakesAFilm());
  const std::string json = "Content-Type: application/json\r\n";
  const auto key = Ask("POST /v1/videos", json + "Idempotency-Key: a\xff\r\n", "{\"prompt\":\"x\"}");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->status, 400);
  EXPECT_THAT(key->body, HasSubstr("Idempotency-Key"));
  const auto trace = Ask("POST /v1/videos", json + "traceparent: \xff\r\n", "{\"prompt\":\"x\"}");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->status, 200) << trace->body;
}

// ---- lies of workers ----

TEST_F(EdgeTest, AFalseTypeSplitsNothingAndIsNotShown) {
  Start(MakesAFilm("video/mp4\r\nSet-Cookie: evil=1"));
  const std::string id = Make();
  for (const std::string& line : {"GET /v1/videos/" + id + "/content", std::string("POST /v1/videos/sync")}) {
    const bool sync = line.starts_with("POST");
    const auto film =
        Ask(line, sync ? "Content-Type: application/json\r\n" : "", sync ? "{\"prompt\":\"x\"}" : "");
    ASSERT_TRUE(film) << line;
    EXPECT_EQ(film->status, 200) << film->body;
    EXPECT_EQ(film->Field("set-cookie"), "") << line;
    EXPECT_EQ(film->Field("content-type"), "application/octet-stream") << line;
    EXPECT_THAT(film->Field("content-disposition"), HasSubstr("attachment"));
    EXPECT_EQ(film->body.size(), 1000u);
  }
}

TEST_F(EdgeTest, NoAnswerMayBeGuessedAt) {
  Start(MakesAFilm("image/gif"));
  const std::string id = Make();
  for (const std::string& line :
       {std::string("GET /v1/videos"), "GET /v1/videos/" + id, "GET /v1/videos/" + id + "/content",
        "GET /v1/videos/" + id + "/events", std::string("GET /v1/models"), std::string("GET /openapi.json"),
        std::string("GET /nothing"), std::string("PUT /v1/videos"), std::string("BAD\x01 /")}) {
    const auto answer = Ask(line);
    ASSERT_TRUE(answer) << line;
    EXPECT_EQ(answer->Field("x-content-type-options"), "nosniff") << line;
  }
  EXPECT_EQ(Get("/v1/videos/" + id + "/content")->Field("content-type"), "image/gif");
}

TEST_F(EdgeTest, AFilmWithoutAnEndTakesNobodysPlace) {
  std::atomic<bool> endless{false};
  Start(
      [&endless](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
        stream.Write(Chunk(200'000));
        while (endless && stream.Write(Chunk(200'000))) continue;
        stream.Write(DoneMessage("w1"));
      },
      {"--videos-store-mib", "5"});
  std::vector<std::string> films;
  for (int i = 0; i < 3; ++i) films.push_back(Make());
  endless = true;
  const std::string huge = Make("failed");
  EXPECT_THAT(Get("/v1/videos/" + huge)->body, HasSubstr("result_too_large"));
  for (const std::string& film : films)
    EXPECT_EQ(Get("/v1/videos/" + film + "/content")->status, 200) << film;
}

}  // namespace
}  // namespace ringway::videos_test
