// The http backend inside a real worker, in front of a server that answers as the test says.
#include "gmock/gmock.h"
#include "tests/worker/scripted_server.h"
#include "tests/worker/worker_under_test.h"

namespace ringway::live {
namespace {

namespace http = boost::beast::http;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

WorkerUnderTest InFrontOf(const std::string& url, const std::string& timeout_s = "600") {
  return WorkerUnderTest({"--backend", "http", "--http-upstream", url, "--http-timeout", timeout_s});
}

ScriptedServer::Script Always(http::status status, const std::string& body = "") {
  return [=](const HttpRequest&, HttpResponse& response) {
    response.result(status);
    response.body() = body;
    return true;
  };
}

bool Silence(const HttpRequest&, HttpResponse&) { return false; }

TEST(HttpBackendTest, PostsThePayloadAndStreamsTheAnswer) {
  const std::string film(3 << 20, 'f');
  std::string seen;
  ScriptedServer server([&](const HttpRequest& request, HttpResponse& response) {
    seen = std::string(request.method_string()) + " " + std::string(request.target()) + " " +
           std::string(request[http::field::content_type]) + " " + std::string(request["X-Request-Id"]) +
           " " + std::string(request["traceparent"]) + " " + request.body();
    response.set(http::field::content_type, "video/mp4");
    response.body() = film;
    return true;
  });
  WorkerUnderTest worker = InFrontOf(server.Url("/v1/videos?x=1"));
  v1::JobHeader header = Header("animate", "r-17");
  header.set_content_type("image/png");
  header.set_traceparent("00-aa-bb-01");
  const JobAnswer answer = worker.Call().Send(header, "PNG bytes").Await();
  EXPECT_EQ(answer.outcome(), "done");
  EXPECT_EQ(answer.result, film);
  EXPECT_EQ(answer.end.content_type(), "video/mp4");
  EXPECT_EQ(seen, "POST /v1/videos?x=1 image/png r-17 00-aa-bb-01 PNG bytes");
}

TEST(HttpBackendTest, AJobWithoutPayloadBecomesJson) {
  std::string seen;
  ScriptedServer server([&](const HttpRequest& request, HttpResponse&) {
    seen = std::string(request[http::field::content_type]) + " " + request.body();
    return true;
  });
  WorkerUnderTest worker = InFrontOf(server.Url());
  v1::JobHeader header = Header("animate");
  header.set_model("sdxl");
  header.set_prompt("a \"quiet\" sea\n");
  (*header.mutable_parameters())["n"] = "2";
  (*header.mutable_parameters())["size"] = "512x512";
  EXPECT_EQ(worker.Call().Send(header).Await().outcome(), "done");
  // The order of the fields is the library's choice.
  EXPECT_THAT(seen,
              AllOf(StartsWith("application/json {"), HasSubstr(R"("model":"sdxl")"), HasSubstr(R"("n":2)"),
                    HasSubstr(R"("prompt":"a \"quiet\" sea\n")"), HasSubstr(R"("size":"512x512")")));
}

TEST(HttpBackendTest, TheServersAnswerDecidesTheOutcome) {
  struct Case {
    http::status status;
    const char* outcome;
  };
  for (const Case& c :
       {Case{http::status::ok, "done"}, Case{http::status::created, "done"},
        Case{http::status::no_content, "done"}, Case{http::status::bad_request, "rejected"},
        Case{http::status::payload_too_large, "rejected"}, Case{http::status::too_many_requests, "busy"},
        Case{http::status::service_unavailable, "busy"}, Case{http::status::internal_server_error, "failed"},
        Case{http::status::found, "failed"}}) {
    const bool has_body = c.status != http::status::no_content;
    ScriptedServer server(Always(c.status, has_body ? "because of the moon" : ""));
    WorkerUnderTest worker = InFrontOf(server.Url());
    const JobAnswer answer = worker.Run();
    EXPECT_EQ(answer.outcome(), c.outcome) << c.status;
    const bool done = answer.outcome() == "done";
    EXPECT_EQ(answer.result, done && has_body ? "because of the moon" : "");
    if (!done) {
      EXPECT_THAT(answer.end.message(), HasSubstr(": because of the moon"));
    }
  }
}

TEST(HttpBackendTest, ABusyServersHintIsPassedOn) {
  ScriptedServer server([](const HttpRequest&, HttpResponse& response) {
    response.result(http::status::service_unavailable);
    response.set(http::field::retry_after, "7");
    return true;
  });
  WorkerUnderTest worker = InFrontOf(server.Url());
  EXPECT_EQ(worker.Run().end.retry_after_s(), 7);
}

TEST(HttpBackendTest, TheServerNeverSeesTwoJobsAtOnce) {
  ScriptedServer server(&Silence);
  WorkerUnderTest worker = InFrontOf(server.Url());
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitAccepted());
  EXPECT_EQ(worker.Run().outcome(), "busy");
  ASSERT_TRUE(Eventually([&] { return server.requests() == 1; }));
}

TEST(HttpBackendTest, CancellingHangsUpOnTheServerAndFreesTheSlot) {
  ScriptedServer server(&Silence);
  WorkerUnderTest worker = InFrontOf(server.Url());
  JobCall call = worker.Call();
  call.Send(Header("animate"));
  ASSERT_TRUE(Eventually([&] { return server.requests() == 1; }));
  call.Cancel();
  EXPECT_TRUE(Eventually([&] { return server.hang_ups() == 1; }));
  EXPECT_TRUE(Eventually([&] { return !worker.State().busy(); }));
  EXPECT_EQ(worker.Jobs("cancelled"), 1);
}

TEST(HttpBackendTest, AServerThatNeverAnswersFailsTheJobInTime) {
  ScriptedServer server(&Silence);
  WorkerUnderTest worker = InFrontOf(server.Url(), "0.2");
  const JobAnswer answer = worker.Run();
  EXPECT_EQ(answer.outcome(), "failed");
  EXPECT_THAT(answer.end.message(), HasSubstr("no whole answer within 200ms"));
}

TEST(HttpBackendTest, NoServerMeansBusyElsewhereAndThenRest) {
  std::string url;
  {
    const ScriptedServer gone(&Silence);
    url = gone.Url();
  }
  WorkerUnderTest worker = InFrontOf(url);
  for (int i = 0; i < 3; ++i) {
    const JobAnswer answer = worker.Run();
    EXPECT_EQ(answer.outcome(), "busy");
    EXPECT_THAT(answer.end.message(), HasSubstr("cannot reach the server"));
    EXPECT_THAT(answer.end.message(), HasSubstr("nothing was started"));
  }
  EXPECT_FALSE(worker.State().healthy()) << "or it would swallow the traffic of the region";
}

}  // namespace
}  // namespace ringway::live
