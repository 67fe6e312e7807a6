// The fleet's token, with real processes: what a stranger at the ports is told, and that everything else goes
// on as it did.
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ringway/v1/control.grpc.pb.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "ringway/v1/once.grpc.pb.h"
#include "ringway/v1/operations.grpc.pb.h"
#include "ringway/v1/trace.grpc.pb.h"
#include "ringway/v1/videos.grpc.pb.h"
#include "runtime/child_process.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

constexpr char kToken[] = "the-token-of-this-fleet";

// Two regions in ledger mode whose programs all have the same token.
struct GuardedWorld {
  GuardedWorld() : token(folder.File("token")), world(Plan()) {}
  WorldPlan Plan() {
    std::ofstream(token) << kToken << "\n";
    const std::vector<std::string> flags = {"--fleet-token-file", token};
    return {.regions = {{"oslo", 2, 1}, {"rome", 1, 1}},
            .service_mean_s = 0.05,
            .dispatch = "{mode: ledger}",
            .worker_flags = flags,
            .router_flags = flags,
            .controller_flags = flags};
  }
  ScratchFolder folder;
  const std::string token;
  SmallWorld world;
};

std::unique_ptr<grpc::ClientContext> Context() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  return context;
}

// The status of a stream on which nothing is sent.
template <class Stream>
grpc::Status EndOf(std::unique_ptr<Stream> stream) {
  stream->WritesDone();
  return stream->Finish();
}

using Calls = std::map<std::string, std::function<grpc::Status()>>;

Calls CallsToWorker(const std::shared_ptr<grpc::Channel>& channel) {
  const std::shared_ptr<v1::Worker::Stub> worker = v1::Worker::NewStub(channel);
  return {{"Worker.Drain",
           [=] {
             v1::DrainRequest drain;
             drain.set_drain(true);
             v1::WorkerState state;
             return worker->Drain(Context().get(), drain, &state);
           }},
          {"Worker.RaiseFence",
           [=] {
             v1::FenceRequest fence;
             fence.set_leader_epoch(1);
             fence.set_appointment(1000);
             fence.set_upto("L1-1000-1");
             v1::WorkerState state;
             return worker->RaiseFence(Context().get(), fence, &state);
           }},
          {"Worker.Withdraw",
           [=] {
             v1::WithdrawRequest withdraw;
             withdraw.set_offer("nobody/1/1");
             v1::WithdrawReply reply;
             return worker->Withdraw(Context().get(), withdraw, &reply);
           }},
          {"Worker.Run", [=] {
             const auto context = Context();
             auto stream = worker->Run(context.get());
             return EndOf(std::move(stream));
           }}};
}

Calls CallsToRouter(const std::shared_ptr<grpc::Channel>& channel) {
  return {{"Peer.Forward",
           [=] {
             const auto context = Context();
             return EndOf(v1::Peer::NewStub(channel)->Forward(context.get()));
           }},
          {"Peer.Withdraw",
           [=] {
             v1::WithdrawRequest withdraw;
             withdraw.set_offer("nobody/1/1");
             v1::WithdrawReply reply;
             return v1::Peer::NewStub(channel)->Withdraw(Context().get(), withdraw, &reply);
           }},
          {"Ledger.Connect",
           [=] {
             const auto context = Context();
             return EndOf(v1::Ledger::NewStub(channel)->Connect(context.get()));
           }},
          {"Once.Ask",
           [=] {
             v1::OnceRequest ask;
             ask.set_wire_version(1);
             ask.mutable_pull()->set_replica(1);
             v1::OnceReply reply;
             return v1::Once::NewStub(channel)->Ask(Context().get(), ask, &reply);
           }},
          {"Traces.Totals",
           [=] {
             v1::TotalsReply reply;
             return v1::Traces::NewStub(channel)->Totals(Context().get(), v1::TotalsRequest(), &reply);
           }},
          {"Operations.DrainWorkers",
           [=] {
             v1::DrainWorkersRequest drain;
             drain.set_worker("oslo-0-w0");
             drain.set_drain(true);
             v1::DrainWorkersReply reply;
             return v1::Operations::NewStub(channel)->DrainWorkers(Context().get(), drain, &reply);
           }},
          {"Operations.Cancel",
           [=] {
             v1::CancelRequest cancel;
             cancel.set_job("any");
             v1::CancelReply reply;
             return v1::Operations::NewStub(channel)->Cancel(Context().get(), cancel, &reply);
           }},
          {"Videos.Where", [=] {
             v1::VideosWhere where;
             where.set_wire_version(1);
             v1::VideosPlace place;
             return v1::Videos::NewStub(channel)->Where(Context().get(), where, &place);
           }}};
}

Calls CallsToController(const std::shared_ptr<grpc::Channel>& channel) {
  return {{"Control.Connect", [=] {
             const auto context = Context();
             return EndOf(v1::Control::NewStub(channel)->Connect(context.get()));
           }}};
}

void ExpectAll(const Calls& calls, grpc::StatusCode code) {
  for (const auto& [name, call] : calls) {
    const grpc::Status status = call();
    EXPECT_EQ(status.error_code(), code) << name << ": " << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("--fleet-token-file")) << name;
  }
}

TEST(FleetTokenTest, AStrangerReachesTheIngressAndNothingElse) {
  GuardedWorld guarded;
  SmallWorld& world = guarded.world;
  ASSERT_TRUE(world.AwaitReady());
  const std::string worker = world.worker("oslo-0-w0").grpc();
  const std::string router = world.router("oslo-0").grpc();
  const std::string controller = world.controller().grpc();
  ExpectAll(CallsToWorker(runtime::MakeChannel(worker)), grpc::StatusCode::UNAUTHENTICATED);
  ExpectAll(CallsToRouter(runtime::MakeChannel(router)), grpc::StatusCode::UNAUTHENTICATED);
  ExpectAll(CallsToController(runtime::MakeChannel(controller)), grpc::StatusCode::UNAUTHENTICATED);
  const auto wrong = [](const std::string& address) {
    return runtime::MakeChannel(address, runtime::kMessageBytesMax, "the-token-of-another-fleet");
  };
  ExpectAll(CallsToWorker(wrong(worker)), grpc::StatusCode::PERMISSION_DENIED);
  ExpectAll(CallsToRouter(wrong(router)), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(world.worker("oslo-0-w0").Log(), HasSubstr("without the right token"));
  // Nothing of this has done anything: the job of a client without a token runs.
  const JobAnswer answer =
      JobCall::ToRouter(*world.Door("oslo-0")).Send(Header(kTier, "after"), "picture").Await();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_EQ(MetricValue(world.worker("oslo-0-w0").http(), "ringway_worker_draining").value_or(-1), 0);
}

TEST(FleetTokenTest, ProgramsOfTheFleetServeEachOtherWithIt) {
  GuardedWorld guarded;
  SmallWorld& world = guarded.world;
  ASSERT_TRUE(world.AwaitReady());
  // Keyed, so that routers ask each other about the key; more than one at a time, so that the ledger counts.
  std::vector<JobCall> calls;
  const auto door = world.Door("oslo-1");
  for (int i = 0; i < 6; ++i) {
    v1::JobHeader header = Header(kTier, absl::StrCat("keyed-", i));
    header.set_idempotency_key(absl::StrCat("key-", i));
    calls.push_back(JobCall::ToRouter(*door));
    calls.back().Send(header, "picture");
  }
  for (JobCall& call : calls) {
    const JobAnswer answer = call.Await();
    EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  }
  for (const char* router : {"oslo-0", "oslo-1"}) {
    EXPECT_TRUE(Eventually([&] {
      return MetricValue(world.router(router).http(),
                         absl::StrCat("ringway_router_ledger_reached{tier=\"", kTier, "\"}")) == 1;
    })) << router;
  }
  // With the token, what a stranger may not do works.
  const auto channel =
      runtime::MakeChannel(world.worker("rome-0-w0").grpc(), runtime::kMessageBytesMax, kToken);
  EXPECT_TRUE(CallsToWorker(channel).at("Worker.Drain")().ok());
}

TEST(FleetTokenTest, NoProgramListensOffLoopbackWithoutAToken) {
  const ScratchFolder folder;
  const std::string topology = folder.File("world.yaml");
  const std::map<std::string, std::vector<std::string>> programs = {
      {"ringway-worker", {"--name", "w", "--tier", "t", "--region", "r"}},
      {"ringway-router", {"--name", "r", "--region", "r"}},
      {"ringway-controller", {"--topology", topology}}};
  for (const auto& [program, flags] : programs) {
    std::vector<std::string> arguments = {Program(program), "--listen", "0.0.0.0:0", "--http", "127.0.0.1:0"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const std::string log = folder.File(program + ".log");
    auto process = runtime::ChildProcess::Start(arguments, log);
    ASSERT_TRUE(process.ok()) << process.status();
    const auto ended = process->WaitFor(Seconds(10));
    ASSERT_TRUE(ended) << program << " listens off loopback without a token";
    EXPECT_EQ(WEXITSTATUS(*ended), 2) << program;
    std::ifstream said(log);
    const std::string text(std::istreambuf_iterator<char>(said), {});
    EXPECT_THAT(text, HasSubstr("--listen 0.0.0.0:0"));
    EXPECT_THAT(text, HasSubstr(program == "ringway-controller" ? "--token-file" : "--fleet-token-file"));
    EXPECT_THAT(text, HasSubstr("openssl rand -hex 32"));
  }
}

}  // namespace
}  // namespace ringway::live
