// What strangers and broken workers may cost a router of the videos API: bombs, huge pictures, progress
// without a pause. Held against bounds on memory and processor time, so nothing runs beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/grpc_server.h"
#include "tests/gateway/edge_world.h"
#include "tests/live/job_call.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;

class CostTest : public EdgeTest {};

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

TEST_F(CostTest, NestedJsonIsRefusedAtOnce) {
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

TEST_F(CostTest, SmallValuesByTheMillionTakeNoMemory) {
  Start(MakesAFilm());
  const std::size_t before_kib = PeakKib();
  const double before_s = CpuSeconds();
  for (const char* piece : {"{},", "0,", "\"a\":0,"}) {
    const std::string open = piece[0] == '"' ? "{" : "{\"prompt\":[";
    const auto answer = Post(open + Repeated(piece, std::size_t{58} << 20), Seconds(30));
    ASSERT_TRUE(answer) << piece;
    EXPECT_EQ(answer->status, 400) << answer->body;
  }
  // A body, and a copy or two of it.
  EXPECT_LT(PeakKib() - before_kib, 300u << 10);
  EXPECT_LT(CpuSeconds() - before_s, 6);
}

TEST_F(CostTest, APictureOfManyMegabytesIsTakenWhileOthersAreServed) {
  Start([](WorkerStream& stream, const v1::JobHeader& header, const std::string& payload) {
    stream.Write(Chunk(payload.size() == header.payload_bytes() ? 1000 : 1));
    stream.Write(DoneMessage("w1"));
  });
  const std::string picture = absl::Base64Escape(std::string(std::size_t{40} << 20, 'p'));
  const std::string body = "{\"prompt\":\"x\",\"input_reference\":\"data:image/png;base64," + picture + "\"}";
  auto made = std::async(std::launch::async, [&] { return Post(body, Seconds(30)); });
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

TEST_F(CostTest, ProgressIsPassedOnTenTimesASecondAndTheNewestWins) {
  constexpr std::uint32_t kSteps = 200;
  Start([](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
    v1::JobDown down;
    down.mutable_progress()->set_steps(kSteps);
    for (std::uint32_t step = 1; step <= kSteps; ++step) {
      down.mutable_progress()->set_step(step);
      stream.Write(down);
      absl::SleepFor(Milliseconds(4));  // a step of a fast solver
    }
    stream.Write(DoneMessage("w1"));
  });
  const Time began = absl::Now();
  const auto ingress = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
  const live::JobAnswer answer =
      live::JobCall::ToRouter(*ingress).Send(live::Header("animate", "job-1")).Await();
  const double took_s = ToDoubleSeconds(absl::Now() - began);
  ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_LE(static_cast<double>(answer.steps.size()), 16 + 10 * took_s + 3);
  EXPECT_GE(answer.steps.size(), 17u);
  EXPECT_EQ(answer.steps.back(), kSteps) << "the newest was not told";
}

TEST_F(CostTest, AWorkerThatSaysProgressAllTheTimeCostsLittle) {
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
  const Time began = absl::Now();
  const auto ingress = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
  v1::JobHeader header = live::Header("animate", "job-1");
  header.set_deadline_s(kDeadlineS);
  const live::JobAnswer answer = live::JobCall::ToRouter(*ingress).Send(header).Await();
  const double took_s = ToDoubleSeconds(absl::Now() - began);
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
