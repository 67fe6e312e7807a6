// Which requests are refused before a worker is asked, and that each refusal names its field, on real
// sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/deploy/shell.h"
#include "tests/gateway/edge_world.h"
#include "tests/live/http_get.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;

class RefusalTest : public EdgeTest {};

// ---- pictures ----

std::string SamplePicture(const std::string& name) {
  return absl::Base64Escape(
      ReadText(absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/gateway/corpus/fuzz_picture_header/", name)));
}

// The worker says what it takes; what it would refuse is never offered to it.
TEST_F(RefusalTest, AWrongPictureIsRefusedBeforeAWorkerIsAsked) {
  std::atomic<int> runs = 0;
  Start(
      [&runs](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
        ++runs;
        stream.Write(Chunk(1000));
        stream.Write(DoneMessage("w1"));
      },
      {}, "",
      {.need = PictureNeed::kRequired, .pixels_max = 640 * 480, .types = {"image/png", "image/jpeg"}});
  // What the worker says is known here from the next beat on.
  ASSERT_TRUE(live::Eventually([&] {
    const auto answer = Post(R"({"prompt":"x"})");
    return answer && answer->status == 400;
  }));
  const auto offers = [&] {
    double sum = 0;
    for (const char* result : {"done", "busy", "failed", "rejected"}) {
      sum += live::MetricValue(router_->http(),
                               absl::StrCat("ringway_router_offers_total{result=\"", result, "\"}"))
                 .value_or(0);
    }
    return sum;
  };
  // Those before it was known have ended.
  ASSERT_TRUE(live::Eventually([&] { return offers() == runs; }));
  const int runs_before = runs;
  const double offers_before = offers();
  const std::pair<std::string, const char*> wrong[] = {
      {"", "input_reference is missing, and this model animates a picture"},
      {SamplePicture("other"), "this is no picture; PNG and JPEG are read"},
      {SamplePicture("gif"), "this is a GIF picture; PNG and JPEG are read"},
      {SamplePicture("png_cut"), "the header of this PNG picture is damaged"},
      {absl::Base64Escape("\x89PNG\r\n\x1a\n" +
                          std::string("\0\0\0\rIHDR\0\0\x10\0\0\0\x10\0\x8\2\0\0\0", 21)),
       "this picture has 4096 x 4096 pixels; allowed are at most 307200 together"}};
  for (const auto& [picture, says] : wrong) {
    const auto answer =
        Post(absl::StrCat(R"({"prompt":"x")", picture.empty() ? "" : R"(,"input_reference":")", picture,
                          picture.empty() ? "}" : "\"}"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 400) << answer->body;
    EXPECT_EQ(FieldOf(*answer, "param"), "input_reference") << answer->body;
    EXPECT_THAT(answer->body, HasSubstr(says));
  }
  EXPECT_EQ(runs, runs_before);
  EXPECT_EQ(offers(), offers_before);
  const auto taken = Post(absl::StrCat(R"({"prompt":"x","input_reference":")", SamplePicture("png"), "\"}"));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->status, 200) << taken->body;
  EXPECT_TRUE(live::Eventually([&] { return runs == runs_before + 1; }));
  EXPECT_TRUE(live::Eventually([&] { return offers() == offers_before + 1; }));
}

TEST_F(RefusalTest, APictureThatNoModelTakesIsRefused) {
  Start(MakesAFilm(), {}, "", {.need = PictureNeed::kNone});
  std::optional<Answer> answer;
  ASSERT_TRUE(live::Eventually([&] {
    answer = Post(absl::StrCat(R"({"prompt":"x","input_reference":")", SamplePicture("png"), "\"}"));
    return answer && answer->status == 400;
  }));
  EXPECT_EQ(FieldOf(*answer, "param"), "input_reference");
  EXPECT_THAT(answer->body, HasSubstr("this model takes no picture"));
  EXPECT_EQ(Post(R"({"prompt":"x"})")->status, 200);
}

// ---- which field is wrong ----

TEST_F(RefusalTest, EveryRefusalOfARequestNamesItsField) {
  Start(
      [](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
        v1::JobDown down;
        down.mutable_end()->set_outcome("rejected");
        down.mutable_end()->set_message("steps is \"0\"; allowed: a whole number from 1 to 1000");
        stream.Write(down);
      },
      {}, "wan-2");
  const std::string json = "Content-Type: application/json\r\n";
  struct Wrong {
    const char* line;
    std::string fields;
    const char* body;
    const char* param;
  };
  const Wrong wrong[] = {
      {"POST /v1/videos", json, "{", "body"},
      {"POST /v1/videos", json, "{\"seconds\":4}", "prompt"},
      {"POST /v1/videos", json, R"({"prompt":"x","size":"large"})", "size"},
      {"POST /v1/videos", json, R"({"prompt":"x","model":""})", "model"},
      {"POST /v1/videos", json, R"({"prompt":"x","webhook_url":"http://h/"})", "webhook_url"},
      {"POST /v1/videos", json, R"({"prompt":"x","steps":1})", "steps"},  // by the worker
      {"POST /v1/videos/sync", json, R"({"prompt":"x","steps":1})", "steps"},
      {"POST /v1/videos", "Content-Type: text/plain\r\n", "x", "Content-Type"},
      {"POST /v1/videos", json + "Idempotency-Key: " + std::string(300, 'k') + "\r\n", "{}",
       "Idempotency-Key"},
      {"POST /v1/images/generations", json, R"({"prompt":"x","n":0})", "n"},
      {"POST /v1/images/generations", json, R"({"prompt":"x","steps":1})", "steps"},
      {"POST /v1/images/edits", json, R"({"prompt":"x"})", "image"},
      {"GET /v1/videos?limit=0", "", "", "limit"},
      {"GET /v1/videos?order=up", "", "", "order"},
      {"GET /v1/videos?scope=moon", "", "", "scope"}};
  for (const Wrong& request : wrong) {
    const auto answer = Ask(request.line, request.fields, request.body);
    ASSERT_TRUE(answer) << request.line << " " << request.body;
    EXPECT_EQ(answer->status, 400) << request.line << " " << request.body << answer->body;
    EXPECT_EQ(FieldOf(*answer, "param"), request.param) << answer->body;
  }
  const auto unknown = Post(R"({"prompt":"x","model":"sora-9"})");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(FieldOf(*unknown, "param"), "model");
}

// It comes too late to be the answer of the creation: the job has failed, and says why for as long as it is
// kept.
TEST_F(RefusalTest, AJobThatWasRefusedLateNamesItsFieldAlsoAfterARestart) {
  Start([](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
    absl::SleepFor(Milliseconds(600));  // the creation has been answered
    v1::JobDown down;
    down.mutable_end()->set_outcome("rejected");
    down.mutable_end()->set_message("steps is \"0\"; allowed: a whole number from 1 to 1000");
    stream.Write(down);
  });
  const std::string path = "/v1/videos/" + Make("failed");
  const auto before = Get(path);
  ASSERT_TRUE(before);
  EXPECT_EQ(FieldOf(*before, "param"), "steps") << before->body;
  router_->Kill();
  router_->StartAgain();
  const auto after = Get(path);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->body, before->body);
  const auto film = Get(path + "/content");
  ASSERT_TRUE(film);
  EXPECT_EQ(film->status, 409);
  EXPECT_EQ(FieldOf(*film, "code"), "invalid_request");
  EXPECT_EQ(FieldOf(*film, "param"), "steps") << film->body;
}

}  // namespace
}  // namespace ringway::videos_test
