// What operators order of single jobs and workers, at routers, stands in the controller's audit log, with
// real processes and whatever happens to the connection.
#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/live/eventually.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Audited {
  cli::Ran Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--controller", world.controller().grpc()});
    return cli::Ringway(words);
  }
  std::string AskRouter(std::vector<std::string> words) {
    words.insert(words.end(), {"--router", world.router("oslo-0").grpc()});
    const cli::Ran ran = cli::Ringway(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
  // How many entries tell of it.
  int Entries(const std::string& action) {
    int entries = 0;
    for (const auto line : absl::StrSplit(Ask({"audit"}).out, '\n')) {
      if (std::string(line).find("  " + action + " (router ") != std::string::npos) ++entries;
    }
    return entries;
  }
  bool Await(const std::string& action) {
    return Eventually([&] { return Entries(action) > 0; });
  }
  SmallWorld world;
};

TEST(OrderAuditTest, ADrainOfAWorkerIsAuditedAlsoOneThatIsGivenWhileNoControllerAnswers) {
  Audited at{SmallWorld({.regions = {{"oslo", 1, 2}}})};
  ASSERT_TRUE(at.world.AwaitReady());
  ASSERT_EQ(at.Ask({"drain", "--worker", "oslo-0-w1", "--why", "memory errors"}).code, 0);
  ASSERT_TRUE(at.Await("drain worker oslo-0-w1")) << at.Ask({"audit"}).out;
  EXPECT_THAT(at.Ask({"audit"}).out, AllOf(HasSubstr("memory errors"), HasSubstr("(router oslo-0)")));

  at.world.controller().Kill();
  at.AskRouter({"undrain", "--worker", "oslo-0-w1", "--why", "new memory"});
  at.AskRouter({"drain", "--worker", "oslo-0-w0", "--for", "2h"});
  at.world.controller().StartAgain();
  ASSERT_TRUE(at.Await("drain worker oslo-0-w0 for 2h")) << at.Ask({"audit"}).out;
  ASSERT_TRUE(at.Await("undrain worker oslo-0-w1")) << at.Ask({"audit"}).out;

  // One more life: what was recorded is not told again.
  at.world.controller().Kill();
  at.world.controller().StartAgain();
  at.AskRouter({"undrain", "--worker", "oslo-0-w0"});
  ASSERT_TRUE(at.Await("undrain worker oslo-0-w0")) << at.Ask({"audit"}).out;
  for (const char* action : {"drain worker oslo-0-w1", "undrain worker oslo-0-w1",
                             "drain worker oslo-0-w0 for 2h", "undrain worker oslo-0-w0"}) {
    EXPECT_EQ(at.Entries(action), 1) << action << "\n" << at.Ask({"audit"}).out;
  }
}

// Oslo has users and no workers: the job is at two routers, and the order goes to both.
TEST(OrderAuditTest, ACancelThatSeveralRoutersCarryOutIsOneEntryAndOneThatFindsNothingIsNone) {
  Audited at{
      SmallWorld({.regions = {{"oslo", 1, 0}, {"paris", 1, 1}}, .service_mean_s = 20, .deadline = "300s"})};
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  v1::JobHeader header = Header(kTier, "far");
  header.set_steps(200);
  call.Send(header, "picture");
  ASSERT_TRUE(call.AwaitStep(1));
  ASSERT_EQ(at.Ask({"cancel", "far", "--why", "sent twice"}).code, 0);
  EXPECT_EQ(call.Await().outcome(), "cancelled");
  ASSERT_TRUE(at.Await("cancel job far")) << at.Ask({"audit"}).out;
  EXPECT_EQ(at.Ask({"cancel", "nobody"}).code, 1);
  // An order that is told later shows that all before it have been.
  ASSERT_EQ(at.Ask({"drain", "--worker", "paris-0-w0"}).code, 0);
  ASSERT_TRUE(at.Await("drain worker paris-0-w0"));
  EXPECT_EQ(at.Entries("cancel job far"), 1) << at.Ask({"audit"}).out;
  EXPECT_THAT(at.Ask({"audit"}).out, AllOf(HasSubstr("sent twice"), Not(HasSubstr("nobody"))));
}

}  // namespace
}  // namespace ringway::live
