// A job that nobody wants any more, with real processes: until its worker has said that it stopped, its key
// and the worker stay taken; with a worker that cannot say so they are given up, as before.
#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/scripted_worker.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

// In which nothing happens that may not happen.
constexpr Duration kWhile = Milliseconds(700);

v1::JobHeader WithKey(const std::string& id, const std::string& key) {
  v1::JobHeader header = Header(kTier, id);
  header.set_idempotency_key(key);
  return header;
}

// The jobs of scripted workers, which run until the test lets them go, whoever wants them. Threads: any.
class UnwillingJobs {
 public:
  enum class Peer { kConfirms, kForgets, kFormerRelease };

  WorkerScript Script(const std::string& name, Peer peer) {
    WorkerScript script;
    script.name = name;
    script.run = [this](WorkerStream& stream, const v1::JobHeader& header, const std::string&) {
      Run(stream, header.offer());
    };
    if (peer == Peer::kFormerRelease) return script;
    script.withdraw = [this, known = peer == Peer::kConfirms](const std::string& attempt) {
      const std::lock_guard lock(mutex_);
      withdrawn_.insert(attempt);
      return known;
    };
    return script;
  }
  // The first `jobs` that began may end.
  void LetGo(int jobs) {
    const std::lock_guard lock(mutex_);
    let_go_ = jobs;
  }
  int begun() const { return Read(begun_); }
  int most_at_once() const { return Read(most_at_once_); }
  int cut_off() const { return Read(cut_off_); }
  int withdrawn() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(withdrawn_.size());
  }

 private:
  int Read(const int& count) const {
    const std::lock_guard lock(mutex_);
    return count;
  }
  void Run(WorkerStream& stream, const std::string& attempt) {
    int number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = ++begun_;
      most_at_once_ = std::max(most_at_once_, ++running_);
    }
    v1::JobDown progress;
    progress.mutable_progress()->set_steps(1000);
    bool heard = true;
    for (bool go_on = true; go_on; absl::SleepFor(Milliseconds(10))) {
      const bool written = stream.Write(progress);
      const std::lock_guard lock(mutex_);
      if (!written && std::exchange(heard, false)) ++cut_off_;
      go_on = number > let_go_;
    }
    v1::JobDown end = DoneMessage("scripted");
    {
      const std::lock_guard lock(mutex_);
      --running_;
      if (withdrawn_.contains(attempt)) end.mutable_end()->set_outcome("cancelled");
    }
    stream.Write(end);
  }

  mutable std::mutex mutex_;
  int begun_ = 0;
  int running_ = 0;
  int most_at_once_ = 0;
  int cut_off_ = 0;  // whose stream was cancelled while they ran
  int let_go_ = 0;
  std::set<std::string> withdrawn_;
};

// Jobs at scripted workers; unless a test has a world of its own, beside a router without a controller.
class WithdrawTest : public ::testing::Test {
 protected:
  void MakeWorkers(UnwillingJobs::Peer peer, int workers) {
    for (int w = 0; w < workers; ++w) {
      workers_.push_back(std::make_unique<ScriptedWorker>(jobs_.Script(absl::StrCat("w", w), peer)));
    }
  }
  std::vector<std::string> BesideFlags() const {
    std::vector<std::string> flags;
    for (const auto& worker : workers_) flags.insert(flags.end(), {"--worker", worker->address()});
    return flags;
  }
  void Start(UnwillingJobs::Peer peer, int workers) {
    MakeWorkers(peer, workers);
    std::vector<std::string> flags = BesideFlags();
    flags.insert(flags.end(), {"--name", "r1", "--region", "oslo"});
    router_.emplace(folder_, DaemonSpec{"ringway-router", "r1", flags});
    door_ = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
    ASSERT_TRUE(Eventually([&] {
      return MetricValue(router_->http(), absl::StrCat("ringway_router_workers{tier=\"", kTier, "\"}")) ==
             workers;
    })) << router_->Log();
  }
  // A job that runs when its client leaves.
  void RunAndLeave(const v1::JobHeader& header) {
    JobCall call = JobCall::ToRouter(*door_);
    call.Send(header, "picture");
    ASSERT_TRUE(call.AwaitAccepted());
    ASSERT_TRUE(Eventually([&] { return jobs_.begun() == 1; }));
    call.Cancel();
    EXPECT_FALSE(call.Await().status.ok());
  }
  bool SecondBegins(Duration limit = kPatience) {
    return Eventually([&] { return jobs_.begun() == 2; }, limit);
  }
  // With the key of the one that runs, and another worker idle.
  void ExpectSecondWaits() {
    JobCall second = JobCall::ToRouter(*door_);
    second.Send(WithKey("second", "order-1"), "picture");
    EXPECT_TRUE(Eventually([&] { return jobs_.withdrawn() == 1; }));
    EXPECT_FALSE(SecondBegins(kWhile)) << "the first one still runs";
    jobs_.LetGo(1);
    EXPECT_TRUE(SecondBegins());
    jobs_.LetGo(2);
    const JobAnswer answer = second.Await();
    EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
    EXPECT_NE(answer.end.trace().reason(), "record");
    EXPECT_EQ(jobs_.most_at_once(), 1);
    EXPECT_EQ(jobs_.cut_off(), 0);
  }
  ~WithdrawTest() override {
    jobs_.LetGo(1000);
    router_.reset();
  }

  ScratchFolder folder_;
  UnwillingJobs jobs_;
  std::vector<std::unique_ptr<ScriptedWorker>> workers_;
  std::optional<DaemonProcess> router_;
  std::unique_ptr<v1::Ingress::Stub> door_;
};

TEST_F(WithdrawTest, AKeyIsTakenUntilItsWorkerHasSaidThatItStopped) {
  ASSERT_NO_FATAL_FAILURE(Start(UnwillingJobs::Peer::kConfirms, 2));
  ASSERT_NO_FATAL_FAILURE(RunAndLeave(WithKey("first", "order-1")));
  ExpectSecondWaits();
}

TEST_F(WithdrawTest, AWorkerIsTakenUntilItHasSaidThatItStopped) {
  ASSERT_NO_FATAL_FAILURE(Start(UnwillingJobs::Peer::kConfirms, 1));
  ASSERT_NO_FATAL_FAILURE(RunAndLeave(Header(kTier, "first")));
  JobCall second = JobCall::ToRouter(*door_);
  second.Send(Header(kTier, "second"), "picture");
  EXPECT_TRUE(Eventually([&] { return jobs_.withdrawn() == 1; }));
  EXPECT_FALSE(SecondBegins(kWhile)) << "the worker still has the first one";
  jobs_.LetGo(2);
  EXPECT_EQ(second.Await().outcome(), "done");
  EXPECT_EQ(jobs_.most_at_once(), 1);
}

// The worker knows the question but not the attempt, or is of a release without the question.
class WithdrawFallbackTest : public WithdrawTest,
                             public ::testing::WithParamInterface<UnwillingJobs::Peer> {};

TEST_P(WithdrawFallbackTest, TheStreamIsCancelledWhereNobodyConfirms) {
  ASSERT_NO_FATAL_FAILURE(Start(GetParam(), 2));
  ASSERT_NO_FATAL_FAILURE(RunAndLeave(WithKey("first", "order-1")));
  JobCall second = JobCall::ToRouter(*door_);
  second.Send(WithKey("second", "order-1"), "picture");
  EXPECT_TRUE(SecondBegins());
  EXPECT_TRUE(Eventually([&] { return jobs_.cut_off() == 1; }));
  jobs_.LetGo(2);
  EXPECT_EQ(second.Await().outcome(), "done");
  EXPECT_EQ(jobs_.withdrawn(), GetParam() == UnwillingJobs::Peer::kForgets ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Peers, WithdrawFallbackTest,
                         ::testing::Values(UnwillingJobs::Peer::kForgets,
                                           UnwillingJobs::Peer::kFormerRelease),
                         [](const auto& peer) {
                           return std::string(peer.param == UnwillingJobs::Peer::kForgets ? "Forgets"
                                                                                          : "FormerRelease");
                         });

TEST_F(WithdrawTest, ARouterThatStopsDoesNotWaitForAConfirmation) {
  ASSERT_NO_FATAL_FAILURE(Start(UnwillingJobs::Peer::kConfirms, 1));
  ASSERT_NO_FATAL_FAILURE(RunAndLeave(Header(kTier, "first")));
  EXPECT_TRUE(Eventually([&] { return jobs_.withdrawn() == 1; }));
  EXPECT_EQ(jobs_.cut_off(), 0);
  router_->Signal(SIGTERM);
  EXPECT_EQ(router_->WaitFor(Seconds(10)), 0) << router_->Log();
  EXPECT_TRUE(Eventually([&] { return jobs_.cut_off() == 1; }));
}

// The router where it entered asks the one beside the worker, over the distance, and that one asks the
// worker.
TEST_F(WithdrawTest, AKeyIsTakenUntilTheWorkerOfAnotherRegionHasSaidThatItStopped) {
  MakeWorkers(UnwillingJobs::Peer::kConfirms, 2);
  SmallWorld world({.regions = {{"oslo", 1, 0}, {.name = "paris", .workers_of_test = 2}},
                    .rtt_ms = 60,
                    .flags_of = {{"paris-0", BesideFlags()}},
                    .router_flags = {"--emulate-rtt"}});
  ASSERT_TRUE(world.AwaitReady());
  door_ = world.Door("oslo-0");
  ASSERT_NO_FATAL_FAILURE(RunAndLeave(WithKey("first", "order-1")));
  ExpectSecondWaits();
}

}  // namespace
}  // namespace ringway::live
