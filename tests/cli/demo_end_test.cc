// The demo is ended from outside: nothing is left of it.
#include <signal.h>

#include "gmock/gmock.h"
#include "tests/cli/demo_process.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;

class DemoEndTest : public DemoProcessTest {};

TEST_F(DemoEndTest, CtrlCEndsEverything) {
  runtime::ChildProcess demo = Start("60", {"--no-picture"});
  ASSERT_TRUE(AwaitText("phase calm")) << ReadAll(out_);
  EXPECT_GT(Processes(folder_), 20);
  demo.Signal(SIGINT);
  EXPECT_TRUE(demo.WaitFor(Seconds(15)));
  EXPECT_EQ(Processes(folder_), 0);
  EXPECT_THAT(ReadAll(out_), HasSubstr("interrupted"));
}

TEST_F(DemoEndTest, KillingItTakesItsProcessesAlong) {
  runtime::ChildProcess demo = Start("60", {"--no-picture"});
  ASSERT_TRUE(AwaitText("phase calm")) << ReadAll(out_);
  demo.Signal(SIGKILL);
  EXPECT_TRUE(demo.WaitFor(Seconds(15)));
  for (int i = 0; i < 100 && Processes(folder_) > 0; ++i) absl::SleepFor(Milliseconds(50));
  EXPECT_EQ(Processes(folder_), 0);
}

}  // namespace
}  // namespace ringway
