#include "runtime/call_guard.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bearer_token.h"

namespace ringway::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

grpc::StatusCode Code(const CallGuard& guard, std::string_view path, const char* authorization) {
  std::optional<std::string_view> header;
  if (authorization != nullptr) header = authorization;
  return guard.Admit(path, header).error_code();
}

TEST(CallGuardTest, EachServiceHasItsSecretsAndHealthHasNone) {
  CallGuard guard({.secrets = {"fleet", ""}, .flag = "--fleet-token-file"}, [](const std::string&) {});
  guard.Set("x.Admin", {.secrets = {"operators"}, .flag = "--token-file"});
  guard.Set("x.Ingress", {});
  EXPECT_EQ(Code(guard, "/x.Worker/Run", "Bearer fleet"), grpc::StatusCode::OK);
  EXPECT_EQ(Code(guard, "/x.Worker/Run", nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Code(guard, "/x.Worker/Run", "Bearer "), grpc::StatusCode::PERMISSION_DENIED)
      << "an empty secret opens nothing";
  EXPECT_EQ(Code(guard, "/x.Worker/Run", "fleet"), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Code(guard, "/x.Worker/Run", "Bearer fleetx"), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Code(guard, "/x.Admin/Drain", "Bearer fleet"), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Code(guard, "/x.Admin/Drain", "Bearer operators"), grpc::StatusCode::OK);
  EXPECT_EQ(Code(guard, "/x.Ingress/Submit", nullptr), grpc::StatusCode::OK);
  EXPECT_EQ(Code(guard, "/grpc.health.v1.Health/Check", nullptr), grpc::StatusCode::OK);
  // Whatever looks like an open service without being one is closed.
  for (const char* path :
       {"", "/", "//", "x.Ingress/Submit", "/x.Ingress", "/x.Ingress/a/Submit", "/x.Ingressx/Submit",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}) {
    EXPECT_EQ(Code(guard, path, nullptr), grpc::StatusCode::UNAUTHENTICATED) << path;
  }
}

TEST(CallGuardTest, WithoutASecretAPortIsOpen) {
  const CallGuard guard({.secrets = {""}}, [](const std::string&) { FAIL() << "nothing to report"; });
  EXPECT_EQ(Code(guard, "/x.Worker/Run", nullptr), grpc::StatusCode::OK);
  EXPECT_EQ(Code(guard, "/x.Worker/Run", "Bearer whatever"), grpc::StatusCode::OK);
}

TEST(CallGuardTest, AServiceTakesOnlySoManyCallsASecond) {
  CallGuard guard({}, [](const std::string&) {});
  guard.Set("x.Ingress", {.secrets = {}, .calls_per_second_max = 10});
  int taken = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const grpc::StatusCode code = Code(guard, "/x.Ingress/Submit", nullptr);
    taken += code == grpc::StatusCode::OK;
    refused += code == grpc::StatusCode::RESOURCE_EXHAUSTED;
  }
  EXPECT_EQ(taken + refused, 1000);
  EXPECT_GE(taken, 10 * CallGuard::kBurst_s);
  EXPECT_LT(taken, 500) << "more than the burst and what comes in the time of this loop";
  EXPECT_EQ(Code(guard, "/x.Worker/Run", nullptr), grpc::StatusCode::OK) << "others are not concerned";
}

TEST(CallGuardTest, ReportsStrangersOnceInAWhileAndAdmitsThemUntilItIsEnforced) {
  std::vector<std::string> reports;
  int counted = 0;
  const CallGuard guard(
      {.secrets = {"fleet"}, .flag = "--fleet-token-file", .enforce = false, .refused = [&] { ++counted; }},
      [&](const std::string& report) { reports.push_back(report); });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(Code(guard,
                   "/x.\x01"
                   "Worker/Run",
                   nullptr),
              grpc::StatusCode::OK);
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_THAT(reports[0], HasSubstr("would refuse 1 calls"));
  EXPECT_THAT(reports[0], HasSubstr("/x.?Worker/Run"));
  EXPECT_THAT(reports[0], HasSubstr("--fleet-token-file"));
  EXPECT_EQ(counted, 100);
}

TEST(FleetTokenTest, IsNeededWhereOtherMachinesReachThePort) {
  for (const char* listen : {"127.0.0.1:7410", "[::1]:7410", "localhost:0"}) {
    EXPECT_TRUE(ReadFleetToken("", listen).ok()) << listen;
  }
  for (const char* listen : {"0.0.0.0:7410", "[::]:7410", "10.0.0.5:0", "host:7410"}) {
    const auto token = ReadFleetToken("", listen);
    ASSERT_FALSE(token.ok()) << listen;
    EXPECT_THAT(std::string(token.status().message()), HasSubstr("--fleet-token-file"));
    EXPECT_THAT(std::string(token.status().message()), HasSubstr(listen));
  }
  EXPECT_FALSE(ReadFleetToken("/nowhere/token", "127.0.0.1:0").ok());
}

}  // namespace
}  // namespace ringway::runtime
