// `ringway explain` of a request that the table sent to another region: both routers tell their part.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

TEST(ExplainTest, AForwardedRequestIsToldByBothRouters) {
  // Oslo has users and no workers, so its table sends everything to Paris.
  SmallWorld world({.regions = {{"oslo", 1, 0}, {"paris", 1, 2}}, .rtt_ms = 20, .service_mean_s = 0.2});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  const JobAnswer answer = call.Send(Header(kTier, "told-twice"), "picture").Await();
  ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_EQ(answer.trailer("ringway-region"), "paris");

  for (const bool by_controller : {true, false}) {
    const std::string door_flag = by_controller ? "--controller" : "--router";
    const std::string address = by_controller ? world.controller().grpc() : world.router("oslo-0").grpc();
    const cli::Ran told = cli::Ringway({"explain", "told-twice", door_flag, address});
    if (!by_controller && told.code != 0) continue;  // without a controller one router is all that is known
    ASSERT_EQ(told.code, 0) << told.err;
    const std::size_t here = told.out.find("at router oslo-0 in oslo, where it entered");
    const std::size_t there = told.out.find("at router paris-0 in paris, forwarded by another router");
    ASSERT_NE(here, std::string::npos) << told.out;
    if (!by_controller) continue;
    ASSERT_NE(there, std::string::npos) << told.out;
    EXPECT_LT(here, there) << told.out;
    // What each of them did: one sent it on, the other found the worker.
    const std::string first = told.out.substr(here, there - here), second = told.out.substr(there);
    EXPECT_THAT(first, HasSubstr("forwarded to paris-0"));
    EXPECT_THAT(first, HasSubstr("answered by paris-0: done"));
    EXPECT_THAT(second, HasSubstr("offered to paris-0-w"));
    EXPECT_THAT(second, HasSubstr("answered by paris-0-w"));
    for (const std::string& part : {first, second}) EXPECT_THAT(part, HasSubstr("oslo -> paris (no-workers"));
  }
}

}  // namespace
}  // namespace ringway::live
