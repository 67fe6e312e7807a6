#include "runtime/detached_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

class DetachedProcessTest : public ::testing::Test {
 protected:
  ~DetachedProcessTest() override { unlink(out_.c_str()); }
  std::string Output() const {
    std::ifstream file(out_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool AwaitOutput(const std::string& text) const {
    for (int i = 0; i < 500 && Output().find(text) == std::string::npos; ++i)
      absl::SleepFor(Milliseconds(10));
    return Output().find(text) != std::string::npos;
  }
  const std::string out_ = absl::StrCat(testing::TempDir(), "/detached_", getpid(), ".log");
};

TEST_F(DetachedProcessTest, HasASessionOfItsOwnAndAnEmptyInput) {
  const auto process =
      StartDetached({"/bin/sh", "-c", "cat; echo session $(ps -o sid= -p $$) of $$; sleep 30"}, out_);
  ASSERT_TRUE(process.ok()) << process.status();
  ASSERT_TRUE(AwaitOutput("session")) << Output();
  EXPECT_TRUE(IsRunning(*process));
  EXPECT_EQ(getsid(process->pid), process->pid);  // a Ctrl-C in this terminal does not reach it
  EXPECT_TRUE(SignalDetached(*process, SIGTERM));
  waitpid(process->pid, nullptr, 0);
  EXPECT_FALSE(IsRunning(*process));
  EXPECT_FALSE(SignalDetached(*process, SIGTERM));
}

TEST_F(DetachedProcessTest, OneThatHasEndedAndWasNotReapedDoesNotRun) {
  const auto process = StartDetached({"/bin/sh", "-c", "read line; echo over"}, out_);
  ASSERT_TRUE(process.ok());
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process->pid), &ended, WEXITED | WNOWAIT),
            0);  // leaves it as a zombie
  EXPECT_FALSE(IsRunning(*process));
  waitpid(process->pid, nullptr, 0);
}

// The number alone would name whoever has it by now.
TEST_F(DetachedProcessTest, APidOfAnotherTimeIsSomebodyElse) {
  const auto process = StartDetached({"/bin/sleep", "30"}, out_);
  ASSERT_TRUE(process.ok());
  const ProcessIdentity other{process->pid, process->started_ticks + 1};
  EXPECT_FALSE(IsRunning(other));
  EXPECT_FALSE(SignalDetached(other, SIGKILL));
  EXPECT_TRUE(IsRunning(*process));
  EXPECT_TRUE(SignalDetached(*process, SIGKILL));
  waitpid(process->pid, nullptr, 0);
}

TEST_F(DetachedProcessTest, SaysThatAProgramIsMissing) {
  const auto process = StartDetached({"/nowhere/ringway-controller"}, out_);
  ASSERT_FALSE(process.ok());
  EXPECT_NE(process.status().message().find("cannot start /nowhere/ringway-controller"), std::string::npos);
}

}  // namespace
}  // namespace ringway::runtime
