#include "tests/live/scripted_worker.h"

#include <utility>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "proto/table_codec.h"

namespace ringway::live {

v1::JobDown DoneMessage(const std::string& worker, const std::string& content_type) {
  v1::JobDown down;
  v1::End& end = *down.mutable_end();
  end.set_outcome("done");
  end.set_content_type(content_type);
  end.mutable_trace()->set_worker(worker);
  end.mutable_trace()->set_service_s(0.01);
  return down;
}

ScriptedWorker::ScriptedWorker(WorkerScript script)
    : script_(std::move(script)),
      server_(runtime::GrpcServer::Start("127.0.0.1:0", {static_cast<grpc::Service*>(this)})) {
  EXPECT_TRUE(server_.ok()) << server_.status();
}

ScriptedWorker::~ScriptedWorker() {
  if (server_.ok()) server_->Shutdown(ZeroDuration());
}

grpc::Status ScriptedWorker::Run(grpc::ServerContext*, WorkerStream* stream) {
  v1::JobUp up;
  if (!stream->Read(&up) || !up.has_header()) return grpc::Status::OK;
  const v1::JobHeader header = up.header();
  v1::JobDown accepted;
  accepted.mutable_accepted()->set_worker(script_.name);
  stream->Write(accepted);
  std::string payload;
  while (stream->Read(&up)) payload += up.chunk();
  script_.run(*stream, header, payload);
  return grpc::Status::OK;
}

grpc::Status ScriptedWorker::Watch(grpc::ServerContext* context, const v1::WatchRequest*,
                                   grpc::ServerWriter<v1::WorkerState>* writer) {
  v1::WorkerState state;
  state.set_wire_version(wire::kWireVersion);
  state.set_worker(script_.name);
  state.set_tier(script_.tier);
  state.set_model(script_.model);
  state.set_healthy(true);
  // The names of both enumerations have the same order.
  state.set_picture_need(static_cast<v1::PictureNeed>(script_.pictures.need));
  state.set_picture_pixels_max(script_.pictures.pixels_max);
  for (const std::string& type : script_.pictures.types) state.add_picture_types(type);
  std::uint64_t sequence = static_cast<std::uint64_t>(ToUnixMicros(absl::Now()));
  while (!context->IsCancelled()) {
    state.set_sequence(++sequence);
    if (!writer->Write(state)) break;
    absl::SleepFor(Milliseconds(100));  // the period of its announcements
  }
  return grpc::Status::OK;
}

grpc::Status ScriptedWorker::Withdraw(grpc::ServerContext* context, const v1::WithdrawRequest* request,
                                      v1::WithdrawReply* reply) {
  if (script_.withdraw == nullptr) return v1::Worker::Service::Withdraw(context, request, reply);
  reply->set_known(script_.withdraw(request->offer()));
  return grpc::Status::OK;
}

}  // namespace ringway::live
