// Jobs with an idempotency key, with real processes: asked again and again, while replies are lost and
// routers and workers die, each key comes to one completion, and no request ends without a word.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/live/job_call.h"
#include "tests/live/keyed_load.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

v1::JobHeader Keyed(const std::string& id, const std::string& key) {
  v1::JobHeader header = Header(kTier, id);
  header.set_idempotency_key(key);
  return header;
}

JobAnswer Ask(SmallWorld& world, const std::string& router, const v1::JobHeader& header) {
  const auto door = world.Door(router);
  return JobCall::ToRouter(*door).Send(header, "picture").Await();
}

TEST(OnceTest, OneRunForAKeyAtAnyRouterDuringTheJobAndAfterIt) {
  SmallWorld world({.regions = {{"oslo", 3, 1}}, .service_mean_s = 0.5});
  ASSERT_TRUE(world.AwaitReady());
  const auto first_door = world.Door("oslo-0");
  JobCall first = JobCall::ToRouter(*first_door);
  first.Send(Keyed("first", "order-1"), "picture");
  ASSERT_TRUE(first.AwaitAccepted());
  const JobAnswer during = Ask(world, "oslo-1", Keyed("second", "order-1"));
  const JobAnswer answer = first.Await();
  ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_EQ(during.outcome(), "done") << during.end.message();
  EXPECT_EQ(during.result, answer.result);
  EXPECT_EQ(during.end.trace().reason(), "record");
  EXPECT_EQ(during.end.trace().worker(), answer.end.trace().worker());
  for (const char* router : {"oslo-0", "oslo-1", "oslo-2"}) {
    const JobAnswer after = Ask(world, router, Keyed("third", "order-1"));
    EXPECT_EQ(after.outcome(), "done") << router << ": " << after.end.message();
    EXPECT_EQ(after.result, answer.result);
  }
  EXPECT_EQ(world.Completions("first"), 1);
  EXPECT_EQ(world.Completions("second") + world.Completions("third"), 0);

  v1::JobHeader other = Keyed("other", "order-1");
  other.set_prompt("something else");
  const JobAnswer rejected = Ask(world, "oslo-2", other);
  EXPECT_EQ(rejected.outcome(), "rejected");
  EXPECT_THAT(rejected.end.message(), HasSubstr("another request"));
}

// One key after the other, each asked for until it is done; see keyed_load.h for what goes wrong meanwhile.
TEST(OnceTest, NoDuplicateAndNoSilentLossWhateverDies) {
  SmallWorld world(
      {.regions = {{"oslo", 4, 2}}, .service_mean_s = 0.03, .service_law = "lognormal", .deadline = "3s"});
  ASSERT_TRUE(world.AwaitReady());
  const KeyedReport report =
      RunKeyedLoad(world, {.keys = 300, .clients = 6, .router_kills = 2, .worker_kills = 2});
  std::printf("%s\n", report.Line().c_str());
  EXPECT_EQ(report.duplicates, 0u) << report.problem;
  EXPECT_EQ(report.silent, 0u) << report.problem;
  EXPECT_EQ(report.done, 300u) << report.problem;
  EXPECT_GT(report.lost_replies, 10u) << "nothing was lost: nothing was shown";
}

}  // namespace
}  // namespace ringway::live
