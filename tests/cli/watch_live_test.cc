// --watch on the real program: it tells what changes, and Ctrl-C is its proper end.
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ringway/v1/operations.grpc.pb.h"
#include "runtime/child_process.h"
#include "tests/cli/scripted_admin.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Duration kPatience = Seconds(60);

class WatchTest : public AdminTest {
 protected:
  void Start(std::vector<std::string> words) {
    std::remove(output_.c_str());
    words.insert(words.begin(), RINGWAY_BIN_DIR "/ringway");
    words.insert(words.end(), {"--controller", server_.address()});
    auto child = runtime::ChildProcess::Start(words, output_);
    ASSERT_TRUE(child.ok()) << child.status();
    child_.emplace(*std::move(child));
  }
  std::string Text() const {
    std::ifstream file(output_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  bool Await(const std::string& part) const {
    const Time until = absl::Now() + kPatience;
    while (absl::Now() < until) {
      if (Text().find(part) != std::string::npos) return true;
      absl::SleepFor(Milliseconds(20));
    }
    return false;
  }
  int Interrupt() {
    child_->Signal(SIGINT);
    const auto status = child_->WaitFor(kPatience);
    return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  }

  const std::string output_ = ::testing::TempDir() + "/ringway_watch_output.txt";
  std::optional<runtime::ChildProcess> child_;
};

TEST_F(WatchTest, WhatChangesIsToldUnderATimeAndCtrlCIsTheEnd) {
  Start({"history", "--watch", "0.1"});
  ASSERT_TRUE(Await("kim: drain a")) << Text();
  absl::SleepFor(Milliseconds(500));  // looks that see the same
  admin_.undrained = true;
  ASSERT_TRUE(Await("kim: undrain a")) << Text();
  EXPECT_EQ(Interrupt(), 0);
  const std::string text = Text();
  const std::vector<std::string> looks = absl::StrSplit(text, "IN FORCE FROM");
  EXPECT_EQ(looks.size(), 3u) << "one text for each change:\n" << text;
  EXPECT_THAT(text, ::testing::ContainsRegex("^20[0-9-]+ [0-9:]+Z\n"));
}

TEST_F(WatchTest, UnderJsonItIsOneDocumentALine) {
  Start({"history", "--json", "--watch", "0.1"});
  ASSERT_TRUE(Await("}\n")) << Text();
  admin_.undrained = true;
  ASSERT_TRUE(Await("kim: undrain a")) << Text();
  EXPECT_EQ(Interrupt(), 0);
  const std::vector<std::string> lines = absl::StrSplit(Text(), '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.size(), 2u) << Text();
  for (const std::string& line : lines) {
    EXPECT_THAT(line, StartsWith("{\"tables\":"));
    EXPECT_EQ(line.back(), '}');
  }
}

TEST_F(WatchTest, TableAndWhatIfAreWatchedToo) {
  Start({"table", "--watch"});
  ASSERT_TRUE(Await("Z\n")) << Text();
  EXPECT_EQ(Interrupt(), 0);
  Start({"whatif", "--watch", "0.1", "--drain", "us-east-1"});
  ASSERT_TRUE(Await("us-east-2")) << Text();
  EXPECT_EQ(Interrupt(), 0);
}

TEST_F(WatchTest, StatusIsWatchedAsEarlierReleasesHadIt) {
  Start({"status", "-w", "--interval", "0.1", "--json"});
  ASSERT_TRUE(Await("\"world\":\"aws\"")) << Text();
  EXPECT_EQ(Interrupt(), 0);
}

// One worker and one job, until the worker drains and the job has ended.
class ChangingRouter final : public v1::Operations::Service {
 public:
  std::atomic<bool> changed = false;

 private:
  grpc::Status ListWorkers(grpc::ServerContext*, const v1::ListWorkersRequest*,
                           v1::ListWorkersReply* reply) override {
    v1::WorkerListing* worker = reply->add_workers();
    worker->set_name("w0");
    worker->set_state(changed ? "draining" : "idle");
    return grpc::Status::OK;
  }
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest*, v1::ListJobsReply* reply) override {
    if (!changed) reply->add_jobs()->set_id("order-1");
    return grpc::Status::OK;
  }
};

TEST_F(WatchTest, WorkersAndJobsAreWatchedAtTheirRouters) {
  ChangingRouter router;
  const auto server = runtime::GrpcServer::Start("127.0.0.1:0", {&router});
  ASSERT_TRUE(server.ok()) << server.status();
  Start({"workers", "--watch", "0.1", "--router", server->address()});
  ASSERT_TRUE(Await("idle")) << Text();
  router.changed = true;
  ASSERT_TRUE(Await("draining")) << Text();
  EXPECT_EQ(Interrupt(), 0);
  router.changed = false;
  Start({"jobs", "--watch", "0.1", "--router", server->address(), "--json"});
  ASSERT_TRUE(Await("order-1")) << Text();
  router.changed = true;
  ASSERT_TRUE(Await("{\"jobs\": []")) << Text();
  EXPECT_EQ(Interrupt(), 0);
  for (const auto line : absl::StrSplit(Text(), '\n', absl::SkipEmpty())) {
    EXPECT_THAT(std::string(line), StartsWith("{\"jobs\": ["));
  }
}

TEST_F(WatchTest, WhoDoesNotAnswerAndWhatIsNoIntervalEndIt) {
  EXPECT_EQ(Ringway({"table", "--watch", "--controller", "127.0.0.1:1"}).code, 3);
  const Ran wrong = Ask({"history", "--watch", "0.01"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("allowed: seconds from 0.1 to 3600"));
}

}  // namespace
}  // namespace ringway::cli
