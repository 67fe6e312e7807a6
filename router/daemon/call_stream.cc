#include "router/daemon/call_stream.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router {
namespace {

// A trace context is for others to read; one that is longer than any good one, or not text, is left out.
constexpr std::size_t kTraceBytesMax = 256;

std::string MetadataOf(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end() || found->second.size() > kTraceBytesMax) return "";
  std::string value(found->second.data(), found->second.size());
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) return "";
  }
  return value;
}

}  // namespace

CallStream::CallStream(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop,
                       CallDesk& desk)
    : forwarded_(forwarded),
      traceparent_(MetadataOf(*context, "traceparent")),
      tracestate_(MetadataOf(*context, "tracestate")),
      context_(context),
      loop_(loop),
      desk_(desk) {
  StartRead(&incoming_);
}

void CallStream::FillTraceContext(v1::JobHeader& header) const {
  if (!header.traceparent().empty() || traceparent_.empty()) return;
  header.set_traceparent(traceparent_);
  header.set_tracestate(tracestate_);
}

void CallStream::ReadNext() {
  if (!finished_ && !broken_) StartRead(&incoming_);
}

void CallStream::Write(v1::JobDown message) {
  if (finished_ || broken_ || ending_) return;
  const std::size_t waiting = queue_.size() - (writing_ ? 1 : 0);
  if (waiting > 0 && queue_.back().has_progress() && message.has_progress()) {
    queue_.back() = std::move(message);
    return;
  }
  unsent_bytes_ += message.chunk().size();
  queue_.push_back(std::move(message));
  Pump();
}

void CallStream::AddTrailers(const v1::End& end) {
  const std::lock_guard lock(context_mutex_);
  if (context_ == nullptr) return;
  const v1::Story& story = end.story();
  const std::pair<const char*, std::string> trailers[] = {
      {"ringway-outcome", end.outcome()},
      {"ringway-region", story.region()},
      {"ringway-router", story.router()},
      {"ringway-worker", story.worker()},
      {"ringway-attempts", absl::StrCat(story.attempts())},
      {"ringway-wait-ms", absl::StrCat(static_cast<std::int64_t>(story.wait_s() * 1e3))},
      {"ringway-reason", story.reason()},
      {"ringway-table", absl::StrCat(story.table_epoch(), ".", story.table_version())}};
  for (const auto& [name, value] : trailers) context_->AddTrailingMetadata(name, value);
}

void CallStream::End(v1::JobDown message) {
  if (finished_ || broken_ || ending_) return;
  AddTrailers(message.end());
  queue_.push_back(std::move(message));
  ending_ = true;
  Pump();
}

void CallStream::Break() {
  {
    const std::lock_guard lock(context_mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  broken_ = true;
  Pump();
}

void CallStream::Pump() {
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

// The inbox of the router's loop has room for everything that the bounded number of streams can post; a post
// fails only when the loop has stopped, and then nobody is left to care.
void CallStream::OnReadDone(bool ok) {
  // A broken connection also ends the reading; that is not the end of an upload, and OnCancel follows.
  if (!ok && context_->IsCancelled()) return;
  (void)loop_.Post([this, ok] {
    if (ok) {
      desk_.OnMessage(*this, incoming_);
    } else {
      desk_.OnUploadEnd(*this);
    }
  });
}

void CallStream::OnWriteDone(bool ok) {
  (void)loop_.Post([this, ok] {
    writing_ = false;
    unsent_bytes_ -= queue_.front().chunk().size();
    queue_.pop_front();
    // A failed write means that the peer has gone; OnCancel says so to the desk.
    if (!ok) broken_ = true;
    Pump();
    if (!finished_) desk_.OnDrained(*this);
  });
}

void CallStream::OnCancel() {
  (void)loop_.Post([this] { desk_.OnCancelled(*this); });
}

void CallStream::OnDone() {
  {
    const std::lock_guard lock(context_mutex_);
    context_ = nullptr;
  }
  // Owned by the task, so that the stream goes even when the loop has stopped and drops it.
  (void)loop_.Post([self = std::unique_ptr<CallStream>(this)] { self->desk_.OnClosed(*self); });
}

}  // namespace ringway::router
