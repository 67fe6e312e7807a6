#include "controller/daemon/web_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

TEST(QueryValueTest, FindsDecodesAndRefuses) {
  EXPECT_EQ(QueryValue("tier=a&region=eu-west-1", "region"), "eu-west-1");
  EXPECT_EQ(QueryValue("tier=a%20b%2Fc+d", "tier"), "a b/c d");
  EXPECT_EQ(QueryValue("tiers=a", "tier"), std::nullopt);
  EXPECT_EQ(QueryValue("", "tier"), std::nullopt);
  EXPECT_EQ(QueryValue("&&tier=", "tier"), "");
  EXPECT_EQ(QueryValue("tier=%4", "tier"), std::nullopt);
  EXPECT_EQ(QueryValue("tier=%zz", "tier"), std::nullopt);
  EXPECT_EQ(QueryValue("tier=%41", "tier"), "A");
}

TEST(FindDocumentTest, KnowsItsNamesAndNoOther) {
  for (const char* known :
       {"world", "fleet", "table", "events", "events?after=3", "timeline?tier=x", "region?region=y",
        "workers?region=y&from=500", "routers", "orders", "audit?limit=3", "history", "diff?before=1.2"}) {
    const auto call = FindDocument(std::string(kApiPrefix) + known);
    ASSERT_TRUE(call.ok()) << known;
    EXPECT_TRUE(*call != nullptr) << known;
  }
  for (const char* unknown : {"/api/v1/", "/api/v1/fleets", "/api/v2/fleet", "/", "", "/api/v1/drain"}) {
    const auto call = FindDocument(unknown);
    ASSERT_TRUE(call.ok()) << unknown;
    EXPECT_TRUE(*call == nullptr) << unknown;
  }
  EXPECT_THAT(std::string(FindDocument("/api/v1/events?after=-1").status().message()),
              HasSubstr("after is '-1'"));
  EXPECT_THAT(std::string(FindDocument("/api/v1/workers?region=y&from=two").status().message()),
              HasSubstr("from is 'two'"));
  for (const char* odd : {"3", "3.", ".4", "a.b", "1.2.3", "now"}) {
    EXPECT_THAT(std::string(FindDocument(std::string("/api/v1/diff?before=") + odd).status().message()),
                HasSubstr("EPOCH.VERSION"))
        << odd;
  }
}

TEST(ReadPostTest, TakesTheAdminServicesRequestsAndRefusesOthersWithAReason) {
  EXPECT_EQ(FindPost("/api/v1/drain"), WebPost::kDrain);
  EXPECT_EQ(FindPost("/api/v1/fleet"), WebPost::kNone);
  EXPECT_TRUE(ReadPost(WebPost::kDrain, R"({"by":{"who":"ann"},"region":"a","drain":true})", "::1").ok());
  EXPECT_TRUE(
      ReadPost(WebPost::kThreshold, R"({"by":{"who":"ann"},"tier":"t","overload_threshold":0.7})", "::1")
          .ok());
  EXPECT_TRUE(ReadPost(WebPost::kDryRun, R"({"tier":"t","drain":["a"],"demand_scale":{"a":2}})", "::1").ok());
  for (const char* broken : {"", "{", "[]", "drain=1", R"({"region":3})", R"({"regoin":"a"})"}) {
    EXPECT_EQ(ReadPost(WebPost::kDrain, broken, "::1").status().code(), absl::StatusCode::kInvalidArgument)
        << broken;
  }
}

}  // namespace
}  // namespace ringway::controller
