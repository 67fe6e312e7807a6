#include "runtime/grpc_server.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

TEST(GrpcServerTest, TakesAFreePortAndRefusesATakenOne) {
  auto first = GrpcServer::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT(first->port(), 0);
  EXPECT_EQ(first->address(), absl::StrCat("127.0.0.1:", first->port()));
  const auto second = GrpcServer::Start(first->address(), {});
  ASSERT_FALSE(second.ok()) << "two servers share a port";
  EXPECT_NE(second.status().message().find("taken"), absl::string_view::npos);
}

TEST(GrpcServerTest, ChannelConnects) {
  auto server = GrpcServer::Start("127.0.0.1:0", {});
  ASSERT_TRUE(server.ok()) << server.status();
  auto channel = MakeChannel(server->address());
  EXPECT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)));
}

TEST(GrpcServerTest, RefusesWhatIsNoAddress) {
  EXPECT_EQ(GrpcServer::Start("nonsense", {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ringway::runtime
