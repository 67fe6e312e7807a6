#include "router/daemon/ledgers/ledger_stream.h"

#include <memory>

namespace ringway::router {

GrpcLedgerStream::GrpcLedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener)
    : loop_(loop), listener_(listener) {
  StartRead(&incoming_);
}

void GrpcLedgerStream::Send(const v1::LedgerDown& message) {
  if (closing_) return;
  if (queue_.size() >= kQueueMax) {
    Close({grpc::StatusCode::RESOURCE_EXHAUSTED, "the router does not read what the leader says"});
    return;
  }
  queue_.push_back(message);
  Pump();
}

void GrpcLedgerStream::Close(const grpc::Status& status) {
  if (!closing_) closing_ = status;
  Pump();
}

void GrpcLedgerStream::Pump() {
  if (writing_ || finished_) return;
  if (closing_) {
    finished_ = true;
    Finish(*closing_);
  } else if (!queue_.empty()) {
    writing_ = true;
    StartWrite(&queue_.front());
  }
}

void GrpcLedgerStream::OnReadDone(bool ok) {
  (void)loop_.Post([this, ok] {
    if (!ok) return Close(grpc::Status::OK);
    if (closing_) return;
    listener_.OnMessage(*this, incoming_);
    if (!finished_) StartRead(&incoming_);
  });
}

void GrpcLedgerStream::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    writing_ = false;
    queue_.pop_front();
    if (!ok && !closing_) closing_ = grpc::Status::CANCELLED;
    Pump();
  });
}

void GrpcLedgerStream::OnCancel() {
  (void)loop_.Post([this] { Close(grpc::Status::CANCELLED); });
}

void GrpcLedgerStream::OnDone() {
  (void)loop_.Post([self = std::unique_ptr<GrpcLedgerStream>(this)] { self->listener_.OnClosed(*self); });
}

}  // namespace ringway::router
