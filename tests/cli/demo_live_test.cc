// The demo as a person runs it: real daemons, real traffic, and nothing left afterwards.
#include "gmock/gmock.h"
#include "tests/cli/demo_process.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DemoLiveTest : public DemoProcessTest {};

TEST_F(DemoLiveTest, AnimatesPlaysJudgesAndLeavesNothingRunning) {
  const std::string gif = folder_ + "/demo.gif";
  runtime::ChildProcess demo = Start("36", {"--animate", gif});
  const std::optional<int> status = demo.WaitFor(Seconds(240));
  const std::string out = ReadAll(out_);
  ASSERT_TRUE(status) << "it did not end by itself\n" << out;
  for (const char* text : {"phase hot", "us-east-1 ->", "Routing everywhere against staying home",
                           "hot: the table is followed", "All processes have ended."}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
  EXPECT_THAT(ReadAll(gif), StartsWith("GIF89a"));
  // A machine that also builds may miss the bounds; the demo itself says so.
  const bool too_busy = out.find("This machine was too busy") != std::string::npos;
  EXPECT_TRUE(too_busy || *status == 0) << out;
  EXPECT_EQ(Processes(folder_), 0);
}

}  // namespace
}  // namespace ringway
