#include "router/daemon/stand_stream.h"

#include <memory>
#include <utility>

namespace ringway::router {

StandStream::StandStream(runtime::EventLoop& loop, StandDesk& desk) : loop_(loop), desk_(desk) {
  StartRead(&incoming_);
}

void StandStream::Send(v1::LedgerDown message) {
  if (closing_) return;
  if (queue_.size() >= kQueueMax) {
    Close({grpc::StatusCode::RESOURCE_EXHAUSTED, "the router does not read what the holder says"});
    return;
  }
  queue_.push_back(std::move(message));
  Pump();
}

void StandStream::Close(grpc::Status status) {
  if (!closing_) closing_ = std::move(status);
  Pump();
}

void StandStream::Pump() {
  if (writing_ || finished_) return;
  if (closing_) {
    finished_ = true;
    Finish(*closing_);
  } else if (!queue_.empty()) {
    writing_ = true;
    StartWrite(&queue_.front());
  }
}

void StandStream::OnReadDone(bool ok) {
  (void)loop_.Post([this, ok] {
    if (!ok) return Close(grpc::Status::OK);
    if (closing_) return;
    desk_.OnMessage(*this, incoming_);
    if (!finished_) StartRead(&incoming_);
  });
}

void StandStream::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    writing_ = false;
    queue_.pop_front();
    if (!ok && !closing_) closing_ = grpc::Status::CANCELLED;
    Pump();
  });
}

void StandStream::OnCancel() {
  (void)loop_.Post([this] { Close(grpc::Status::CANCELLED); });
}

void StandStream::OnDone() {
  (void)loop_.Post([self = std::unique_ptr<StandStream>(this)] { self->desk_.OnClosed(*self); });
}

}  // namespace ringway::router
