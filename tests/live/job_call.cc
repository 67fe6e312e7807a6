#include "tests/live/job_call.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "proto/job_codec.h"
#include "proto/table_codec.h"

namespace ringway::live {
namespace {

std::unique_ptr<grpc::ClientContext> LimitedContext(Duration limit) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(absl::ToChronoTime(absl::Now() + limit));
  return context;
}

}  // namespace

v1::JobHeader Header(const std::string& tier, const std::string& request_id) {
  v1::JobHeader header;
  header.set_wire_version(wire::kWireVersion);
  header.set_tier(tier);
  header.set_request_id(request_id);
  return header;
}

JobCall JobCall::ToWorker(v1::Worker::Stub& worker, Duration limit) {
  auto context = LimitedContext(limit);
  auto stream = worker.Run(context.get());
  return {std::move(context), std::move(stream)};
}

JobCall JobCall::ToRouter(v1::Ingress::Stub& router, Duration limit) {
  auto context = LimitedContext(limit);
  auto stream = router.Submit(context.get());
  return {std::move(context), std::move(stream)};
}

JobCall JobCall::ToPeer(v1::Peer::Stub& router, Duration limit) {
  auto context = LimitedContext(limit);
  auto stream = router.Forward(context.get());
  return {std::move(context), std::move(stream)};
}

JobCall& JobCall::SendHeader(const v1::JobHeader& header) {
  v1::JobUp up;
  *up.mutable_header() = header;
  stream_->Write(up);
  return *this;
}

JobCall& JobCall::SendChunk(std::string_view bytes) {
  v1::JobUp up;
  up.set_chunk(std::string(bytes));
  stream_->Write(up);
  return *this;
}

JobCall& JobCall::EndUpload() {
  stream_->WritesDone();
  return *this;
}

JobCall& JobCall::Send(const v1::JobHeader& header, std::string_view payload) {
  SendHeader(header);
  for (std::size_t at = 0; at < payload.size(); at += wire::kChunkBytesMax) {
    SendChunk(payload.substr(at, wire::kChunkBytesMax));
  }
  return EndUpload();
}

bool JobCall::ReadOne() {
  v1::JobDown down;
  if (!stream_->Read(&down)) return false;
  if (down.has_accepted()) answer_.accepted = true;
  if (down.has_progress()) answer_.steps.push_back(down.progress().step());
  if (down.has_chunk()) answer_.result += down.chunk();
  if (down.has_end()) answer_.end = down.end();
  return true;
}

bool JobCall::AwaitAccepted() {
  while (!answer_.accepted && answer_.outcome().empty()) {
    if (!ReadOne()) break;
  }
  return answer_.accepted;
}

bool JobCall::AwaitStep(std::uint32_t step) {
  while (answer_.steps.empty() || answer_.steps.back() < step) {
    if (!ReadOne()) return false;
  }
  return true;
}

JobAnswer JobCall::Await() {
  while (ReadOne()) {
  }
  answer_.status = stream_->Finish();
  for (const auto& [name, value] : context_->GetServerTrailingMetadata()) {
    answer_.trailers.emplace(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  return std::move(answer_);
}

}  // namespace ringway::live
