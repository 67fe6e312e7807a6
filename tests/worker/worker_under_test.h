// A real ringway-worker process with a stub to it, and what tests ask about it.
#ifndef RINGWAY_TESTS_WORKER_WORKER_UNDER_TEST_H_
#define RINGWAY_TESTS_WORKER_WORKER_UNDER_TEST_H_

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"

namespace ringway::live {

class WorkerUnderTest {
 public:
  explicit WorkerUnderTest(std::vector<std::string> flags)
      : process_(folder_, {"ringway-worker", "w1", WithIdentity(std::move(flags))}),
        stub_(v1::Worker::NewStub(runtime::MakeChannel(process_.grpc()))) {}

  DaemonProcess& process() { return process_; }
  v1::Worker::Stub& stub() { return *stub_; }
  JobCall Call() { return JobCall::ToWorker(*stub_); }
  JobAnswer Run(const std::string& payload = "picture") {
    return Call().Send(Header("animate"), payload).Await();
  }
  double Metric(const std::string& series) { return MetricValue(process_.http(), series).value_or(-1); }
  double Jobs(const std::string& outcome) {
    return Metric("ringway_worker_jobs_total{outcome=\"" + outcome + "\"}");
  }
  double Refused(const std::string& reason) {
    return Metric("ringway_worker_rejected_total{reason=\"" + reason + "\"}");
  }
  // The first state that a new watcher hears.
  v1::WorkerState State() {
    grpc::ClientContext context;
    v1::WorkerState state;
    auto reader = stub_->Watch(&context, v1::WatchRequest());
    EXPECT_TRUE(reader->Read(&state));
    context.TryCancel();
    return state;
  }
  v1::WorkerState Drain(bool drain) {
    grpc::ClientContext context;
    v1::DrainRequest request;
    request.set_drain(drain);
    v1::WorkerState state;
    EXPECT_TRUE(stub_->Drain(&context, request, &state).ok());
    return state;
  }
  // Whether the worker says that it has the attempt of this name.
  bool Withdraw(const std::string& attempt) {
    grpc::ClientContext context;
    v1::WithdrawRequest request;
    request.set_offer(attempt);
    v1::WithdrawReply reply;
    EXPECT_TRUE(stub_->Withdraw(&context, request, &reply).ok());
    return reply.known();
  }

 private:
  static std::vector<std::string> WithIdentity(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--name", "w1", "--tier", "animate", "--region", "paris"});
    return flags;
  }
  ScratchFolder folder_;
  DaemonProcess process_;
  std::unique_ptr<v1::Worker::Stub> stub_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_WORKER_WORKER_UNDER_TEST_H_
