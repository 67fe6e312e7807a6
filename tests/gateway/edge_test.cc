// What strangers and broken workers do to the videos API, on real sockets: bombs, foreign pages, false types,
// films without an end, progress without a pause. The worker is scripted, the router is real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/grpc_server.h"
#include "tests/deploy/shell.h"
#include "tests/gateway/edge_world.h"
#include "tests/live/job_call.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

// ---- bombs ----

TEST_F(EdgeTest, NestedJsonIsRefusedAtOnce) {
  Start(MakesAFilm());
  const double before_s = CpuSeconds();
  for (const std::size_t depth : {std::size_t{31} << 10, std::size_t{200} << 10, std::size_t{8} << 20}) {
    const auto answer = Post("{\"prompt\":" + std::string(depth, '['));
    ASSERT_TRUE(answer) << "no answer within ten seconds to " << depth << " brackets";
    EXPECT_EQ(answer->status, 400);
    EXPECT_THAT(answer->body, HasSubstr("levels"));
  }
  EXPECT_LT(CpuSeconds() - before_s, 2);
}

TEST_F(EdgeTest, SmallValuesByTheMillionTakeNoMemory) {
  Start(MakesAFilm());
  const std::size_t before_kib = PeakKib();
  const double before_s = CpuSeconds();
  for (const char* piece : {"{},", "0,", "\"a\":0,"}) {
    const std::string open = piece[0] == '"' ? "{" : "{\"prompt\":[";
    const auto answer = Post(open + Repeated(piece, std::size_t{58} << 20), absl::Seconds(30));
    ASSERT_TRUE(answer) << piece;
    EXPECT_EQ(answer->status, 400) << answer->body;
  }
  // A body, and a copy or two of it.
  EXPECT_LT(PeakKib() - before_kib, 300u << 10);
  EXPECT_LT(CpuSeconds() - before_s, 6);
}

TEST_F(EdgeTest, APictureOfManyMegabytesIsTakenWhileOthersAreServed) {
  Start([](WorkerStream& stream, const v1::JobHeader& header, const std::string& payload) {
    stream.Write(Chunk(payload.size() == header.payload_bytes() ? 1000 : 1));
    stream.Write(DoneMessage("w1"));
  });
  const std::string picture = absl::Base64Escape(std::string(std::size_t{40} << 20, 'p'));
  const std::string body = "{\"prompt\":\"x\",\"input_reference\":\"data:image/png;base64," + picture + "\"}";
  auto made = std::async(std::launch::async, [&] { return Post(body, absl::Seconds(30)); });
  while (made.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    ASSERT_TRUE(Get("/v1/models"));
  }
  const auto answer = made.get();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, 200) << answer->body;
  const std::string path = "/v1/videos/" + FieldOf(*answer, "id");
  ASSERT_TRUE(live::Eventually([&] { return FieldOf(*Get(path), "status") == "completed"; }));
  EXPECT_EQ(Get(path + "/content")->body.size(), 1000u) << "the picture did not arrive whole";
}

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

TEST_F(EdgeTest, ProgressIsPassedOnTenTimesASecondAndTheNewestWins) {
  constexpr std::uint32_t kSteps = 200;
  Start([](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
    v1::JobDown down;
    down.mutable_progress()->set_steps(kSteps);
    for (std::uint32_t step = 1; step <= kSteps; ++step) {
      down.mutable_progress()->set_step(step);
      stream.Write(down);
      absl::SleepFor(absl::Milliseconds(4));  // a step of a fast solver
    }
    stream.Write(DoneMessage("w1"));
  });
  const absl::Time began = absl::Now();
  const auto ingress = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
  const live::JobAnswer answer =
      live::JobCall::ToRouter(*ingress).Send(live::Header("animate", "job-1")).Await();
  const double took_s = absl::ToDoubleSeconds(absl::Now() - began);
  ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_LE(static_cast<double>(answer.steps.size()), 16 + 10 * took_s + 3);
  EXPECT_GE(answer.steps.size(), 17u);
  EXPECT_EQ(answer.steps.back(), kSteps) << "the newest was not told";
}

TEST_F(EdgeTest, AWorkerThatSaysProgressAllTheTimeCostsLittle) {
  std::atomic<bool> stop{false};
  Start([&stop](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
    v1::JobDown down;
    down.mutable_progress()->set_steps(1'000'000'000);
    for (std::uint32_t step = 1; !stop; ++step) {
      down.mutable_progress()->set_step(step);
      if (!stream.Write(down)) return;
    }
  });
  // More than the five seconds that a job of an unknown tier is given by default, or it would not be tried.
  constexpr double kDeadlineS = 8;
  const double before_s = CpuSeconds();
  const absl::Time began = absl::Now();
  const auto ingress = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
  v1::JobHeader header = live::Header("animate", "job-1");
  header.set_deadline_s(kDeadlineS);
  const live::JobAnswer answer = live::JobCall::ToRouter(*ingress).Send(header).Await();
  const double took_s = absl::ToDoubleSeconds(absl::Now() - began);
  stop = true;
  EXPECT_EQ(answer.outcome(), "timeout") << answer.end.message();
  ASSERT_GT(took_s, kDeadlineS / 2) << "the job did not run: " << answer.end.message();
  EXPECT_GT(answer.steps.size(), 16u);
  EXPECT_LE(static_cast<double>(answer.steps.size()), 16 + 10 * took_s + 3);
  // A router that read all of it would take a core and more; beside other tests a core does less in a second.
  EXPECT_LT(CpuSeconds() - before_s, took_s / 2) << "of " << took_s << " s";
}

}  // namespace
}  // namespace ringway::videos_test
