#include "tests/router/fake_controller.h"

#include <gtest/gtest.h>

namespace ringway::live {

FakeController::FakeController(std::uint64_t epoch, const std::string& listen) : epoch_(epoch) {
  auto server = runtime::GrpcServer::Start(listen, {this});
  EXPECT_TRUE(server.ok()) << server.status().message();
  if (server.ok()) server_.emplace(*std::move(server));
}

FakeController::~FakeController() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [stream, context] : streams_) context->TryCancel();
  }
  server_.reset();
}

grpc::Status FakeController::Connect(grpc::ServerContext* context, Stream* stream) {
  v1::RouterMessage message;
  if (!stream->Read(&message) || !message.has_hello())
    return {grpc::StatusCode::INVALID_ARGUMENT, "no hello"};
  const std::string router = message.hello().router();
  {
    const std::lock_guard lock(mutex_);
    hellos_.push_back(message.hello());
    v1::ControllerMessage welcome;
    welcome.mutable_welcome()->set_wire_version(1);
    welcome.mutable_welcome()->set_epoch(epoch_);
    welcome.mutable_welcome()->set_report_period_s(0.1);
    welcome.mutable_welcome()->set_controller("fake");
    stream->Write(welcome);
    for (const v1::ControllerMessage& old : pushed_) stream->Write(old);
    streams_[stream] = context;
  }
  while (stream->Read(&message)) {
    const std::lock_guard lock(mutex_);
    if (message.has_report()) reports_[router] = message.report();
    if (message.has_ack()) acks_[router].push_back(message.ack());
  }
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
  return grpc::Status::OK;
}

void FakeController::Push(const v1::ControllerMessage& message) {
  const std::lock_guard lock(mutex_);
  pushed_.push_back(message);
  for (auto& [stream, context] : streams_) stream->Write(message);
}

std::vector<v1::Hello> FakeController::hellos() const {
  const std::lock_guard lock(mutex_);
  return hellos_;
}

std::optional<v1::Report> FakeController::report(const std::string& router) const {
  const std::lock_guard lock(mutex_);
  const auto found = reports_.find(router);
  return found == reports_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<v1::Ack> FakeController::acks(const std::string& router) const {
  const std::lock_guard lock(mutex_);
  const auto found = acks_.find(router);
  return found == acks_.end() ? std::vector<v1::Ack>() : found->second;
}

}  // namespace ringway::live
