// The router as a process: real sockets, real workers, no controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "ringway/v1/trace.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

DaemonSpec WorkerSpec(const std::string& name, const std::string& mean_s = "0.05") {
  return {.program = "ringway-worker",
          .name = name,
          .arguments = {"--name", name, "--tier", "animate", "--region", "home", "--service-mean", mean_s,
                        "--service-law", "fixed"}};
}

DaemonSpec RouterSpec(const std::string& name, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"--name", name, "--region", "home"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {.program = "ringway-router", .name = name, .arguments = std::move(arguments)};
}

class RouterDaemon : public ::testing::Test {
 protected:
  // A router with the given workers beside it, whose tier it has learnt.
  DaemonProcess& StartRouter(std::vector<const DaemonProcess*> workers, std::vector<std::string> more = {}) {
    for (const DaemonProcess* worker : workers) {
      more.push_back("--worker");
      more.push_back(worker->grpc());
    }
    router_.emplace(folder_, RouterSpec("r1", more));
    stub_ = v1::Ingress::NewStub(runtime::MakeChannel(router_->grpc()));
    EXPECT_TRUE(workers.empty() || Eventually([&] {
                  return MetricValue(router_->http(), "ringway_router_workers{tier=\"animate\"}") ==
                         static_cast<double>(workers.size());
                }))
        << router_->Log();
    return *router_;
  }
  JobAnswer Submit(const v1::JobHeader& header, std::string_view payload = "photo") {
    return JobCall::ToRouter(*stub_).Send(header, payload).Await();
  }

  ScratchFolder folder_;
  std::optional<DaemonProcess> router_;
  std::unique_ptr<v1::Ingress::Stub> stub_;
};

TEST_F(RouterDaemon, AJobRunsAndTellsItsStory) {
  DaemonProcess worker(folder_, WorkerSpec("w1"));
  StartRouter({&worker});
  const JobAnswer answer = Submit(Header("animate", "job-1"));
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_TRUE(answer.accepted);
  EXPECT_FALSE(answer.result.empty());
  EXPECT_EQ(answer.end.result_bytes(), answer.result.size());
  const v1::JobTrace& trace = answer.end.trace();
  EXPECT_EQ(trace.request_id(), "job-1");
  EXPECT_EQ(trace.worker(), "w1");
  EXPECT_EQ(trace.router(), "r1");
  EXPECT_EQ(trace.region(), "home");
  EXPECT_EQ(trace.source_region(), "home");
  EXPECT_EQ(trace.offers(), 1u);
  EXPECT_GE(trace.service_s(), 0.04);
}

TEST_F(RouterDaemon, TheStoryOfAJobIsRememberedAndCounted) {
  DaemonProcess worker(folder_, WorkerSpec("w1"));
  StartRouter({&worker});
  ASSERT_EQ(Submit(Header("animate", "job-7")).outcome(), "done");
  const auto traces = v1::Traces::NewStub(runtime::MakeChannel(router_->grpc()));
  v1::TellRequest request;
  v1::TellReply told;
  request.set_request_id("job-7");
  grpc::ClientContext context;
  ASSERT_TRUE(traces->Tell(&context, request, &told).ok());
  ASSERT_EQ(told.traces_size(), 1);
  const v1::RequestTrace& trace = told.traces(0);
  std::vector<std::string> whats;
  for (const v1::TraceStep& step : trace.steps()) whats.push_back(step.what() + " " + step.whom());
  EXPECT_THAT(whats, ::testing::ElementsAre("offered w1", "accepted w1", "answered w1"));
  EXPECT_EQ(trace.end().outcome(), "done");
  EXPECT_EQ(trace.end().trace().worker(), "w1");
  EXPECT_GE(trace.took_s(), 0.04);
  request.set_request_id("job-8");
  grpc::ClientContext another;
  ASSERT_TRUE(traces->Tell(&another, request, &told).ok());
  EXPECT_EQ(told.traces_size(), 0);
  v1::TotalsReply totals;
  grpc::ClientContext third;
  ASSERT_TRUE(traces->Totals(&third, v1::TotalsRequest(), &totals).ok());
  EXPECT_EQ(totals.ended(), 1u);
  EXPECT_EQ(totals.started(), 1u);
  EXPECT_EQ(totals.offers(), 1u);
}

TEST_F(RouterDaemon, APhotoOfTenMegabytesPasses) {
  DaemonProcess worker(folder_, WorkerSpec("w1"));
  StartRouter({&worker});
  const std::string photo(10 << 20, 'p');
  const JobAnswer answer = Submit(Header("animate"), photo);
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
}

TEST_F(RouterDaemon, JobsWaitForTheOneWorker) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "0.1"));
  StartRouter({&worker});
  JobCall first = JobCall::ToRouter(*stub_);
  JobCall second = JobCall::ToRouter(*stub_);
  JobCall third = JobCall::ToRouter(*stub_);
  first.Send(Header("animate"), "a");
  second.Send(Header("animate"), "b");
  third.Send(Header("animate"), "c");
  EXPECT_EQ(first.Await().outcome(), "done");
  EXPECT_EQ(second.Await().outcome(), "done");
  EXPECT_EQ(third.Await().outcome(), "done");
  EXPECT_EQ(MetricValue(router_->http(),
                        "ringway_router_requests_total{outcome=\"done\",tier=\"animate\",via=\"client\"}"),
            3);
}

TEST_F(RouterDaemon, WhatCannotFinishIsRefusedAtOnce) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "2"));
  StartRouter({&worker});
  v1::JobHeader header = Header("animate");
  header.set_deadline_s(0.1);  // a job of this tier takes 5 s, as far as the router knows
  const JobAnswer answer = Submit(header);
  EXPECT_EQ(answer.outcome(), "timeout");
  EXPECT_THAT(answer.end.message(), HasSubstr("cannot finish in time"));
}

TEST_F(RouterDaemon, AClientThatLeavesFreesTheWorker) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "20"));
  StartRouter({&worker});
  {
    JobCall call = JobCall::ToRouter(*stub_);
    call.Send(Header("animate"), "a");
    ASSERT_TRUE(call.AwaitAccepted());
    call.Cancel();
    EXPECT_FALSE(call.Await().status.ok());
  }
  EXPECT_TRUE(Eventually(
      [&] { return MetricValue(worker.http(), "ringway_worker_jobs_total{outcome=\"cancelled\"}") == 1; }));
  EXPECT_TRUE(Eventually([&] { return MetricValue(router_->http(), "ringway_router_calls") == 0; }));
}

// Whether the router says that it has the job that was forwarded as this attempt.
bool Withdraw(v1::Peer::Stub& peer, const std::string& attempt) {
  grpc::ClientContext context;
  v1::WithdrawRequest request;
  request.set_offer(attempt);
  v1::WithdrawReply reply;
  EXPECT_TRUE(peer.Withdraw(&context, request, &reply).ok());
  return reply.known();
}

v1::JobHeader Forwarded(const std::string& attempt) {
  v1::JobHeader header = Header("animate");
  header.set_offer(attempt);
  header.set_source_region("home");
  header.set_hops(1);
  return header;
}

// A signal takes its time to reach every thread.
bool StandsStill(const DaemonProcess& process) {
  for (const auto& thread :
       std::filesystem::directory_iterator(absl::StrCat("/proc/", process.pid(), "/task"))) {
    std::string stat;
    std::getline(std::ifstream(thread.path() / "stat"), stat);
    if (stat.substr(stat.rfind(')') + 1, 2) != " T") return false;
  }
  return true;
}

TEST_F(RouterDaemon, AForwardedJobIsWithdrawnByItsAttemptAndEndsWhenTheWorkerHasStopped) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "20"));
  StartRouter({&worker});
  const auto peer = v1::Peer::NewStub(runtime::MakeChannel(router_->grpc()));
  JobCall runs = JobCall::ToPeer(*peer), waits = JobCall::ToPeer(*peer);
  v1::JobHeader header = Forwarded("r9/1/7");
  header.set_steps(50);
  ASSERT_TRUE(runs.Send(header, "a").AwaitStep(1));
  EXPECT_FALSE(Withdraw(*peer, "r9/1/8"));

  waits.Send(Forwarded("r9/1/8"), "b");
  EXPECT_TRUE(Eventually([&] { return Withdraw(*peer, "r9/1/8"); }));
  EXPECT_EQ(waits.Await().outcome(), "cancelled");

  ASSERT_TRUE(runs.AwaitStep(2)) << "the other one goes on";
  worker.Signal(SIGSTOP);
  ASSERT_TRUE(Eventually([&] { return StandsStill(worker); }));
  EXPECT_TRUE(Withdraw(*peer, "r9/1/7"));
  EXPECT_TRUE(Withdraw(*peer, "r9/1/7")) << "the worker has not said yet that it stopped";
  worker.Signal(SIGCONT);
  const JobAnswer answer = runs.Await();
  EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.outcome(), "cancelled") << answer.end.message();
  EXPECT_EQ(answer.end.trace().offers(), 1u) << "it was sent again";
  EXPECT_EQ(MetricValue(worker.http(), "ringway_worker_jobs_total{outcome=\"cancelled\"}"), 1)
      << "the end came before the worker had stopped";
  EXPECT_FALSE(Withdraw(*peer, "r9/1/7"));
}

TEST_F(RouterDaemon, AnUploadIsWithdrawnTooAndClientsNameNoAttempts) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "20"));
  StartRouter({&worker});
  const auto peer = v1::Peer::NewStub(runtime::MakeChannel(router_->grpc()));
  JobCall half = JobCall::ToPeer(*peer);
  half.SendHeader(Forwarded("r9/1/9")).SendChunk("ph");
  EXPECT_TRUE(Eventually([&] { return Withdraw(*peer, "r9/1/9"); }));
  const JobAnswer given_up = half.Await();
  EXPECT_EQ(given_up.outcome(), "cancelled");
  EXPECT_THAT(given_up.end.message(), HasSubstr("wants it no more"));
  EXPECT_FALSE(Withdraw(*peer, "r9/1/9"));

  JobCall client = JobCall::ToRouter(*stub_);
  ASSERT_TRUE(client.Send(Forwarded("r9/1/10"), "a").AwaitAccepted());
  EXPECT_FALSE(Withdraw(*peer, "r9/1/10"));
  grpc::ClientContext context;
  v1::WithdrawReply reply;
  const grpc::Status refused = peer->Withdraw(&context, v1::WithdrawRequest(), &reply);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("WithdrawRequest.offer"));
}

TEST_F(RouterDaemon, AWorkerThatDiesMidJob) {
  for (const bool keyed : {false, true}) {
    DaemonProcess doomed(folder_, WorkerSpec(keyed ? "w1k" : "w1", "20"));
    StartRouter({&doomed});
    v1::JobHeader header = Header("animate");
    if (keyed) header.set_idempotency_key("key-1");
    JobCall call = JobCall::ToRouter(*stub_);
    call.Send(header, "a");
    ASSERT_TRUE(call.AwaitStep(1));
    if (keyed) {
      // It comes back on the same address, as under a supervisor, and gets the job a second time.
      doomed.Kill();
      doomed.StartAgain();
      ASSERT_TRUE(Eventually([&] { return MetricValue(doomed.http(), "ringway_worker_busy") == 1; }));
      doomed.Kill();
    } else {
      doomed.Kill();
    }
    const JobAnswer answer = call.Await();
    EXPECT_EQ(answer.outcome(), "failed");
    EXPECT_THAT(answer.end.message(),
                HasSubstr(keyed ? "had been started again once" : "without an idempotency key"));
    router_->Kill();
  }
}

TEST_F(RouterDaemon, SigtermFinishesTheJobAndAdmitsNoOther) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "0.8"));
  StartRouter({&worker});
  JobCall call = JobCall::ToRouter(*stub_);
  call.Send(Header("animate"), "a");
  ASSERT_TRUE(call.AwaitAccepted());
  router_->Signal(SIGTERM);
  ASSERT_TRUE(Eventually([&] { return HttpGet(router_->http(), "/readyz")->status == 503; }));
  JobCall late = JobCall::ToRouter(*stub_);
  late.Send(Header("animate"), "b");
  const JobAnswer refused = late.Await();
  EXPECT_TRUE(!refused.status.ok() || refused.outcome() == "shed") << refused.outcome();
  EXPECT_EQ(call.Await().outcome(), "done");
  EXPECT_EQ(router_->WaitFor(Seconds(10)), 0);
}

struct Broken {
  const char* name;
  void (*make)(v1::JobHeader&);
  const char* says;
};

TEST_F(RouterDaemon, BrokenRequestsAreToldWhatIsWrong) {
  DaemonProcess worker(folder_, WorkerSpec("w1", "0.01"));
  StartRouter({&worker});
  const Broken cases[] = {
      {"unknown tier", [](v1::JobHeader& h) { h.set_tier("upscale"); }, "this fleet serves: animate"},
      {"unknown priority", [](v1::JobHeader& h) { h.set_priority("urgent"); }, "has: interactive"},
      {"no wire version", [](v1::JobHeader& h) { h.set_wire_version(0); }, "wire_version"},
      {"wire version of the future", [](v1::JobHeader& h) { h.set_wire_version(99); }, "wire_version"},
      {"negative deadline", [](v1::JobHeader& h) { h.set_deadline_s(-1); }, "deadline_s"},
      {"deadline not a number", [](v1::JobHeader& h) { h.set_deadline_s(NAN); }, "deadline_s"},
      {"endless deadline", [](v1::JobHeader& h) { h.set_deadline_s(INFINITY); }, "deadline_s"},
      {"deadline in a year", [](v1::JobHeader& h) { h.set_deadline_s(3e7); }, "deadline_s"},
      {"negative age", [](v1::JobHeader& h) { h.set_age_s(-5); }, "age_s"},
      {"age not a number", [](v1::JobHeader& h) { h.set_age_s(NAN); }, "age_s"},
      {"giant id", [](v1::JobHeader& h) { h.set_request_id(std::string(5000, 'x')); }, "request_id"},
      {"giant tenant", [](v1::JobHeader& h) { h.set_tenant(std::string(5000, 'x')); }, "tenant"},
      {"giant key", [](v1::JobHeader& h) { h.set_idempotency_key(std::string(257, 'x')); },
       "idempotency_key"},
      {"giant prompt", [](v1::JobHeader& h) { h.set_prompt(std::string(70000, 'x')); }, "prompt"},
      {"line feed in an id", [](v1::JobHeader& h) { h.set_request_id("a\nb"); }, "control character"},
      {"too many hops", [](v1::JobHeader& h) { h.set_hops(1000); }, "hops"},
      {"nameless parameter", [](v1::JobHeader& h) { (*h.mutable_parameters())[""] = "x"; }, "parameters"},
      {"too many parameters",
       [](v1::JobHeader& h) {
         for (int i = 0; i < 100; ++i) (*h.mutable_parameters())["p" + std::to_string(i)] = "x";
       },
       "parameters"},
      {"another payload than stated", [](v1::JobHeader& h) { h.set_payload_bytes(7); }, "payload_bytes"},
  };
  for (const Broken& c : cases) {
    v1::JobHeader header = Header("animate");
    c.make(header);
    const JobAnswer answer = Submit(header);
    EXPECT_EQ(answer.outcome(), "rejected") << c.name;
    EXPECT_THAT(answer.end.message(), HasSubstr(c.says)) << c.name;
  }
  EXPECT_THAT(JobCall::ToRouter(*stub_).SendChunk("x").EndUpload().Await().end.message(),
              HasSubstr("first message of a job must be its header"));
  EXPECT_THAT(JobCall::ToRouter(*stub_).EndUpload().Await().end.message(), HasSubstr("carried no job"));
  EXPECT_THAT(JobCall::ToRouter(*stub_)
                  .SendHeader(Header("animate"))
                  .SendHeader(Header("animate"))
                  .EndUpload()
                  .Await()
                  .end.message(),
              HasSubstr("only chunks"));
  EXPECT_THAT(JobCall::ToRouter(*stub_)
                  .SendHeader(Header("animate"))
                  .SendChunk(std::string(300 << 10, 'x'))
                  .EndUpload()
                  .Await()
                  .end.message(),
              HasSubstr("a chunk is"));
  // Above the message bound of gRPC itself.
  EXPECT_FALSE(JobCall::ToRouter(*stub_)
                   .SendHeader(Header("animate"))
                   .SendChunk(std::string(3 << 20, 'x'))
                   .EndUpload()
                   .Await()
                   .status.ok());
  EXPECT_EQ(Submit(Header("animate")).outcome(), "done") << "and it still serves";
}

TEST_F(RouterDaemon, WithoutAnybodyItSaysSo) {
  StartRouter({});
  const JobAnswer answer = Submit(Header("animate"));
  EXPECT_EQ(answer.outcome(), "rejected");
  EXPECT_THAT(answer.end.message(), HasSubstr("neither a controller, nor a topology"));
}

TEST_F(RouterDaemon, WrongFlagsAreNamed) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Case& c : {Case{{"--listen", "nowhere"}, "--listen"}, Case{{"--worker", "12"}, "--worker"},
                        Case{{"--jobs-max", "0"}, "--jobs-max is 0"},
                        Case{{"--topology", "/no/such/file.yaml"}, "/no/such/file.yaml"},
                        Case{{"--log-level", "loud"}, "--log-level is 'loud'"}}) {
    std::string command = std::string(RINGWAY_BIN_DIR) + "/ringway-router --name r --region home";
    for (const std::string& a : c.arguments) command += " " + a;
    command += " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    char buffer[512];
    while (fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
    EXPECT_NE(pclose(pipe), 0) << c.says;
    EXPECT_THAT(output, HasSubstr(c.says));
  }
}

}  // namespace
}  // namespace ringway::live
