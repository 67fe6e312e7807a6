// The worker as a process, over real loopback sockets.
#include <signal.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/worker/worker_under_test.h"
#include "worker/journal/replay.h"

namespace ringway::live {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kQuick = {"--service-law", "fixed", "--service-mean", "0.05", "--steps", "4"};
// Longer than any test waits for: such a job ends because somebody ends it. Its steps take 60 ms.
const std::vector<std::string> kLong = {"--service-law", "fixed",   "--service-mean",
                                        "600",           "--steps", "10000"};

std::vector<std::string> Plus(std::vector<std::string> flags, const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

TEST(WorkerDaemonTest, RunsAJobAndTellsItsStory) {
  WorkerUnderTest worker(Plus(kQuick, {"--result-bytes", "300000"}));
  const JobAnswer answer = worker.Run();
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.outcome(), "done");
  EXPECT_TRUE(answer.accepted);
  EXPECT_THAT(answer.steps, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(answer.result.size(), 300000u);
  EXPECT_EQ(answer.end.result_bytes(), 300000u);
  EXPECT_EQ(answer.end.trace().worker(), "w1");
  EXPECT_EQ(answer.end.trace().region(), "paris");
  EXPECT_GE(answer.end.trace().service_s(), 0.05);
  EXPECT_EQ(worker.Jobs("done"), 1);
  EXPECT_GE(worker.Metric("ringway_worker_busy_seconds_total"), 0.05);
  EXPECT_EQ(worker.Metric("ringway_worker_payload_bytes_total"), 7);
}

TEST(WorkerDaemonTest, TheResultDependsOnTheJobAlone) {
  WorkerUnderTest one(kQuick), other(Plus(kQuick, {"--seed", "9"}));
  const std::string result = one.Run("a").result;
  EXPECT_EQ(result.size(), 4096u);
  EXPECT_EQ(result, other.Run("a").result);
  EXPECT_NE(result, one.Run("b").result);
}

TEST(WorkerDaemonTest, APayloadLargerThanAMessageArrivesWhole) {
  WorkerUnderTest worker(kQuick);
  v1::JobHeader header = Header("animate");
  const std::string film(9 << 20, 'f');
  header.set_payload_bytes(film.size());
  EXPECT_EQ(worker.Call().Send(header, film).Await().outcome(), "done");
  EXPECT_EQ(worker.Metric("ringway_worker_payload_bytes_total"), 9 << 20);
  header.set_payload_bytes(film.size() + 1);
  const JobAnswer cut = worker.Call().Send(header, film).Await();
  EXPECT_EQ(cut.outcome(), "rejected");
  EXPECT_THAT(cut.end.message(), HasSubstr("states a payload of 9437185 bytes, but 9437184 arrived"));
}

TEST(WorkerDaemonTest, TheSecondJobIsBusyAtOnceWithAHint) {
  WorkerUnderTest worker(kLong);
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitAccepted());
  const JobAnswer second = worker.Run();
  EXPECT_EQ(second.outcome(), "busy");
  EXPECT_FALSE(second.accepted);
  EXPECT_GT(second.end.retry_after_s(), 100);
  EXPECT_LE(second.end.retry_after_s(), 700);
  EXPECT_EQ(worker.Refused("busy"), 1);
  EXPECT_TRUE(worker.State().busy());
  EXPECT_GT(worker.State().expected_free_s(), 100);
}

TEST(WorkerDaemonTest, AnUploadThatHasNotEndedHoldsTheSlotToo) {
  WorkerUnderTest worker(kQuick);
  JobCall first = worker.Call();
  ASSERT_TRUE(first.SendHeader(Header("animate")).SendChunk("half").AwaitAccepted());
  EXPECT_EQ(worker.Run().outcome(), "busy");
  EXPECT_EQ(first.EndUpload().Await().outcome(), "done");
}

TEST(WorkerDaemonTest, CancellingFreesTheSlot) {
  WorkerUnderTest worker(kLong);
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitStep(1));
  first.Cancel();
  EXPECT_FALSE(first.Await().status.ok());
  EXPECT_TRUE(Eventually([&] { return worker.Jobs("cancelled") == 1; }));
  JobCall second = worker.Call();
  EXPECT_TRUE(second.Send(Header("animate")).AwaitAccepted());
  EXPECT_EQ(worker.Jobs("done"), 0);
}

TEST(WorkerDaemonTest, AWithdrawnJobEndsOverItsStreamAtItsNextStep) {
  WorkerUnderTest worker(kLong);
  v1::JobHeader header = Header("animate");
  header.set_offer("r1/1/7");
  JobCall call = worker.Call();
  ASSERT_TRUE(call.Send(header).AwaitStep(1));
  EXPECT_FALSE(worker.Withdraw("r1/1/6"));
  EXPECT_FALSE(worker.Withdraw("r1/2/7")) << "another life of the router";
  ASSERT_TRUE(call.AwaitStep(3)) << "it goes on";
  EXPECT_TRUE(worker.Withdraw("r1/1/7"));
  const JobAnswer answer = call.Await();
  EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.outcome(), "cancelled");
  EXPECT_FALSE(worker.State().busy());
  EXPECT_EQ(worker.Jobs("cancelled"), 1);
  EXPECT_FALSE(worker.Withdraw("r1/1/7")) << "once more changes nothing";

  header.set_offer("r1/1/8");
  JobCall half = worker.Call();
  ASSERT_TRUE(half.SendHeader(header).SendChunk("half").AwaitAccepted());
  EXPECT_TRUE(worker.Withdraw("r1/1/8"));
  EXPECT_EQ(half.Await().outcome(), "cancelled");
  EXPECT_EQ(worker.Jobs("cancelled"), 2);
}

TEST(WorkerDaemonTest, AWithdrawalWithoutANameIsRefusedAndAJobWithoutOneIsNeverMeant) {
  WorkerUnderTest worker(kLong);
  JobCall call = worker.Call();
  ASSERT_TRUE(call.Send(Header("animate")).AwaitStep(1));
  grpc::ClientContext context;
  v1::WithdrawReply reply;
  const grpc::Status refused = worker.stub().Withdraw(&context, v1::WithdrawRequest(), &reply);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("WithdrawRequest.offer"));
  EXPECT_TRUE(call.AwaitStep(3)) << "it goes on";
}

TEST(WorkerDaemonTest, TheDeadlineEndsTheJob) {
  WorkerUnderTest worker(kLong);
  v1::JobHeader header = Header("animate");
  header.set_deadline_s(0.15);
  const JobAnswer answer = worker.Call().Send(header).Await();
  EXPECT_EQ(answer.outcome(), "timeout");
  EXPECT_THAT(answer.end.message(), HasSubstr("deadline"));
  EXPECT_FALSE(worker.State().busy());
}

TEST(WorkerDaemonTest, WatchersHearEveryChangeAndAHeartbeat) {
  WorkerUnderTest worker(kLong);
  grpc::ClientContext context;
  auto watch = worker.stub().Watch(&context, v1::WatchRequest());
  v1::WorkerState state;
  ASSERT_TRUE(watch->Read(&state));
  EXPECT_FALSE(state.busy());
  EXPECT_EQ(state.worker(), "w1");
  EXPECT_EQ(state.tier(), "animate");
  EXPECT_EQ(state.metrics_address(), worker.process().http());
  JobCall job = worker.Call();
  v1::JobHeader header = Header("animate");
  header.set_lease("L1-1-7");
  ASSERT_TRUE(job.Send(header).AwaitAccepted());
  while (watch->Read(&state) && !state.busy()) {
  }
  EXPECT_EQ(state.lease(), "L1-1-7");
  job.Cancel();
  const double busy_s = state.busy_s_total();
  while (watch->Read(&state) && state.busy()) {
  }
  EXPECT_GT(state.busy_s_total(), busy_s);
  EXPECT_TRUE(watch->Read(&state)) << "nothing changes, and still it speaks";
  context.TryCancel();
}

TEST(WorkerDaemonTest, AReplacedLeaderIsRefusedAndNoLeaseRunsTwice) {
  WorkerUnderTest worker(kQuick);
  const auto offer = [&](const char* lease) {
    v1::JobHeader header = Header("animate");
    header.set_lease(lease);
    return worker.Call().Send(header).Await();
  };
  EXPECT_EQ(offer("L2-1-1").outcome(), "done");
  EXPECT_EQ(offer("L1-9-1").outcome(), "busy");
  EXPECT_EQ(worker.Refused("stale_lease"), 1);
  EXPECT_EQ(offer("L2-1-1").outcome(), "busy");
  EXPECT_EQ(worker.Refused("stale_lease"), 2);
  EXPECT_EQ(offer("L2-1-2").outcome(), "done");
}

TEST(WorkerDaemonTest, ADrainingWorkerFinishesAndAdmitsNothing) {
  WorkerUnderTest worker({"--service-law", "fixed", "--service-mean", "0.4"});
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitAccepted());
  EXPECT_TRUE(worker.Drain(true).draining());
  EXPECT_EQ(HttpGet(worker.process().http(), "/readyz")->status, 503);
  EXPECT_EQ(first.Await().outcome(), "done");
  const JobAnswer refused = worker.Run();
  EXPECT_EQ(refused.outcome(), "busy");
  EXPECT_THAT(refused.end.message(), HasSubstr("draining"));
  EXPECT_FALSE(worker.Drain(false).draining());
  EXPECT_EQ(worker.Run().outcome(), "done");
  EXPECT_EQ(HttpGet(worker.process().http(), "/readyz")->status, 200);
}

TEST(WorkerDaemonTest, SigtermFinishesTheJobThenTheProcessEnds) {
  WorkerUnderTest worker({"--service-law", "fixed", "--service-mean", "0.4"});
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitAccepted());
  worker.process().Signal(SIGTERM);
  ASSERT_TRUE(Eventually([&] { return worker.State().draining(); }));
  EXPECT_EQ(worker.Run().outcome(), "busy");
  EXPECT_EQ(first.Await().outcome(), "done");
  EXPECT_EQ(worker.process().WaitFor(kPatience), 0);
}

TEST(WorkerDaemonTest, SigtermOfAnIdleWorkerIsQuickEvenWhenSomebodyWatches) {
  WorkerUnderTest worker(kQuick);
  grpc::ClientContext context;
  auto watch = worker.stub().Watch(&context, v1::WatchRequest());
  v1::WorkerState state;
  ASSERT_TRUE(watch->Read(&state));
  EXPECT_EQ(worker.process().Terminate(kPatience), 0);
  while (watch->Read(&state)) {
  }
  EXPECT_TRUE(watch->Finish().ok());
}

TEST(WorkerDaemonTest, ADrainThatTakesTooLongCancelsTheJob) {
  WorkerUnderTest worker(Plus(kLong, {"--drain-timeout", "0.2"}));
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitAccepted());
  worker.process().Signal(SIGTERM);
  EXPECT_EQ(first.Await().outcome(), "cancelled");
  EXPECT_EQ(worker.process().WaitFor(kPatience), 0);
}

TEST(WorkerDaemonTest, KillMinusNineBreaksTheCallAndARestartServesAgain) {
  WorkerUnderTest worker(kLong);
  JobCall first = worker.Call();
  ASSERT_TRUE(first.Send(Header("animate")).AwaitStep(1));
  worker.process().Kill();
  const JobAnswer broken = first.Await();
  EXPECT_EQ(broken.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(broken.outcome().empty()) << "nobody can know how it ended";
  worker.process().StartAgain();
  ASSERT_TRUE(Eventually([&] {
    JobCall again = worker.Call();
    return again.Send(Header("animate")).AwaitAccepted();
  }));
}

// On disk soon, though nothing more happens that it would go with; and the whole of it when the process ends.
TEST(WorkerDaemonTest, WhatItIsToldIsRecordedAndComesOutTheSame) {
  const ScratchFolder state;
  WorkerUnderTest worker(Plus(kQuick, {"--state-dir", state.path(), "--journal-mib", "1"}));
  EXPECT_EQ(worker.Run().outcome(), "done");
  std::uint64_t done = 0, quiet = 0;
  const auto replayed = [&] {
    done = quiet = 0;
    const auto report = worker::Replay(
        state.path() + "/journal", [&](Time, const WorkerEvent&, const std::vector<WorkerAction>& actions) {
          for (const WorkerAction& action : actions) {
            const auto* end = std::get_if<EndAttempt>(&action);
            done += end != nullptr && end->outcome == Outcome::kDone;
            quiet += std::holds_alternative<WentQuiet>(action);
          }
        });
    return report.ok() && report->different == 0 && report->torn == 0;
  };
  EXPECT_TRUE(Eventually([&] { return replayed() && done == 1; }));
  EXPECT_EQ(quiet, 0u);
  ASSERT_TRUE(worker.process().Terminate(Seconds(5)).has_value());
  EXPECT_TRUE(replayed());
  EXPECT_EQ(done, 1u);
  EXPECT_EQ(quiet, 1u) << "the last that happened is not there";
}

TEST(WorkerDaemonTest, BrokenRequestsGetAClearAnswerAndHoldNothing) {
  WorkerUnderTest worker(kQuick);
  v1::JobHeader other_tier = Header("upscale"), no_version = Header("animate");
  no_version.set_wire_version(0);
  const JobAnswer tier = worker.Call().Send(other_tier).Await();
  EXPECT_EQ(tier.outcome(), "rejected");
  EXPECT_THAT(tier.end.message(), HasSubstr("is 'upscale', but worker w1 serves 'animate'"));
  EXPECT_THAT(worker.Call().Send(no_version).Await().end.message(), HasSubstr("wire_version is 0"));
  const JobAnswer headless = worker.Call().SendChunk("bytes").EndUpload().Await();
  EXPECT_THAT(headless.end.message(), HasSubstr("must be its header"));
  EXPECT_THAT(worker.Call().EndUpload().Await().end.message(), HasSubstr("carried no job"));
  JobCall twice = worker.Call();
  twice.SendHeader(Header("animate")).SendHeader(Header("animate")).EndUpload();
  EXPECT_THAT(twice.Await().end.message(), HasSubstr("only chunks"));
  EXPECT_FALSE(worker.State().busy());
  EXPECT_EQ(worker.Refused("malformed"), 3);
}

TEST(WorkerDaemonTest, OneThatKeepsFailingRests) {
  WorkerUnderTest worker(Plus(kQuick, {"--fail-rate", "1"}));
  for (int i = 0; i < 3; ++i) {
    const JobAnswer failed = worker.Run();
    EXPECT_EQ(failed.outcome(), "failed");
    EXPECT_THAT(failed.end.message(), HasSubstr("synthetic fault"));
  }
  EXPECT_EQ(worker.Run().outcome(), "busy");
  EXPECT_FALSE(worker.State().healthy());
  EXPECT_EQ(worker.Metric("ringway_worker_healthy"), 0);
}

TEST(WorkerDaemonTest, TwoWorkersCannotShareAPort) {
  WorkerUnderTest worker(kQuick);
  ScratchFolder folder;
  auto second = runtime::ChildProcess::Start(
      {std::string(RINGWAY_BIN_DIR) + "/ringway-worker", "--name", "w2", "--tier", "animate", "--region",
       "paris", "--listen", worker.process().grpc()},
      folder.File("log"));
  ASSERT_TRUE(second.ok());
  const auto status = second->WaitFor(kPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 1);
}

}  // namespace
}  // namespace ringway::live
