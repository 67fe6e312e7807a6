#include "tests/router/fake_worker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/time/clock.h"

namespace ringway::live {

FakeWorker::FakeWorker(const std::string& tier, std::uint64_t first_sequence, const std::string& listen)
    : tier_(tier), sequence_(first_sequence) {
  auto server = runtime::GrpcServer::Start(listen, {this});
  EXPECT_TRUE(server.ok()) << server.status().message();
  if (server.ok()) server_.emplace(*std::move(server));
}

FakeWorker::~FakeWorker() {
  dying_ = true;
  server_.reset();
}

v1::WorkerState FakeWorker::State() {
  const std::lock_guard lock(mutex_);
  v1::WorkerState state;
  state.set_wire_version(1);
  state.set_worker("fake");
  state.set_tier(tier_);
  state.set_healthy(true);
  state.set_sequence(++sequence_);
  if (fence_ != Lease{}) state.set_fence(FormatLease(fence_));
  return state;
}

grpc::Status FakeWorker::Watch(grpc::ServerContext* context, const v1::WatchRequest*,
                               grpc::ServerWriter<v1::WorkerState>* stream) {
  while (!dying_ && !context->IsCancelled() && stream->Write(State())) absl::SleepFor(Milliseconds(100));
  return grpc::Status::CANCELLED;
}

grpc::Status FakeWorker::RaiseFence(grpc::ServerContext*, const v1::FenceRequest* request,
                                    v1::WorkerState* state) {
  if (const auto upto = ParseLease(request->upto())) {
    const std::lock_guard lock(mutex_);
    fence_ = std::max(fence_, *upto);
  }
  *state = State();
  return grpc::Status::OK;
}

grpc::Status FakeWorker::Run(grpc::ServerContext*, grpc::ServerReaderWriter<v1::JobDown, v1::JobUp>* stream) {
  v1::JobUp up;
  if (!stream->Read(&up)) return grpc::Status::OK;
  if (const auto lease = ParseLease(up.header().lease())) {
    const std::lock_guard lock(mutex_);
    fence_ = std::max(fence_, *lease);
  }
  v1::JobDown down;
  down.mutable_accepted()->set_worker("fake");
  stream->Write(down);
  while (stream->Read(&up)) {
  }
  ++jobs_;
  down.mutable_end()->set_outcome("done");
  stream->Write(down);
  return grpc::Status::OK;
}

}  // namespace ringway::live
