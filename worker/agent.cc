#include "worker/agent.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "proto/job_codec.h"
#include "runtime/clock.h"

namespace ringway::worker {
namespace {

constexpr Duration kBeat = Milliseconds(500);

std::string WhyEnded(Outcome outcome, bool started) {
  if (outcome == Outcome::kTimeout) {
    return started ? "the deadline passed while the job ran" : "the payload did not arrive in time";
  }
  if (outcome == Outcome::kCancelled) return "the job was withdrawn, or the worker's drain took too long";
  return "";
}

}  // namespace

Agent::Agent(runtime::EventLoop& loop, AgentSettings settings, std::unique_ptr<Backend> backend,
             WorkerMetrics& metrics, const runtime::Logger& log, std::function<void(bool)> serving)
    : loop_(loop),
      settings_(std::move(settings)),
      metrics_(metrics),
      log_(log),
      serving_(std::move(serving)),
      slot_(loop, Slot(settings_.slot), SlotWake{},
            [this](SlotAction& action) { std::visit([this](const auto& a) { Do(a); }, action); }),
      beat_(loop, [this] { Beat(); }),
      backend_(std::move(backend)) {
  Beat();
}

void Agent::BeginStop(std::function<void()> quiet) {
  stopping_ = true;
  quiet_ = std::move(quiet);
  slot_.Apply(SlotDrain{true});
  CheckQuiet();
}

// ---- streams ----

void Agent::OnMessage(JobStream& stream, v1::JobUp& message) {
  const auto found = attempts_.find(stream.id());
  if (found == attempts_.end()) {
    if (!message.has_header()) return Reject(stream, "the first message of a job must be its header");
    return OnHeader(stream, message.header());
  }
  Attempt& attempt = found->second;
  if (attempt.has_ended()) return;
  if (!message.has_chunk()) {
    return GiveUp(stream.id(), Outcome::kRejected, "after the header only chunks of the payload may follow");
  }
  attempt.payload_bytes += message.chunk().size();
  if (attempt.payload_bytes > settings_.payload_bytes_max) {
    return GiveUp(stream.id(), Outcome::kRejected,
                  absl::StrCat("the payload is larger than ", settings_.payload_bytes_max, " bytes"));
  }
  attempt.order.payload += message.chunk();
  metrics_.CountPayload(message.chunk().size());
  stream.ReadNext();
}

void Agent::OnHeader(JobStream& stream, const v1::JobHeader& header) {
  if (absl::Status s = CheckForWorker(header, settings_.identity); !s.ok()) {
    return Reject(stream, std::string(s.message()));
  }
  Attempt& attempt = attempts_[stream.id()];
  attempt.stream = &stream;
  attempt.order = OrderOf(header);
  attempt.request_id = header.request_id();
  attempt.payload_bytes_stated = header.payload_bytes();
  slot_.Apply(OfferOf(header, stream.id(), runtime::MonotonicNow()));
}

void Agent::Reject(JobStream& stream, const std::string& why) {
  metrics_.CountMalformed();
  stream.End(EndMessage({.outcome = Outcome::kRejected, .message = why}, settings_.identity));
}

void Agent::GiveUp(AttemptId id, Outcome outcome, std::string why) {
  attempts_[id].verdict = WorkEnd{.outcome = outcome, .message = std::move(why)};
  slot_.Apply(SlotWithdraw{id});
}

void Agent::OnUploadEnd(JobStream& stream) {
  const auto found = attempts_.find(stream.id());
  if (found == attempts_.end()) {
    return stream.End(EndMessage({.outcome = Outcome::kRejected, .message = "the call carried no job"},
                                 settings_.identity));
  }
  const Attempt& attempt = found->second;
  if (attempt.has_ended()) return;
  if (attempt.payload_bytes_stated != 0 && attempt.payload_bytes_stated != attempt.payload_bytes) {
    return GiveUp(stream.id(), Outcome::kRejected,
                  absl::StrCat("the header states a payload of ", attempt.payload_bytes_stated,
                               " bytes, but ", attempt.payload_bytes, " arrived"));
  }
  slot_.Apply(SlotPayloadComplete{stream.id()});
}

void Agent::OnCancelled(JobStream& stream) {
  stream.Break();
  const auto found = attempts_.find(stream.id());
  if (found != attempts_.end() && !found->second.has_ended()) slot_.Apply(SlotWithdraw{stream.id()});
}

void Agent::OnClosed(JobStream& stream) {
  job_streams.fetch_sub(1);
  const auto found = attempts_.find(stream.id());
  if (found != attempts_.end()) {
    found->second.stream = nullptr;
    if (found->second.has_ended()) {
      attempts_.erase(found);
    } else {
      slot_.Apply(SlotWithdraw{stream.id()});
    }
  }
  CheckQuiet();
}

void Agent::OnWatch(WatchStream& stream) {
  watchers_[stream.id()] = &stream;
  stream.Send(State());
}

void Agent::OnWatchClosed(WatchStream& stream) {
  watchers_.erase(stream.id());
  watch_streams.fetch_sub(1);
}

v1::WorkerState Agent::OnDrain(bool drain, Duration lasts) {
  // A worker that was told to end stays in its drain.
  if (!stopping_) slot_.Apply(SlotDrain{drain, lasts});
  return State();
}

absl::StatusOr<v1::WorkerState> Agent::OnFence(const v1::FenceRequest& request) {
  const auto fenced = FencedOf(request);
  if (!fenced.ok()) return fenced.status();
  slot_.Apply(*fenced);
  return State();
}

// ---- the backend ----

void Agent::OnProgress(std::uint32_t step, std::uint32_t steps) {
  slot_.Apply(SlotProgress{running_, step, steps});
  if (JobStream* stream = attempts_[running_].stream) stream->Write(ProgressMessage(step, steps));
}

void Agent::OnResult(std::string bytes) {
  Attempt& attempt = attempts_[running_];
  attempt.result_bytes += bytes.size();
  metrics_.CountResult(bytes.size());
  if (attempt.result_bytes > settings_.result_bytes_max) {
    if (attempt.verdict) return;
    return GiveUp(running_, Outcome::kFailed,
                  absl::StrCat("the result is larger than ", settings_.result_bytes_max, " bytes"));
  }
  if (attempt.stream == nullptr) return;
  if (bytes.size() <= wire::kChunkBytesMax) {
    attempt.stream->Write(ChunkMessage(std::move(bytes)));
  } else {
    for (std::size_t at = 0; at < bytes.size(); at += wire::kChunkBytesMax) {
      attempt.stream->Write(ChunkMessage(bytes.substr(at, wire::kChunkBytesMax)));
    }
  }
  BoundUnsent();
}

void Agent::OnEnd(WorkEnd end) {
  const AttemptId id = std::exchange(running_, 0);
  const Outcome outcome = end.outcome;
  attempts_[id].work = std::move(end);
  slot_.Apply(SlotFinished{id, outcome});
}

// ---- the slot's actions ----

void Agent::Do(const AdmitAttempt& admit) {
  JobStream& stream = *attempts_[admit.attempt].stream;
  stream.Write(AcceptedMessage(settings_.identity));
  stream.ReadNext();
}

void Agent::Do(const RefuseAttempt& refuse) {
  ++totals_.rejected;
  metrics_.CountRefused(refuse.reason);
  const auto node = attempts_.extract(refuse.attempt);
  if (refuse.reason == Refusal::kDoubleGrant) {
    log_.Error(absl::StrCat("job ", node.mapped().request_id,
                            " came with a lease while another lease is in the slot: the ledger granted this "
                            "worker twice"));
  }
  const bool expired = refuse.reason == Refusal::kExpired;
  node.mapped().stream->End(EndMessage({.outcome = expired ? Outcome::kTimeout : Outcome::kBusy,
                                        .message = std::string(RefusalReason(refuse.reason)),
                                        .retry_after = refuse.retry_after,
                                        .request_id = node.mapped().request_id},
                                       settings_.identity));
}

void Agent::Do(const StartJob& start) {
  Attempt& attempt = attempts_[start.attempt];
  attempt.started = runtime::MonotonicNow();
  running_ = start.attempt;
  backend_->Start(std::move(attempt.order), *this);
}

void Agent::Do(const StopJob&) { backend_->Cancel(); }

void Agent::Do(const AttemptEnded& ended) {
  const auto found = attempts_.find(ended.attempt);
  Attempt& attempt = found->second;
  attempt.ended = runtime::MonotonicNow();
  const bool started = attempt.started != InfinitePast();
  const Duration service = started ? attempt.ended - attempt.started : ZeroDuration();
  const WorkEnd& said = attempt.verdict ? *attempt.verdict : attempt.work;
  const Outcome outcome = attempt.verdict ? said.outcome : ended.outcome;
  EndSpec end{.outcome = outcome,
              .message = said.message,
              .retry_after = said.retry_after,
              .content_type = said.content_type,
              .result_bytes = attempt.result_bytes,
              .request_id = attempt.request_id,
              .service = service};
  if (end.message.empty()) end.message = WhyEnded(outcome, started);
  if (outcome == Outcome::kDone) ++totals_.done;
  metrics_.CountEnded(outcome, service);
  if (outcome == Outcome::kDone)
    log_.Debug(
        absl::StrCat("job ", attempt.request_id, " is done", end.message.empty() ? "" : "; ", end.message));
  if (outcome == Outcome::kFailed)
    log_.Warning(absl::StrCat("job ", attempt.request_id, " failed: ", end.message));
  if (attempt.stream == nullptr) {
    attempts_.erase(found);
  } else {
    attempt.order = {};
    attempt.stream->End(EndMessage(end, settings_.identity));
  }
}

void Agent::Do(const StateChanged&) {
  ShowState();
  CheckQuiet();
}

// ---- bounds, beats ----

void Agent::BoundUnsent() {
  std::size_t unsent = 0;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.stream != nullptr) unsent += attempt.stream->unsent_bytes();
  }
  // Ids grow, so the first in the map has waited longest.
  for (auto& [id, attempt] : attempts_) {
    if (unsent <= settings_.unsent_bytes_max) return;
    if (attempt.stream == nullptr || attempt.stream->unsent_bytes() == 0) continue;
    log_.Warning(
        absl::StrCat("job ", attempt.request_id, ": its result is not fetched and takes too much memory"));
    unsent -= attempt.stream->unsent_bytes();
    attempt.stream->Break();
  }
}

void Agent::Beat() {
  const Time now = runtime::MonotonicNow();
  for (auto& [id, attempt] : attempts_) {
    const bool late = attempt.has_ended() && now - attempt.ended > settings_.delivery_max;
    if (late && attempt.stream != nullptr) attempt.stream->Break();
  }
  ShowState();
  beat_.Arm(now + kBeat);
}

void Agent::ShowState() {
  const Time now = runtime::MonotonicNow();
  const SlotView view = slot_.machine().View(now);
  metrics_.Show(view, now);
  const bool serving = !view.draining && !view.resting;
  if (serving != std::exchange(shown_serving_, serving)) serving_(serving);
  if (watchers_.empty()) return;
  const v1::WorkerState state = Announcement(view);
  for (auto& [id, watcher] : watchers_) watcher->Send(state);
}

v1::WorkerState Agent::State() { return Announcement(slot_.machine().View(runtime::MonotonicNow())); }

v1::WorkerState Agent::Announcement(const SlotView& view) {
  v1::WorkerState state = StateMessage(view, slot_.machine().NextSequence(), totals_, settings_.identity);
  const auto found = attempts_.find(view.attempt);
  if (view.busy && found != attempts_.end()) state.set_request_id(found->second.request_id);
  return state;
}

void Agent::CheckQuiet() {
  if (!quiet_ || !attempts_.empty()) return;
  for (auto& [id, watcher] : watchers_) watcher->Close(grpc::Status::OK);
  std::exchange(quiet_, nullptr)();
}

}  // namespace ringway::worker
