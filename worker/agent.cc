#include "worker/agent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/job_codec.h"
#include "runtime/clock.h"

namespace ringway::worker {

Agent::Agent(runtime::EventLoop& loop, AgentSettings settings, std::unique_ptr<Backend> backend,
             WorkerMetrics& metrics, const runtime::Logger& log, std::function<void(bool)> serving)
    : settings_(std::move(settings)),
      metrics_(metrics),
      log_(log),
      serving_(std::move(serving)),
      node_(settings_.node),
      wake_(loop, [this] { Apply(WorkerWake{}); }),
      flush_(loop, [this] { journal_->Flush(runtime::MonotonicNow()); }),
      backend_(std::move(backend)) {
  if (settings_.journal_bytes == 0) return;
  journal_ =
      std::make_unique<Recorder>(settings_.journal, settings_.journal_bytes, settings_.node, node_, log_);
  journal_->Begin(runtime::MonotonicNow());
}

template <class Event>
void Agent::Apply(const Event& event) {
  const Time now = runtime::MonotonicNow();
  node_.Step(now, event, shell_);
  if (journal_ != nullptr) Record(now, event);
  wake_.Arm(std::min(node_.NextWake(), node_.NextHeartbeat()));
}

void Agent::Record(Time now, const WorkerEvent& event) {
  journal_->Note(now, event, noted_);
  noted_.clear();
  flush_.Arm(journal_->FlushAt());
}

void Agent::BeginStop(std::function<void()> quiet) {
  quiet_ = std::move(quiet);
  Apply(StopOrdered{});
}

// ---- streams ----

Agent::Job& Agent::JobOf(JobStream& stream) {
  Job& job = jobs_[stream.id()];
  job.stream = &stream;
  return job;
}

void Agent::OnMessage(JobStream& stream, v1::JobUp& message) {
  const AttemptId id = stream.id();
  const bool first = !jobs_.contains(id);
  Job& job = JobOf(stream);
  if (message.has_chunk() || (first && !message.has_header())) {
    piece_ = std::move(*message.mutable_chunk());
    return Apply(PayloadArrived{id, piece_.size()});
  }
  const absl::Status fits = CheckForWorker(message.header(), settings_.identity);
  if (!first || !fits.ok()) {
    malformed_ = std::string(fits.message());
    return Apply(MessageMalformed{id});
  }
  job.order = OrderOf(message.header());
  job.request_id = message.header().request_id();
  job.attempt = message.header().offer();
  Apply(OfferOf(message.header(), id, runtime::MonotonicNow()));
}

void Agent::OnUploadEnd(JobStream& stream) {
  JobOf(stream);
  Apply(UploadEnded{stream.id()});
}

void Agent::OnCancelled(JobStream& stream) {
  JobOf(stream);
  Apply(AttemptCancelled{stream.id()});
}

void Agent::OnDrained(JobStream& stream) { Apply(ResultWaits{stream.id(), stream.unsent_bytes()}); }

void Agent::OnClosed(JobStream& stream) {
  job_streams.fetch_sub(1);
  JobOf(stream).stream = nullptr;
  Apply(StreamClosed{stream.id()});
  if (node_.attempt() != stream.id()) jobs_.erase(stream.id());
}

void Agent::OnWatch(WatchStream& stream) {
  watchers_[stream.id()] = &stream;
  Apply(WatchOpened{stream.id()});
}

void Agent::OnWatchClosed(WatchStream& stream) {
  watchers_.erase(stream.id());
  watch_streams.fetch_sub(1);
  Apply(WatchClosed{});
}

v1::WorkerState Agent::OnDrain(bool drain, Duration lasts) {
  Apply(SlotDrain{drain, lasts});
  return std::move(reply_);
}

absl::StatusOr<v1::WorkerState> Agent::OnFence(const v1::FenceRequest& request) {
  const auto fenced = FencedOf(request);
  if (!fenced.ok()) return fenced.status();
  Apply(*fenced);
  return std::move(reply_);
}

bool Agent::OnWithdraw(const std::string& attempt) {
  const AttemptId id = node_.attempt();
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second.attempt != attempt) return false;
  Apply(AttemptWithdrawn{id});
  return true;
}

// ---- the backend ----

void Agent::OnProgress(std::uint32_t step, std::uint32_t steps) { Apply(WorkProgressed{step, steps}); }

void Agent::OnResult(std::string bytes) {
  metrics_.CountResult(bytes.size());
  piece_ = std::move(bytes);
  Apply(ResultMade{piece_.size()});
  piece_ = {};
  const auto found = jobs_.find(node_.attempt());
  if (found == jobs_.end() || found->second.stream == nullptr) return;
  Apply(ResultWaits{found->first, found->second.stream->unsent_bytes()});
}

void Agent::OnEnd(WorkEnd end) {
  said_ = std::move(end);
  Apply(WorkEnded{said_.outcome});
}

// ---- what the node wants ----

void Agent::Do(const AcceptAttempt& accept) {
  JobStream& stream = *jobs_[accept.attempt].stream;
  stream.Write(AcceptedMessage(settings_.identity));
  stream.ReadNext();
}

void Agent::Do(const KeepPayload& keep) {
  Job& job = jobs_[keep.attempt];
  job.order.payload += piece_;
  metrics_.CountPayload(piece_.size());
  if (job.stream != nullptr) job.stream->ReadNext();
}

void Agent::Do(const EndAttempt& end) {
  const auto found = jobs_.find(end.attempt);
  Job& job = found->second;
  // The backend has said nothing of what was never started, and what we found counts more.
  if (!end.started || end.reason != EndReason::kWork) said_ = {};
  const std::string message = WhyEnded(end, said_, malformed_, settings_.node);
  Note(end, job, message);
  job.order = {};
  if (job.stream == nullptr) {
    jobs_.erase(found);
  } else {
    job.stream->End(EndMessage(end, said_, message, job.request_id, settings_.identity));
  }
}

void Agent::Note(const EndAttempt& end, const Job& job, const std::string& message) {
  const std::string name = absl::StrCat("job ", job.request_id);
  switch (end.reason) {
    case EndReason::kNoJob:
      return;
    case EndReason::kMalformed:
    case EndReason::kNoHeader:
      return metrics_.CountMalformed();
    case EndReason::kRefused:
      metrics_.CountRefused(end.refusal);
      if (end.refusal != Refusal::kDoubleGrant) return;
      return log_.Error(absl::StrCat(name,
                                     " came with a lease while another lease is in the slot: the ledger ",
                                     "granted this worker twice"));
    default:
      metrics_.CountEnded(end.outcome, end.service);
  }
  if (end.outcome == Outcome::kDone) {
    log_.Debug(absl::StrCat(name, " is done", message.empty() ? "" : "; ", message));
  } else if (end.outcome == Outcome::kFailed) {
    log_.Warning(absl::StrCat(name, " failed: ", message));
  }
}

void Agent::Do(const BreakStream& broken) {
  const auto found = jobs_.find(broken.attempt);
  if (found == jobs_.end() || found->second.stream == nullptr) return;
  if (broken.reason == BreakReason::kTooMuchUnsent) {
    log_.Warning(absl::StrCat("job ", found->second.request_id,
                              ": its result is not fetched and takes too much memory"));
  }
  found->second.stream->Break();
}

void Agent::Do(const StartWork& start) { backend_->Start(std::move(jobs_[start.attempt].order), *this); }

void Agent::Do(const CancelWork&) { backend_->Cancel(); }

void Agent::Do(const RelayProgress& relay) {
  jobs_[relay.attempt].stream->Write(ProgressMessage(relay.progress.step, relay.progress.steps));
}

void Agent::Do(const RelayResult& relay) {
  JobStream& stream = *jobs_[relay.attempt].stream;
  if (piece_.size() <= wire::kChunkBytesMax) return stream.Write(ChunkMessage(std::move(piece_)));
  for (std::size_t at = 0; at < piece_.size(); at += wire::kChunkBytesMax) {
    stream.Write(ChunkMessage(piece_.substr(at, wire::kChunkBytesMax)));
  }
}

void Agent::Do(const TellWatchers& tell) {
  const Time now = runtime::MonotonicNow();
  metrics_.Show(node_.slot().View(now), now);
  if (watchers_.empty()) return;
  const v1::WorkerState state = State(tell.sequence);
  for (auto& [id, watcher] : watchers_) watcher->Send(state);
}

void Agent::Do(const TellWatcher& tell) { watchers_[tell.watch]->Send(State(tell.sequence)); }

void Agent::Do(const TellCaller& tell) { reply_ = State(tell.sequence); }

void Agent::Do(const ServingChanged& changed) { serving_(changed.serving); }

void Agent::Do(const WentQuiet&) {
  for (auto& [id, watcher] : watchers_) watcher->Close(grpc::Status::OK);
  quiet_();
}

v1::WorkerState Agent::State(std::uint64_t sequence) const {
  const SlotView view = node_.slot().View(runtime::MonotonicNow());
  v1::WorkerState state = StateMessage(view, sequence, node_.totals(), settings_.identity);
  const auto found = jobs_.find(view.attempt);
  if (view.busy && found != jobs_.end()) state.set_request_id(found->second.request_id);
  return state;
}

}  // namespace ringway::worker
