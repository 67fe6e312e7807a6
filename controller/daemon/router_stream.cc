#include "controller/daemon/router_stream.h"

#include <utility>

#include "core/check.h"

namespace ringway::controller {

RouterStream::RouterStream(StreamId id, runtime::EventLoop& loop, RouterStreamListener& listener)
    : id_(id), loop_(loop), listener_(listener) {
  RINGWAY_CHECK(loop_.Post([this] {
    listener_.OnStream(*this);
    if (!finished_) StartRead(&incoming_);
  }));
}

void RouterStream::Send(Kind kind, Message message) {
  waiting_[static_cast<std::size_t>(kind)] = std::move(message);
  Pump();
}

void RouterStream::Close(grpc::Status status) {
  if (!closing_) closing_ = std::move(status);
  Pump();
}

void RouterStream::Pump() {
  if (outgoing_ != nullptr || finished_) return;
  if (closing_) {
    finished_ = true;
    Finish(*closing_);
    return;
  }
  for (Message& next : waiting_) {
    if (next == nullptr) continue;
    outgoing_ = std::exchange(next, nullptr);
    StartWrite(outgoing_.get());
    return;
  }
}

void RouterStream::OnReadDone(bool ok) {
  RINGWAY_CHECK(loop_.Post([this, ok] {
    if (ok) {
      Take();
    } else {
      Close(grpc::Status::OK);  // the router is done, or gone
    }
  }));
}

void RouterStream::Take() {
  if (closing_) return;
  listener_.OnMessage(*this, incoming_);
  if (!closing_) StartRead(&incoming_);
}

void RouterStream::OnWriteDone(bool ok) {
  RINGWAY_CHECK(loop_.Post([this, ok] {
    outgoing_ = nullptr;
    if (!ok) Close(grpc::Status::CANCELLED);
    Pump();
  }));
}

void RouterStream::OnCancel() {
  RINGWAY_CHECK(loop_.Post([this] { Close(grpc::Status::CANCELLED); }));
}

void RouterStream::OnDone() {
  (void)loop_.Post([self = std::unique_ptr<RouterStream>(this)] { self->listener_.OnStreamClosed(*self); });
}

}  // namespace ringway::controller
