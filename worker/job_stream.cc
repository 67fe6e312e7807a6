#include "worker/job_stream.h"

#include <memory>
#include <utility>

#include "core/check.h"

namespace ringway::worker {

JobStream::JobStream(std::uint64_t id, grpc::CallbackServerContext* context, runtime::EventLoop& loop,
                     JobDesk& desk)
    : id_(id), context_(context), loop_(loop), desk_(desk) {
  StartRead(&incoming_);
}

// A stream has at most one read, one write and one cancellation under way, and the service bounds the number
// of streams, so the inbox cannot be full.
template <class Task>
void JobStream::Post(Task task) {
  RINGWAY_CHECK(loop_.Post(std::move(task)));
}

void JobStream::ReadNext() {
  if (!finished_ && !broken_) StartRead(&incoming_);
}

void JobStream::Write(v1::JobDown message) {
  if (finished_ || broken_ || ending_) return;
  const std::size_t waiting = queue_.size() - (writing_ ? 1 : 0);
  const bool overtakes = waiting > 0 && queue_.back().has_progress() && message.has_progress();
  if (overtakes) {
    queue_.back() = std::move(message);
    return;
  }
  unsent_bytes_ += message.chunk().size();
  queue_.push_back(std::move(message));
  Pump();
}

void JobStream::End(v1::JobDown message) {
  if (finished_ || broken_ || ending_) return;
  queue_.push_back(std::move(message));
  ending_ = true;
  Pump();
}

void JobStream::Break() {
  {
    const std::lock_guard lock(context_mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  broken_ = true;
  Pump();
}

void JobStream::Pump() {
  if (finished_ || writing_) return;
  if (broken_) {
    finished_ = true;
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the job was given up"));
    return;
  }
  if (queue_.empty()) return;
  writing_ = true;
  if (ending_ && queue_.size() == 1) {
    finished_ = true;
    StartWriteAndFinish(&queue_.front(), grpc::WriteOptions(), grpc::Status::OK);
  } else {
    StartWrite(&queue_.front());
  }
}

void JobStream::OnReadDone(bool ok) {
  // A broken connection also ends the reading; that is not the end of an upload, and OnCancel follows.
  if (!ok && context_->IsCancelled()) return;
  Post([this, ok] {
    if (ok) {
      desk_.OnMessage(*this, incoming_);
    } else {
      desk_.OnUploadEnd(*this);
    }
  });
}

void JobStream::OnWriteDone(bool ok) {
  Post([this, ok] {
    writing_ = false;
    unsent_bytes_ -= queue_.front().chunk().size();
    queue_.pop_front();
    // A failed write means that the peer has gone; OnCancel says so to the desk.
    if (!ok) broken_ = true;
    Pump();
  });
}

void JobStream::OnCancel() {
  Post([this] { desk_.OnCancelled(*this); });
}

void JobStream::OnDone() {
  {
    const std::lock_guard lock(context_mutex_);
    context_ = nullptr;
  }
  // Owned by the task, so that the stream goes even when the loop has stopped and drops it.
  (void)loop_.Post([self = std::unique_ptr<JobStream>(this)] { self->desk_.OnClosed(*self); });
}

}  // namespace ringway::worker
