#include "router/daemon/jobs/attempts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Messages that may stand in a delay line before reading pauses.
constexpr int kDownHeldMax = 4;

Duration RetryAfter(const v1::End& end) {
  const double seconds = end.retry_after_s();
  return seconds > 0 && seconds < 86400 ? Seconds(seconds) : ZeroDuration();
}

}  // namespace

Outcome OutcomeOf(const std::string& name) {
  for (const Outcome o : {Outcome::kDone, Outcome::kBusy, Outcome::kFailed, Outcome::kTimeout,
                          Outcome::kCancelled, Outcome::kShed, Outcome::kRejected}) {
    if (OutcomeName(o) == name) return o;
  }
  return Outcome::kFailed;
}

Attempts::Attempt* Attempts::Find(AttemptId id) {
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? nullptr : &found->second;
}

void Attempts::Offer(const OfferToWorker& offer, const std::shared_ptr<v1::Worker::Stub>& worker,
                     v1::JobUp header) {
  Attempt& attempt = attempts_[offer.attempt];
  attempt.job = offer.job;
  attempt.worker = offer.worker;
  attempt.name = header.header().offer();
  attempt.way = WithdrawCall::To(worker);
  attempt.stream = new AttemptStream(offer.attempt, loop_, streams_, *this);  // deletes itself after OnOver
  attempt.stream->CallWorker(*worker);
  attempt.stream->Send(std::move(header));
}

void Attempts::Forward(const ForwardToRouter& forward, const std::shared_ptr<v1::Peer::Stub>& router,
                       v1::JobUp header, Duration one_way) {
  const AttemptId id = forward.attempt;
  Attempt& attempt = attempts_[id];
  attempt.job = forward.job;
  attempt.router = forward.router;
  attempt.name = header.header().offer();
  attempt.way = WithdrawCall::To(router);
  attempt.stream = new AttemptStream(id, loop_, streams_, *this);  // deletes itself after OnOver
  attempt.stream->CallRouter(*router);
  if (one_way <= ZeroDuration()) {
    attempt.stream->Send(std::move(header));
    return;
  }
  attempt.up = std::make_unique<DelayLine<Up>>(loop_, one_way, [this, id](Up& up) { DeliverUp(id, up); });
  attempt.down =
      std::make_unique<DelayLine<Down>>(loop_, one_way, [this, id](Down& down) { Deliver(id, down); });
  attempt.up->Push(std::move(header));
}

bool Attempts::HasRoom(AttemptId id) const {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.stream == nullptr || found->second.withdrawn) return false;
  return found->second.stream->unsent_bytes() + found->second.up_held_bytes < kWindowBytes;
}

void Attempts::SendChunk(AttemptId id, const std::string& bytes) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr || attempt->stream == nullptr || attempt->withdrawn) return;
  v1::JobUp up;
  up.set_chunk(bytes);
  if (attempt->up == nullptr) {
    attempt->stream->Send(std::move(up));
  } else {
    attempt->up_held_bytes += bytes.size();
    attempt->up->Push(std::move(up));
  }
}

// What was withdrawn before its upload has ended does not begin.
void Attempts::CloseUpload(AttemptId id) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr || attempt->stream == nullptr || attempt->withdrawn) return;
  if (attempt->up == nullptr) {
    attempt->stream->CloseUpload();
  } else {
    attempt->up->Push(UploadEnd{});
  }
}

void Attempts::DeliverUp(AttemptId id, Up& up) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr || attempt->stream == nullptr) return;
  if (auto* message = std::get_if<v1::JobUp>(&up)) {
    attempt->up_held_bytes -= message->chunk().size();
    attempt->stream->Send(std::move(*message));
  } else if (std::holds_alternative<UploadEnd>(up)) {
    attempt->stream->CloseUpload();
  } else {
    AskToStop(id, *attempt);
  }
}

void Attempts::ReadNext(AttemptId id) {
  Attempt* attempt = Find(id);
  if (attempt != nullptr && attempt->stream != nullptr) attempt->stream->ReadNext();
}

// A router gets the payload at once, a worker when it has accepted; before that it cannot have begun.
void Attempts::Withdraw(AttemptId id, Outcome why) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr || attempt->stream == nullptr) return;
  const bool again = std::exchange(attempt->withdrawn, true);
  if (!again) attempt->why = why;
  const bool may_run = attempt->router.valid() || attempt->accepted;
  const bool asks = may_run && why != Outcome::kTimeout && !attempt->name.empty();
  if (!asks || attempt->ended || attempt->cancelled || closed_) return Cancel(*attempt);
  // However slow the client is: the End comes after what there is of a result.
  ReadNext(id);
  if (again) return;
  if (attempt->up == nullptr) {
    AskToStop(id, *attempt);
  } else {
    attempt->up->Push(Withdrawal{});
  }
}

void Attempts::AskToStop(AttemptId id, Attempt& attempt) {
  attempt.call =
      WithdrawCall::Start(attempt.way, attempt.name, loop_, streams_,
                          [this, id, alive = std::weak_ptr<bool>(alive_)](std::optional<bool> known) {
                            if (!alive.expired()) OnAskedToStop(id, known);
                          });
}

void Attempts::OnAskedToStop(AttemptId id, std::optional<bool> known) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr) return;
  attempt->call.reset();
  if (known.value_or(false) || attempt->ended) return;
  if (!known) return Cancel(*attempt);
  attempt->grace = std::make_unique<runtime::Alarm>(loop_, [this, id] {
    if (Attempt* late = Find(id); late != nullptr && !late->ended) Cancel(*late);
  });
  attempt->grace->Arm(runtime::MonotonicNow() + kEndGrace);
}

void Attempts::Cancel(Attempt& attempt) {
  attempt.cancelled = true;
  if (attempt.stream != nullptr) attempt.stream->Cancel();
}

void Attempts::Forget(AttemptId id) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  if (found->second.call != nullptr) found->second.call->Cancel();
  attempts_.erase(found);
}

void Attempts::Close() {
  closed_ = true;
  for (auto& [id, attempt] : attempts_) {
    if (attempt.call != nullptr) attempt.call->Cancel();
    if (attempt.withdrawn) Cancel(attempt);
  }
}

void Attempts::OnDown(AttemptStream& stream, v1::JobDown& message) {
  Attempt* attempt = Find(stream.id());
  if (attempt == nullptr) return;
  Down down{.message = std::move(message), .status = {}};
  if (attempt->down == nullptr) {
    Deliver(stream.id(), down);
    return;
  }
  ++attempt->down_held;
  attempt->down->Push(std::move(down));
  if (attempt->down_held < kDownHeldMax) stream.ReadNext();
}

void Attempts::OnSent(AttemptStream& stream) {
  const Attempt* attempt = Find(stream.id());
  if (attempt != nullptr && !attempt->ended) sink_.OnRoom(attempt->job, stream.id());
}

void Attempts::OnOver(AttemptStream& stream, const grpc::Status& status) {
  Attempt* attempt = Find(stream.id());
  if (attempt == nullptr) return;
  attempt->stream = nullptr;
  Down over{.message = std::nullopt, .status = status, .upload_left = stream.upload_left()};
  if (attempt->down == nullptr || attempt->cancelled) {
    Deliver(stream.id(), over);
  } else {
    attempt->down->Push(std::move(over));
  }
}

void Attempts::Deliver(AttemptId id, Down& down) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr) return;
  if (!down.message) {
    if (!attempt->ended) ReportBreak(id, *attempt, down);
    // Not here: the delay line that called may belong to it.
    (void)loop_.Post([this, id] { Forget(id); });
    return;
  }
  if (attempt->down != nullptr) --attempt->down_held;
  bool room = true;
  if (attempt->ended) return ReadNext(id);  // whatever a peer says after its last word
  switch (down.message->kind_case()) {
    case v1::JobDown::kAccepted:
      attempt->accepted = true;
      sink_.OnAccepted(attempt->job, id, down.message->accepted());
      room = MayReadOn(id, *attempt);
      break;
    case v1::JobDown::kProgress:
      room = PassProgress(id, *attempt, *down.message);
      room = MayReadOn(id, *attempt) && room;
      break;
    case v1::JobDown::kHttp:
    case v1::JobDown::kChunk:
      room = sink_.OnRelay(attempt->job, id, *down.message);
      break;
    case v1::JobDown::kEnd:
      PassHeld(id, *attempt);
      ReportEnd(id, *attempt, down.message->end());
      break;
    case v1::JobDown::KIND_NOT_SET:
      room = MayReadOn(id, *attempt);
      break;
  }
  if (room) ReadNext(id);
}

bool Attempts::PassProgress(AttemptId id, Attempt& attempt, v1::JobDown& message) {
  const Time now = runtime::MonotonicNow();
  if (attempt.passed.Take(now)) {
    attempt.progress.reset();
    return sink_.OnRelay(attempt.job, id, message);
  }
  attempt.progress = std::move(message);
  ArmPace(id, attempt, now);
  return true;
}

bool Attempts::MayReadOn(AttemptId id, Attempt& attempt) {
  const Time now = runtime::MonotonicNow();
  if (attempt.read.Take(now)) return true;
  attempt.read_at = attempt.read.Next(now) + kReadPause;
  ArmPace(id, attempt, now);
  return false;
}

void Attempts::ArmPace(AttemptId id, Attempt& attempt, Time now) {
  if (attempt.pace == nullptr) {
    attempt.pace = std::make_unique<runtime::Alarm>(loop_, [this, id] { OnPace(id); });
  }
  const Time passes = attempt.progress ? attempt.passed.Next(now) : InfiniteFuture();
  attempt.pace->Arm(std::min(passes, attempt.read_at));
}

void Attempts::PassHeld(AttemptId id, Attempt& attempt) {
  if (!attempt.progress) return;
  v1::JobDown newest = *std::exchange(attempt.progress, std::nullopt);
  (void)sink_.OnRelay(attempt.job, id, newest);
}

void Attempts::OnPace(AttemptId id) {
  Attempt* attempt = Find(id);
  if (attempt == nullptr || attempt->ended) return;
  const Time now = runtime::MonotonicNow();
  if (attempt->progress && attempt->passed.Take(now)) PassHeld(id, *attempt);
  const bool reads = now >= attempt->read_at;
  if (reads) attempt->read_at = InfiniteFuture();
  ArmPace(id, *attempt, now);
  if (reads) ReadNext(id);
}

void Attempts::ReportEnd(AttemptId id, Attempt& attempt, const v1::End& end) {
  attempt.ended = true;
  const Outcome outcome = OutcomeOf(end.outcome());
  const bool refused =
      outcome == Outcome::kBusy || outcome == Outcome::kShed || outcome == Outcome::kRejected;
  // Withdrawn while the worker waited for the rest of the payload.
  const bool incomplete = attempt.withdrawn && attempt.worker.valid() && attempt.stream != nullptr &&
                          attempt.stream->upload_open();
  sink_.OnEnded({.job = attempt.job,
                 .attempt = id,
                 .worker = attempt.worker,
                 .router = attempt.router,
                 .outcome = outcome,
                 .answered = true,
                 .may_have_started = !refused && !incomplete,
                 .retry_after = RetryAfter(end),
                 .import_full = outcome == Outcome::kBusy && end.refusal() == kImportCapReason,
                 .message = end.message()},
                &end);
}

void Attempts::ReportBreak(AttemptId id, Attempt& attempt, const Down& over) {
  attempt.ended = true;
  // The service refuses a call above its bound before it looks at it: full, not broken.
  const bool full = over.status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  const Outcome outcome = attempt.withdrawn ? attempt.why : full ? Outcome::kBusy : Outcome::kFailed;
  const char* who = attempt.worker.valid() ? "the worker" : "the router of the other region";
  sink_.OnEnded(
      {.job = attempt.job,
       .attempt = id,
       .worker = attempt.worker,
       .router = attempt.router,
       .outcome = outcome,
       .answered = full,
       .may_have_started = over.upload_left && !full,
       .message = attempt.why == Outcome::kTimeout
                      ? "the worker did not answer an offer in time"
                      : absl::StrCat("lost ", who, ": ",
                                     over.status.error_message().empty() ? "the call ended without a word"
                                                                         : over.status.error_message())},
      nullptr);
}

}  // namespace ringway::router
