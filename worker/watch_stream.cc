#include "worker/watch_stream.h"

#include <memory>
#include <utility>

#include "core/check.h"

namespace ringway::worker {

WatchStream::WatchStream(std::uint64_t id, runtime::EventLoop& loop, WatchListener& listener)
    : id_(id), loop_(loop), listener_(listener) {
  RINGWAY_CHECK(loop_.Post([this] { listener_.OnWatch(*this); }));
}

void WatchStream::Send(const v1::WorkerState& state) {
  next_ = state;
  Pump();
}

void WatchStream::Close(grpc::Status status) {
  if (!closing_) closing_ = std::move(status);
  Pump();
}

void WatchStream::Pump() {
  if (writing_ || finished_) return;
  if (next_ && !(closing_ && !closing_->ok())) {
    outgoing_ = *std::exchange(next_, std::nullopt);
    writing_ = true;
    StartWrite(&outgoing_);
  } else if (closing_) {
    finished_ = true;
    Finish(*closing_);
  }
}

void WatchStream::OnWriteDone(bool ok) {
  RINGWAY_CHECK(loop_.Post([this, ok] {
    writing_ = false;
    if (!ok) closing_ = grpc::Status::CANCELLED;
    Pump();
  }));
}

void WatchStream::OnCancel() {
  RINGWAY_CHECK(loop_.Post([this] { Close(grpc::Status::CANCELLED); }));
}

void WatchStream::OnDone() {
  (void)loop_.Post([self = std::unique_ptr<WatchStream>(this)] { self->listener_.OnWatchClosed(*self); });
}

}  // namespace ringway::worker
