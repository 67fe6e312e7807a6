#include "runtime/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

TEST(ChildProcessTest, RunsAProgramAndKeepsItsOutput) {
  const std::string output = absl::StrCat(testing::TempDir(), "/child_", getpid(), ".log");
  auto child = ChildProcess::Start({"sh", "-c", "echo out; echo err >&2; exit 3"}, output);
  ASSERT_TRUE(child.ok()) << child.status();
  const auto status = child->WaitFor(Seconds(30));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WEXITSTATUS(*status), 3);
  std::ifstream file(output);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "out\nerr\n");
  unlink(output.c_str());
}

TEST(ChildProcessTest, SaysThatAProgramIsMissing) {
  const auto child = ChildProcess::Start({"ringway-no-such-program"}, "");
  ASSERT_FALSE(child.ok());
  EXPECT_NE(child.status().message().find("ringway-no-such-program"), absl::string_view::npos);
}

TEST(ChildProcessTest, SignalsReachARunningChildOnly) {
  auto child = ChildProcess::Start({"sleep", "1000"}, "");
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_FALSE(child->Poll().has_value());
  EXPECT_FALSE(child->WaitFor(Milliseconds(1)).has_value());
  EXPECT_TRUE(child->Signal(SIGTERM));
  const auto status = child->WaitFor(Seconds(30));
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status));
  EXPECT_FALSE(child->Signal(SIGTERM)) << "a reaped pid may belong to somebody else";
}

TEST(ChildProcessTest, TheDestructorEndsTheChild) {
  pid_t pid = 0;
  {
    auto child = ChildProcess::Start({"sleep", "1000"}, "");
    ASSERT_TRUE(child.ok()) << child.status();
    pid = child->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

}  // namespace
}  // namespace ringway::runtime
