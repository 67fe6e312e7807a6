#include "worker/backends/engine.h"

#include <utility>

#include "core/check.h"

namespace ringway::worker {
namespace {

Outcome OutcomeOf(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kCancelled) return Outcome::kCancelled;
  return status.code() == absl::StatusCode::kInvalidArgument ? Outcome::kRejected : Outcome::kFailed;
}

WorkEnd EndOf(const absl::Status& status) {
  return {.outcome = OutcomeOf(status), .message = std::string(status.message())};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> EngineBackend::Open(runtime::EventLoop& loop,
                                                             const EngineSettings& settings) {
  auto work = OpenEngineWork(settings);
  if (!work.ok()) return work.status();
  return std::unique_ptr<Backend>(new EngineBackend(loop, *std::move(work)));
}

EngineBackend::EngineBackend(runtime::EventLoop& loop, std::unique_ptr<EngineWork> work)
    : loop_(loop), work_(std::move(work)), thread_([this](const std::stop_token& quit) { Serve(quit); }) {}

EngineBackend::~EngineBackend() {
  stop_.request_stop();
  thread_.request_stop();
  thread_.join();
}

void EngineBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(sink_ == nullptr);
  sink_ = &sink;
  stop_ = std::stop_source();
  {
    const std::lock_guard lock(mutex_);
    next_.emplace(std::move(order), stop_.get_token());
  }
  changed_.notify_one();
}

void EngineBackend::Cancel() {
  if (sink_ != nullptr) stop_.request_stop();
}

void EngineBackend::Serve(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return next_.has_value(); })) {
    const auto [order, stop] = *std::exchange(next_, std::nullopt);
    lock.unlock();
    PostAnswer(Work(order, stop));
    lock.lock();
  }
}

EngineBackend::Answer EngineBackend::Work(const WorkOrder& order, const std::stop_token& stop) {
  absl::StatusOr<MadeResult> made = work_->Make(
      order, [this](std::uint32_t step, std::uint32_t steps) { PostProgress(step, steps); }, stop);
  if (!made.ok()) return {{}, EndOf(made.status())};
  return {std::move(made->bytes),
          {.message = std::move(made->note), .content_type = std::move(made->content_type)}};
}

void EngineBackend::PostProgress(std::uint32_t step, std::uint32_t steps) {
  // Progress that finds a full inbox is not worth waiting for.
  const bool posted = loop_.Post([self = std::weak_ptr(self_), step, steps] {
    const auto backend = self.lock();
    if (backend && (*backend)->sink_ != nullptr) (*backend)->sink_->OnProgress(step, steps);
  });
  static_cast<void>(posted);
}

void EngineBackend::PostAnswer(Answer answer) {
  const auto shared = std::make_shared<Answer>(std::move(answer));
  const auto deliver = [self = std::weak_ptr(self_), shared] {
    const auto backend = self.lock();
    if (!backend || (*backend)->sink_ == nullptr) return;
    WorkSink& sink = *std::exchange((*backend)->sink_, nullptr);
    for (std::size_t at = 0; at < shared->bytes.size(); at += kPieceBytes)
      sink.OnResult(shared->bytes.substr(at, kPieceBytes));
    sink.OnEnd(std::move(shared->end));
  };
  // The end must arrive; the inbox is emptied in microseconds. A stopped loop needs no answer.
  while (!loop_.Post(deliver) && !thread_.get_stop_token().stop_requested()) std::this_thread::yield();
}

}  // namespace ringway::worker
