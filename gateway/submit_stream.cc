#include "gateway/submit_stream.h"

#include <memory>
#include <utility>

#include "proto/job_codec.h"

namespace ringway::gateway {

SubmitStream::SubmitStream(std::string id, v1::JobHeader header, std::string payload,
                           runtime::EventLoop& loop, SubmitListener& listener)
    : id_(std::move(id)), loop_(loop), listener_(listener), payload_(std::move(payload)) {
  outgoing_.mutable_header()->Swap(&header);
}

void SubmitStream::Call(v1::Ingress::Stub& ingress) {
  ingress.async()->Submit(&context_, this);
  held_ = true;
  AddHold();
  StartWrite(&outgoing_);
  StartRead(&incoming_);
  StartCall();
}

void SubmitStream::Cancel() {
  if (std::exchange(cancelled_, true)) return;
  context_.TryCancel();
}

void SubmitStream::SendNext() {
  if (!held_) return FreePayload();  // the call is over: no more operations
  if (sent_ == payload_.size()) {
    FreePayload();
    return StartWritesDone();
  }
  outgoing_.set_chunk(payload_.substr(sent_, wire::kChunkBytesMax));
  sent_ += outgoing_.chunk().size();
  StartWrite(&outgoing_);
}

void SubmitStream::FreePayload() {
  listener_.OnUploaded(*this);
  payload_ = {};
  sent_ = 0;
}

void SubmitStream::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    if (ok) return SendNext();
    FreePayload();  // the reads fail too, or bring the end
  });
}

void SubmitStream::OnReadDone(bool ok) {
  (void)loop_.Post([this, ok] {
    if (!ok) {
      held_ = false;
      return RemoveHold();
    }
    if (!cancelled_) listener_.OnDown(*this, incoming_);
    StartRead(&incoming_);
  });
}

void SubmitStream::OnDone(const grpc::Status& status) {
  (void)loop_.Post(
      [self = std::unique_ptr<SubmitStream>(this), status] { self->listener_.OnOver(*self, status); });
}

}  // namespace ringway::gateway
