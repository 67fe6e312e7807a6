#include "runtime/self_check.h"

#include <atomic>
#include <optional>

#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"

namespace ringway::runtime {
namespace {

TEST(SelfCheckTest, SaysWhenThePortIsDeadAndWhenItAnswersAgain) {
  std::optional<GrpcServer> server;
  auto started = GrpcServer::Start("127.0.0.1:0", {});
  ASSERT_TRUE(started.ok()) << started.status();
  server.emplace(*std::move(started));
  const std::string address = server->address();
  std::atomic<bool> answers{true};
  const SelfCheck check(address, Logger("test", LogLevel::kError), answers, Milliseconds(100));
  absl::SleepFor(Milliseconds(600));
  EXPECT_TRUE(answers);
  // Not serving is an answer.
  server->SetServing(false);
  absl::SleepFor(Milliseconds(600));
  EXPECT_TRUE(answers);
  server.reset();
  EXPECT_TRUE(live::Eventually([&] { return !answers; }));
  auto again = GrpcServer::Start(address, {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(live::Eventually([&] { return answers.load(); }));
}

}  // namespace
}  // namespace ringway::runtime
