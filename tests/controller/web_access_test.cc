// Who may see and who may change: one row a danger.
#include "controller/daemon/web_access.h"

#include <gtest/gtest.h>

namespace ringway::controller {
namespace {

constexpr char kToken[] = "0123456789abcdef";

struct Asked {
  const char* name;
  std::vector<http::Field> fields;
  int see = 200;
  int order = 200;
};

class WebAccessTest : public ::testing::TestWithParam<Asked> {};

http::Head HeadOf(std::vector<http::Field> fields) {
  http::Head head;
  head.fields = std::move(fields);
  return head;
}

TEST_P(WebAccessTest, OnLoopbackWithWrites) {
  const WebAccess access{.loopback = true, .writes = true, .token = {}, .hosts = {"ringway.example"}};
  const http::Head head = HeadOf(GetParam().fields);
  EXPECT_EQ(MaySee(access, head).status, GetParam().see);
  EXPECT_EQ(MayOrder(access, head).status, GetParam().order);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, WebAccessTest,
    ::testing::Values(
        Asked{"Address", {{"Host", "127.0.0.1:7401"}, {"Content-Type", "application/json"}}},
        Asked{"SixthVersion", {{"Host", "[::1]:7401"}, {"Content-Type", "application/json; charset=utf-8"}}},
        Asked{"Localhost", {{"Host", "LocalHost:7401"}, {"Content-Type", "application/json"}}},
        Asked{"KnownName", {{"Host", "Ringway.example"}, {"Content-Type", "application/json"}}},
        Asked{"Rebound", {{"Host", "evil.example:7401"}, {"Content-Type", "application/json"}}, 403, 403},
        Asked{"NoHost", {{"Content-Type", "application/json"}}, 403, 403},
        Asked{"HostThatBeginsLikeOne",
              {{"Host", "127.0.0.1.evil.example"}, {"Content-Type", "application/json"}},
              403,
              403},
        Asked{"OwnPage",
              {{"Host", "localhost:7401"},
               {"Origin", "http://localhost:7401"},
               {"Sec-Fetch-Site", "same-origin"},
               {"Content-Type", "application/json"}}},
        Asked{"OtherPort",
              {{"Host", "localhost:7401"},
               {"Origin", "http://localhost:8080"},
               {"Content-Type", "application/json"}},
              403,
              403},
        Asked{"OtherSite",
              {{"Host", "localhost:7401"},
               {"Origin", "http://evil.example"},
               {"Content-Type", "application/json"}},
              403,
              403},
        Asked{"NoSite",
              {{"Host", "localhost:7401"}, {"Origin", "null"}, {"Content-Type", "application/json"}},
              403,
              403},
        Asked{"OtherSiteWithoutOrigin",
              {{"Host", "localhost:7401"},
               {"Sec-Fetch-Site", "cross-site"},
               {"Content-Type", "application/json"}},
              403,
              403},
        Asked{"AForm",
              {{"Host", "localhost:7401"}, {"Content-Type", "application/x-www-form-urlencoded"}},
              200,
              415},
        Asked{"TextThatIsNoJson", {{"Host", "localhost:7401"}, {"Content-Type", "text/plain"}}, 200, 415}),
    [](const auto& asked) { return std::string(asked.param.name); });

TEST(WebAccessRulesTest, OrdersMustBeEnabled) {
  const WebAccess access{.loopback = true, .writes = false, .token = {}, .hosts = {}};
  const http::Head head = HeadOf({{"Host", "localhost"}, {"Content-Type", "application/json"}});
  EXPECT_EQ(MayPost(access, head).status, 200);
  EXPECT_EQ(MayOrder(access, head).status, 403);
}

TEST(WebAccessRulesTest, WithATokenEveryDocumentWantsItAndFilesDoNot) {
  const WebAccess access{.loopback = false, .writes = true, .token = kToken, .hosts = {}};
  const http::Head bare = HeadOf({{"Host", "10.0.0.1"}});
  EXPECT_EQ(MayAsk(access, bare).status, 200);
  EXPECT_EQ(MaySee(access, bare).status, 401);
  EXPECT_EQ(
      MaySee(access, HeadOf({{"Host", "10.0.0.1"}, {"Authorization", "Bearer 0123456789abcdee"}})).status,
      401);
  EXPECT_EQ(MaySee(access, HeadOf({{"Host", "10.0.0.1"}, {"Authorization", "Bearer "}})).status, 401);
  EXPECT_EQ(
      MaySee(access, HeadOf({{"Host", "10.0.0.1"}, {"Authorization", "Basic 0123456789abcdef"}})).status,
      401);
  EXPECT_EQ(
      MaySee(access, HeadOf({{"Host", "10.0.0.1"}, {"Authorization", "Bearer 0123456789abcdef"}})).status,
      200);
}

TEST(WebAccessRulesTest, OffLoopbackWithoutATokenNothingIsShown) {
  const WebAccess access{.loopback = false, .writes = true, .token = {}, .hosts = {}};
  EXPECT_EQ(MaySee(access, HeadOf({{"Host", "10.0.0.1"}, {"Authorization", "Bearer "}})).status, 403);
}

}  // namespace
}  // namespace ringway::controller
