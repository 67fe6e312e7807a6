#include "worker/backends/synthetic.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "runtime/clock.h"

namespace ringway::worker {
namespace {

std::uint64_t Fingerprint(const WorkOrder& order) {
  std::uint64_t hash = HashBytes(order.payload);
  hash = HashBytes(order.prompt, hash);
  hash = HashBytes(order.model, hash);
  for (const auto& [name, value] : order.parameters) hash = HashBytes(value, HashBytes(name, hash));
  return hash;
}

}  // namespace

SyntheticBackend::SyntheticBackend(runtime::EventLoop& loop, const SyntheticSettings& settings,
                                   std::string_view name)
    : settings_(settings), draw_(settings.draw, name), alarm_(loop, [this] { FinishStep(); }) {}

void SyntheticBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(sink_ == nullptr);
  sink_ = &sink;
  fingerprint_ = Fingerprint(order);
  job_ = draw_.Next();
  const auto own = OwnService(order.parameters);
  if (!own.ok()) return End({.outcome = Outcome::kRejected, .message = std::string(own.status().message())});
  if (*own) job_.service = **own;
  started_ = runtime::MonotonicNow();
  const std::uint32_t asked = order.cost.steps != 0 ? order.cost.steps : settings_.steps;
  steps_ = std::clamp<std::uint32_t>(asked, 1, kStepsMax);
  step_ = 0;
  cancelled_ = false;
  AwaitStep();
}

void SyntheticBackend::Cancel() {
  if (sink_ == nullptr) return;
  cancelled_ = true;
  alarm_.Arm(InfinitePast());
}

void SyntheticBackend::AwaitStep() {
  double share = static_cast<double>(step_ + 1) / steps_;
  if (job_.fails) share = std::min(share, job_.fails_at);
  alarm_.Arm(started_ + share * job_.service);
}

void SyntheticBackend::FinishStep() {
  if (sink_ == nullptr) return;
  if (cancelled_) return End({.outcome = Outcome::kCancelled});
  const double share = static_cast<double>(step_ + 1) / steps_;
  if (job_.fails && job_.fails_at <= share) {
    return End({.outcome = Outcome::kFailed, .message = "synthetic fault (--fail-rate)"});
  }
  ++step_;
  sink_->OnProgress(step_, steps_);
  if (step_ < steps_) return AwaitStep();
  SendResult();
  End({.outcome = Outcome::kDone, .content_type = "application/octet-stream"});
}

void SyntheticBackend::SendResult() {
  Rng bytes(fingerprint_);
  for (std::size_t sent = 0; sent < settings_.result_bytes;) {
    std::string piece(std::min(kPieceBytes, settings_.result_bytes - sent), '\0');
    for (std::size_t i = 0; i < piece.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t word = bytes.Next();
      std::memcpy(piece.data() + i, &word, std::min(sizeof word, piece.size() - i));
    }
    sent += piece.size();
    sink_->OnResult(std::move(piece));
  }
}

void SyntheticBackend::End(WorkEnd end) { std::exchange(sink_, nullptr)->OnEnd(std::move(end)); }

}  // namespace ringway::worker
