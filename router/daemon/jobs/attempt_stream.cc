#include "router/daemon/jobs/attempt_stream.h"

#include <memory>
#include <utility>

namespace ringway::router {

void AttemptStream::CallWorker(v1::Worker::Stub& worker) {
  worker.async()->Run(&context_, this);
  Begin();
}

void AttemptStream::CallRouter(v1::Peer::Stub& router) {
  router.async()->Forward(&context_, this);
  Begin();
}

void AttemptStream::Begin() {
  held_ = true;
  AddHold();
  reading_ = true;
  StartRead(&incoming_);
  StartCall();
}

void AttemptStream::LetGo() {
  if (!held_) return;
  held_ = false;
  queue_.resize(writing_ ? 1 : 0);
  RemoveHold();
}

void AttemptStream::Send(v1::JobUp message) {
  if (!held_ || closing_) return;
  unsent_bytes_ += message.chunk().size();
  queue_.push_back(std::move(message));
  Pump();
}

void AttemptStream::CloseUpload() {
  closing_ = true;
  Pump();
}

void AttemptStream::ReadNext() {
  if (!held_ || reading_) return;
  reading_ = true;
  StartRead(&incoming_);
}

void AttemptStream::Cancel() {
  context_.TryCancel();
  // A read under way fails now and lets go; without one nobody would.
  if (!reading_) LetGo();
}

void AttemptStream::Pump() {
  if (!held_ || writing_) return;
  if (!queue_.empty()) {
    writing_ = true;
    StartWrite(&queue_.front());
  } else if (closing_ && !closed_) {
    closed_ = true;
    StartWritesDone();
  }
}

void AttemptStream::OnReadDone(bool ok) {
  (void)loop_.Post([this, ok] {
    reading_ = false;
    if (ok) {
      listener_.OnDown(*this, incoming_);
    } else {
      LetGo();
    }
  });
}

void AttemptStream::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    writing_ = false;
    unsent_bytes_ -= queue_.front().chunk().size();
    queue_.pop_front();
    if (!ok) return;  // the reads fail too, and say so
    Pump();
    listener_.OnSent(*this);
  });
}

void AttemptStream::OnWritesDoneDone(bool ok) {
  (void)loop_.Post([this, ok] { upload_left_ = ok; });
}

void AttemptStream::OnDone(const grpc::Status& status) {
  (void)loop_.Post(
      [self = std::unique_ptr<AttemptStream>(this), status] { self->listener_.OnOver(*self, status); });
}

}  // namespace ringway::router
