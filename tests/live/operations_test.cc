// What an operator orders from the command line about single jobs and workers, with real processes.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ringway/v1/operations.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/cli/run.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// One region without a controller: the router is asked by its address.
struct OneRegion {
  explicit OneRegion(int workers, double service_s = 20)
      : world({.regions = {{"oslo", 1, workers}},
               .service_mean_s = service_s,
               .deadline = "300s",
               .controlled = false}) {}
  cli::Ran Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--router", world.router("oslo-0").grpc()});
    return cli::Ringway(words);
  }
  std::string StateOf(const std::string& worker) {
    for (const char* state : {"idle", "busy", "draining", "unreachable"}) {
      if (Ask({"workers", "--state", state}).out.find(worker + " ") != std::string::npos) return state;
    }
    return "";
  }
  SmallWorld world;
};

v1::JobHeader Long(const std::string& id) {
  v1::JobHeader header = Header(kTier, id);
  header.set_steps(200);  // a worker looks whether it goes on after each
  return header;
}

TEST(OperationsTest, ARunningJobThatIsCancelledFreesItsWorkerAndItsClientIsTold) {
  OneRegion at(1);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.Send(Long("order-1"), "picture");
  ASSERT_TRUE(call.AwaitStep(1));
  EXPECT_THAT(at.Ask({"jobs"}).out,
              AllOf(HasSubstr("order-1"), HasSubstr("running"), HasSubstr("oslo-0-w0")));
  EXPECT_TRUE(Eventually([&] { return at.Ask({"workers"}).out.find("order-1") != std::string::npos; }));
  const cli::Ran cancelled = at.Ask({"cancel", "order-1", "--why", "sent twice"});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  const JobAnswer answer = call.Await();
  EXPECT_EQ(answer.outcome(), "cancelled");
  EXPECT_THAT(answer.end.message(), HasSubstr("cancelled by an operator: sent twice"));
  EXPECT_EQ(answer.end.trace().offers(), 1u) << "it was sent again";
  EXPECT_TRUE(Eventually([&] { return at.StateOf("oslo-0-w0") == "idle"; }));
  EXPECT_THAT(at.Ask({"jobs"}).out, HasSubstr("no such jobs"));
  EXPECT_EQ(at.Ask({"cancel", "order-1"}).code, 0) << "once more changes nothing";
  EXPECT_EQ(
      MetricValue(at.world.worker("oslo-0-w0").http(), "ringway_worker_jobs_total{outcome=\"cancelled\"}"),
      1);
}

TEST(OperationsTest, AWaitingJobIsCancelledAndTheOneThatRunsGoesOn) {
  OneRegion at(1);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall runs = JobCall::ToRouter(*door);
  runs.Send(Long("runs"), "picture");
  ASSERT_TRUE(runs.AwaitStep(1));
  JobCall waits = JobCall::ToRouter(*door);
  waits.Send(Long("waits"), "picture");
  // A job that probes is now and then offered.
  ASSERT_TRUE(Eventually([&] { return at.Ask({"jobs"}).out.find("waits") != std::string::npos; }));
  EXPECT_EQ(at.Ask({"cancel", "waits"}).code, 0);
  const JobAnswer answer = waits.Await();
  EXPECT_EQ(answer.outcome(), "cancelled");
  EXPECT_THAT(answer.end.message(), HasSubstr("cancelled by an operator"));
  EXPECT_THAT(at.Ask({"jobs", "--state", "running"}).out, AllOf(HasSubstr("runs"), Not(HasSubstr("waits"))));
  EXPECT_EQ(at.Ask({"cancel", "runs"}).code, 0);
  EXPECT_EQ(runs.Await().outcome(), "cancelled");
}

TEST(OperationsTest, AJobWhoseUploadIsUnderWayIsCancelledToo) {
  OneRegion at(1);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.SendHeader(Header(kTier, "half-sent")).SendChunk("pict");
  ASSERT_TRUE(Eventually([&] {
    return at.Ask({"jobs", "--state", "uploading"}).out.find("half-sent") != std::string::npos;
  }));
  EXPECT_EQ(at.Ask({"cancel", "half-sent"}).code, 0);
  const JobAnswer answer = call.Await();
  EXPECT_EQ(answer.outcome(), "cancelled");
  EXPECT_THAT(answer.end.message(), HasSubstr("cancelled by an operator"));
  EXPECT_EQ(at.Ask({"cancel", "half-sent"}).code, 0);
}

// Three requests with one key: the first runs, the others wait for what comes of it.
TEST(OperationsTest, AKeyedJobIsCancelledAloneAndItsKeyRunsAgain) {
  SmallWorld world({.regions = {{"oslo", 3, 1}}, .service_mean_s = 20, .deadline = "300s"});
  ASSERT_TRUE(world.AwaitReady());
  const auto ask = [&world](std::vector<std::string> words) {
    words.insert(words.end(), {"--controller", world.controller().grpc()});
    return cli::Ringway(words);
  };
  const auto keyed = [](const std::string& id) {
    v1::JobHeader header = Long(id);
    header.set_idempotency_key("key-1");
    return header;
  };
  const auto oslo0 = world.Door("oslo-0"), oslo1 = world.Door("oslo-1"), oslo2 = world.Door("oslo-2");
  JobCall first = JobCall::ToRouter(*oslo0);
  first.Send(keyed("first"), "picture");
  ASSERT_TRUE(first.AwaitStep(1));
  JobCall second = JobCall::ToRouter(*oslo1), third = JobCall::ToRouter(*oslo2);
  second.Send(keyed("second"), "picture");
  third.Send(keyed("third"), "picture");
  ASSERT_TRUE(Eventually([&] {
    const std::string jobs = ask({"jobs"}).out;
    return jobs.find("second") != std::string::npos && jobs.find("third") != std::string::npos;
  }));

  ASSERT_EQ(ask({"cancel", "second", "--why", "asked twice"}).code, 0);
  const JobAnswer waited = second.Await();
  EXPECT_EQ(waited.outcome(), "cancelled");
  EXPECT_THAT(waited.end.message(), HasSubstr("cancelled by an operator: asked twice"));
  EXPECT_THAT(ask({"jobs", "--state", "running"}).out, HasSubstr("first"));

  ASSERT_EQ(ask({"cancel", "first"}).code, 0);
  const JobAnswer ran = first.Await();
  EXPECT_EQ(ran.outcome(), "cancelled");
  EXPECT_THAT(ran.end.message(), HasSubstr("cancelled by an operator"));
  ASSERT_TRUE(third.AwaitStep(1)) << "nothing came of the key, so the next request runs";
  EXPECT_EQ(ask({"cancel", "first"}).code, 0) << "once more changes nothing";
  EXPECT_THAT(ask({"jobs", "--state", "running"}).out, AllOf(HasSubstr("third"), Not(HasSubstr("first"))));
  ASSERT_EQ(ask({"cancel", "third"}).code, 0);
  EXPECT_EQ(third.Await().outcome(), "cancelled");
  for (const char* id : {"first", "second", "third"}) EXPECT_EQ(world.Completions(id), 0) << id;
  EXPECT_TRUE(Eventually([&] {
    double busy = 0;
    for (const auto& [name, worker] : world.workers()) {
      busy += MetricValue(worker->http(), "ringway_worker_busy").value_or(1);
    }
    return busy == 0;
  })) << "a worker goes on with a job that was cancelled";
}

TEST(OperationsTest, WhatNobodyKnowsIsToldWithTheLikelyName) {
  OneRegion at(1);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.Send(Long("order-4711"), "picture");
  ASSERT_TRUE(call.AwaitStep(1));
  const cli::Ran job = at.Ask({"cancel", "order-4712"});
  EXPECT_EQ(job.code, 1);
  EXPECT_THAT(job.err, AllOf(HasSubstr("no job \"order-4712\""), HasSubstr("did you mean \"order-4711\"?")));
  const cli::Ran worker = at.Ask({"drain", "--worker", "oslo-0-w9"});
  EXPECT_EQ(worker.code, 1);
  EXPECT_THAT(worker.err, AllOf(HasSubstr("no worker"), HasSubstr("did you mean \"oslo-0-w0\"?")));
  EXPECT_EQ(at.StateOf("oslo-0-w0"), "busy");
  EXPECT_EQ(at.Ask({"cancel", "order-4711"}).code, 0);
  EXPECT_EQ(call.Await().outcome(), "cancelled");
}

TEST(OperationsTest, AJobThatHadEndedCannotBeCancelled) {
  OneRegion at(1, 0.05);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  ASSERT_EQ(JobCall::ToRouter(*door).Send(Header(kTier, "quick"), "picture").Await().outcome(), "done");
  const cli::Ran late = at.Ask({"cancel", "quick"});
  EXPECT_EQ(late.code, 1);
  EXPECT_THAT(late.out, HasSubstr("had ended before: done"));
}

// Oslo has users and no workers: its router sends the job to Paris, and both list it.
TEST(OperationsTest, AForwardedJobIsOneLineAndIsCancelledWhereItRuns) {
  SmallWorld world({.regions = {{"oslo", 1, 0}, {"paris", 1, 1}}, .service_mean_s = 20, .deadline = "300s"});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.Send(Long("far"), "picture");
  ASSERT_TRUE(call.AwaitStep(1));
  const cli::Ran jobs = cli::Ringway({"jobs", "--controller", world.controller().grpc()});
  EXPECT_THAT(jobs.out, AllOf(HasSubstr("running"), HasSubstr("paris-0-w0")));
  const std::vector<std::string> lines = absl::StrSplit(jobs.out, '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.size(), 2u) << jobs.out;
  EXPECT_EQ(cli::Ringway({"cancel", "far", "--router", world.router("paris-0").grpc()}).code, 0);
  const JobAnswer answer = call.Await();
  EXPECT_EQ(answer.outcome(), "cancelled");
  EXPECT_THAT(answer.end.message(), HasSubstr("cancelled by an operator"));
  EXPECT_TRUE(
      Eventually([&] { return MetricValue(world.worker("paris-0-w0").http(), "ringway_worker_busy") == 0; }));
}

TEST(OperationsTest, ADrainedWorkerFinishesItsJobGetsNoOtherAndComesBack) {
  OneRegion at(2, 0.4);
  ASSERT_TRUE(at.world.AwaitReady());
  const auto door = at.world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.Send(Header(kTier, "in-flight"), "picture");
  ASSERT_TRUE(call.AwaitAccepted());
  std::string worker;
  ASSERT_TRUE(Eventually([&] {
    for (const char* name : {"oslo-0-w0", "oslo-0-w1"}) {
      if (MetricValue(at.world.worker(name).http(), "ringway_worker_busy") == 1) worker = name;
    }
    return !worker.empty();
  }));
  const cli::Ran drained = at.Ask({"drain", "--worker", worker, "--why", "memory errors"});
  EXPECT_EQ(drained.code, 0) << drained.err;
  EXPECT_THAT(drained.out, HasSubstr(worker + " drains"));
  EXPECT_EQ(call.Await().outcome(), "done");
  EXPECT_TRUE(Eventually([&] { return at.StateOf(worker) == "draining"; }));
  for (int i = 0; i < 4; ++i) {
    const JobAnswer answer = JobCall::ToRouter(*door).Send(Header(kTier), "picture").Await();
    EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
    EXPECT_NE(answer.end.trace().worker(), worker);
  }
  EXPECT_EQ(at.Ask({"undrain", "--worker", worker}).code, 0);
  EXPECT_TRUE(Eventually([&] {
    JobCall one = JobCall::ToRouter(*door), two = JobCall::ToRouter(*door);
    one.Send(Header(kTier), "picture");
    two.Send(Header(kTier), "picture");
    const bool first = one.Await().end.trace().worker() == worker;
    return two.Await().end.trace().worker() == worker || first;
  })) << "it gets no job again";
}

TEST(OperationsTest, AHostIsDrainedAndADrainForAWhileEndsByItself) {
  OneRegion at(2);
  ASSERT_TRUE(at.world.AwaitReady());
  const std::string address = at.world.worker("oslo-0-w1").grpc();
  const std::string host = address.substr(0, address.rfind(':'));
  EXPECT_THAT(at.Ask({"names", "hosts"}).out, HasSubstr(host + "\n"));
  EXPECT_THAT(at.Ask({"names", "workers"}).out, HasSubstr("oslo-0-w0\noslo-0-w1\n"));
  EXPECT_EQ(at.Ask({"drain", "--host", host}).code, 0);
  EXPECT_TRUE(Eventually([&] { return at.StateOf("oslo-0-w1") == "draining"; }));
  EXPECT_EQ(at.StateOf("oslo-0-w0"), "idle") << "of another host";
  // The last order counts.
  const cli::Ran drained = at.Ask({"drain", "--host", host, "--for", "2s"});
  EXPECT_EQ(drained.code, 0) << drained.err;
  EXPECT_THAT(drained.out, HasSubstr("serves again in 2 s"));
  EXPECT_TRUE(Eventually([&] { return at.StateOf("oslo-0-w1") == "idle"; }));
}

TEST(OperationsTest, AWorkerThatIsGoneIsUnreachableAndTakesNoOrder) {
  OneRegion at(2);
  ASSERT_TRUE(at.world.AwaitReady());
  at.world.worker("oslo-0-w1").Kill();
  EXPECT_TRUE(Eventually([&] { return at.StateOf("oslo-0-w1") == "unreachable"; }));
  const cli::Ran drained = at.Ask({"drain", "--worker", "oslo-0-w1"});
  EXPECT_EQ(drained.code, 1);
  EXPECT_THAT(drained.out, HasSubstr("did not take the order: it cannot be reached"));
}

TEST(OperationsTest, AStrangerIsRefusedAndChangesNothing) {
  const ScratchFolder folder;
  const std::string token = folder.File("token"), wrong = folder.File("wrong");
  std::ofstream(token) << "the-token-of-this-fleet\n";
  std::ofstream(wrong) << "the-token-of-another-fleet\n";
  const std::vector<std::string> flags = {"--fleet-token-file", token};
  SmallWorld world(
      {.regions = {{"oslo", 1, 1}}, .worker_flags = flags, .router_flags = flags, .controlled = false});
  ASSERT_TRUE(world.AwaitReady());
  const std::string router = world.router("oslo-0").grpc();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"workers"}, {"jobs"}, {"cancel", "x"}, {"drain", "--worker", "oslo-0-w0"}}) {
    std::vector<std::string> with = words;
    with.insert(with.end(), {"--router", router});
    const cli::Ran without = cli::Ringway(with);
    EXPECT_EQ(without.code, 4) << words[0] << without.out << without.err;
    with.insert(with.end(), {"--fleet-token-file", wrong});
    const cli::Ran refused = cli::Ringway(with);
    EXPECT_EQ(refused.code, 4) << words[0];
    EXPECT_THAT(refused.err, HasSubstr("--fleet-token-file or RINGWAY_FLEET_TOKEN give the fleet's token"));
  }
  EXPECT_EQ(MetricValue(world.worker("oslo-0-w0").http(), "ringway_worker_draining").value_or(-1), 0);
  const cli::Ran admitted =
      cli::Ringway({"drain", "--worker", "oslo-0-w0", "--router", router, "--fleet-token-file", token});
  EXPECT_EQ(admitted.code, 0) << admitted.err;
}

// It announces itself and never answers an order.
class SilentWorker final : public v1::Worker::Service {
 public:
  SilentWorker() : server_(runtime::GrpcServer::Start("127.0.0.1:0", {this})) {}
  const std::string& address() const { return server_->address(); }
  int orders() const { return orders_; }
  int broken_off() const { return broken_off_; }

 private:
  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchRequest*,
                     grpc::ServerWriter<v1::WorkerState>* stream) override {
    v1::WorkerState state;
    state.set_wire_version(1);
    state.set_worker("silent");
    state.set_tier(kTier);
    state.set_healthy(true);
    while (!context->IsCancelled() && stream->Write(state)) {
      state.set_sequence(state.sequence() + 1);
      absl::SleepFor(Milliseconds(100));
    }
    return grpc::Status::OK;
  }
  grpc::Status Drain(grpc::ServerContext* context, const v1::DrainRequest*, v1::WorkerState*) override {
    ++orders_;
    while (!context->IsCancelled()) absl::SleepFor(Milliseconds(5));
    ++broken_off_;
    return grpc::Status::CANCELLED;
  }

  std::atomic<int> orders_{0}, broken_off_{0};
  absl::StatusOr<runtime::GrpcServer> server_;  // goes first
};

TEST(OperationsTest, ARouterThatStopsEndsTheOrdersThatAreUnderWay) {
  const ScratchFolder folder;
  SilentWorker worker;
  DaemonProcess router(
      folder, {"ringway-router", "r1", {"--name", "r1", "--region", "oslo", "--worker", worker.address()}});
  const auto stub = v1::Operations::NewStub(runtime::MakeChannel(router.grpc()));
  ASSERT_TRUE(Eventually([&] {
    return cli::Ringway({"workers", "--state", "idle", "--router", router.grpc()}).out.find("silent") !=
           std::string::npos;
  })) << router.Log();
  auto ended = std::async(std::launch::async, [&stub] {
    grpc::ClientContext context;
    v1::DrainWorkersRequest request;
    request.set_worker("silent");
    request.set_drain(true);
    v1::DrainWorkersReply reply;
    return stub->DrainWorkers(&context, request, &reply);
  });
  ASSERT_TRUE(Eventually([&] { return worker.orders() == 1; }));
  router.Signal(SIGTERM);
  const auto code = router.WaitFor(Seconds(30));
  ASSERT_TRUE(code.has_value()) << router.Log();
  EXPECT_EQ(*code, 0) << router.Log();
  EXPECT_EQ(ended.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_TRUE(Eventually([&] { return worker.broken_off() == 1; }));
}

}  // namespace
}  // namespace ringway::live
