#include "runtime/job_reactor.h"

#include <memory>
#include <utility>

namespace ringway::runtime {

// gRPC keeps what is started here until the reactor is whole and in its hands.
JobReactor::JobReactor(grpc::CallbackServerContext* context, EventLoop& loop)
    : context_(context), loop_(loop) {
  StartRead(&incoming_);
}

void JobReactor::ReadNext() {
  if (!finished_ && !broken_) StartRead(&incoming_);
}

void JobReactor::Write(v1::JobDown message) {
  if (!open()) return;
  const std::size_t waiting = queue_.size() - (writing_ ? 1 : 0);
  if (waiting > 0 && queue_.back().has_progress() && message.has_progress()) {
    queue_.back() = std::move(message);
    return;
  }
  unsent_bytes_ += message.chunk().size();
  queue_.push_back(std::move(message));
  Pump();
}

void JobReactor::End(v1::JobDown message) {
  if (!open()) return;
  OnEnding(message.end());
  queue_.push_back(std::move(message));
  ending_ = true;
  Pump();
}

void JobReactor::Break() {
  {
    const std::lock_guard lock(context_mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  broken_ = true;
  Pump();
}

void JobReactor::AddTrailer(const char* name, const HeaderText& value) {
  const std::lock_guard lock(context_mutex_);
  if (context_ != nullptr) context_->AddTrailingMetadata(name, value.text());
}

void JobReactor::Pump() {
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

// A post fails only when the loop has stopped: nobody is left to care.
void JobReactor::OnReadDone(bool ok) {
  // A broken connection also ends the reading; that is not the end of an upload, and OnCancel follows.
  if (!ok && context_->IsCancelled()) return;
  (void)loop_.Post([this, ok] {
    if (ok) {
      OnMessage(incoming_);
    } else {
      OnUploadEnd();
    }
  });
}

void JobReactor::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    writing_ = false;
    unsent_bytes_ -= queue_.front().chunk().size();
    queue_.pop_front();
    // A failed write means that the peer has gone; OnCancelled says so.
    if (!ok) broken_ = true;
    Pump();
    if (!finished_) OnDrained();
  });
}

void JobReactor::OnCancel() {
  (void)loop_.Post([this] { OnCancelled(); });
}

void JobReactor::OnDone() {
  {
    const std::lock_guard lock(context_mutex_);
    context_ = nullptr;
  }
  // Owned by the task, so that the reactor goes even when the loop has stopped and drops it.
  (void)loop_.Post([self = std::unique_ptr<JobReactor>(this)] { self->OnClosed(); });
}

}  // namespace ringway::runtime
