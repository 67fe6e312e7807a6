// The jobs of this router as calls, first half: what the client sends.
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/job_codec.h"
#include "router/daemon/jobs/job_calls.h"
#include "runtime/clock.h"
#include "runtime/http/field_text.h"

namespace ringway::router {

void JobCalls::OnMessage(CallStream& stream, v1::JobUp& message) {
  if (stream.job().valid()) {
    Call& call = *calls_[stream.job()];
    call.client_reading = false;
    if (call.stage == Stage::kEnded) return;
    if (message.has_chunk()) return OnChunk(stream, call, *message.mutable_chunk());
    return GiveUpUpload(stream.job(), Outcome::kRejected,
                        "after the header only chunks of the payload may follow");
  }
  if (message.has_header()) return OnHeader(stream, *message.mutable_header());
  Refuse(stream, Outcome::kRejected, "the first message of a job must be its header");
}

void JobCalls::Refuse(CallStream& stream, Outcome outcome, const std::string& why) {
  metrics_.CountRefused(outcome);
  v1::JobDown down;
  down.mutable_end()->set_outcome(std::string(OutcomeName(outcome)));
  down.mutable_end()->set_message(why);
  down.mutable_end()->mutable_trace()->set_router(settings_.router);
  stream.End(std::move(down));
}

void JobCalls::OnHeader(CallStream& stream, v1::JobHeader& header) {
  const Time now = runtime::MonotonicNow();
  auto facts = FactsOf(header, stream.forwarded(), fleet_, now);
  if (!facts.ok()) return Refuse(stream, Outcome::kRejected, std::string(facts.status().message()));
  if (stream.forwarded() && header.has_http() && http_offers_ == nullptr) {
    return Refuse(stream, Outcome::kBusy, "this router has no pool of plain HTTP workers; ask another one");
  }
  if (header.has_http() && stream.forwarded() && !http::IsRequestHead(header.http().head())) {
    return Refuse(stream, Outcome::kRejected,
                  "JobHeader.http.head: is not a request line and fields, each with CRLF");
  }
  const JobId id = live_ < settings_.jobs_max ? jobs_.Take(*this) : JobId();
  if (!id.valid()) {
    return Refuse(stream, Outcome::kShed,
                  absl::StrCat("this router holds its maximum of ", settings_.jobs_max, " jobs"));
  }
  calls_[id] = std::make_unique<Call>();
  Call& call = *calls_[id];
  ++live_;
  call.serial = ++last_serial_;
  call.stream = &stream;
  stream.SetJob(id);
  call.facts = *facts;
  call.header.Swap(&header);
  stream.FillTraceContext(call.header);
  Sanitize(call.header, stream.forwarded(), fleet_, absl::StrCat(settings_.router, "-", call.serial));
  if (!call.header.offer().empty()) forwarded_[call.header.offer()] = id;
  BeginTrace(call, now);
  call.upload = std::make_unique<Upload>(
      loop_, late_uploads_, settings_.upload, stream.client(), call.facts.deadline,
      [this, id](Outcome outcome, const std::string& why) { GiveUpUpload(id, outcome, why); });
  ReadMore(call);
}

void JobCalls::OnChunk(CallStream& stream, Call& call, std::string& bytes) {
  const JobId id = stream.job();
  if (bytes.size() > wire::kChunkBytesMax) {
    return GiveUpUpload(
        id, Outcome::kRejected,
        absl::StrCat("a chunk is ", bytes.size(), " bytes long, allowed are ", wire::kChunkBytesMax));
  }
  if (payload_bytes_ + bytes.size() > settings_.payload_total_max) {
    return GiveUpUpload(id, Outcome::kShed,
                        absl::StrCat("the payloads of all jobs at this router take ",
                                     settings_.payload_total_max, " bytes, its maximum"));
  }
  if (call.upload != nullptr) call.upload->Heard();
  payload_bytes_ += bytes.size();
  if (!call.header.idempotency_key().empty()) call.payload_hash = HashOn(call.payload_hash, bytes);
  call.payload.Append(std::move(bytes));
  if (call.stage == Stage::kUploading && call.payload.bytes() >= settings_.payload_keep_max) Arrive(id);
  Pump(id);
}

void JobCalls::OnUploadEnd(CallStream& stream) {
  if (!stream.job().valid()) {
    return Refuse(stream, Outcome::kRejected, "the call carried no job: it ended before a header came");
  }
  Call& call = *calls_[stream.job()];
  call.client_reading = false;
  call.upload_complete = true;
  if (call.stage == Stage::kEnded) return;
  const std::uint64_t stated = call.header.payload_bytes();
  if (stated != 0 && stated != call.payload.total()) {
    return GiveUpUpload(stream.job(), Outcome::kRejected,
                        absl::StrCat("JobHeader.payload_bytes: is ", stated, ", but ", call.payload.total(),
                                     " bytes arrived"));
  }
  if (call.stage == Stage::kUploading) Arrive(stream.job());
  Pump(stream.job());
}

// The client's part was wrong, late or too much. What the machine knows of already ends there as cancelled.
void JobCalls::GiveUpUpload(JobId id, Outcome outcome, const std::string& why) {
  Call& call = *calls_[id];
  if (call.stage == Stage::kEnded) return;
  const bool with_machine = call.stage == Stage::kWithMachine;
  call.stage = Stage::kEnded;
  call.upload.reset();
  ReleasePayload(call);
  if (call.stream != nullptr) Refuse(*call.stream, outcome, why);
  if (with_machine) tell_(ClientGone{id});
}

void JobCalls::Arrive(JobId id) {
  Call& call = *calls_[id];
  call.upload.reset();
  call.stage = Stage::kWithMachine;
  // Of a payload that is too large to be kept, a part would depend on how fast it comes.
  call.facts.once = WishOf(call.header, call.upload_complete ? call.payload_hash : kFnvBasis);
  tell_(JobArrived{id, call.facts});
}

// Reads on while the payload may be kept, or while an attempt takes it as it comes.
void JobCalls::ReadMore(Call& call) {
  if (call.stream == nullptr || call.client_reading || call.upload_complete || call.stage == Stage::kEnded)
    return;
  const bool kept = call.payload.bytes() < settings_.payload_keep_max;
  if (!kept && !(call.attempt != 0 && call.attempt_takes_payload && call.payload.Next() == nullptr)) return;
  call.client_reading = true;
  call.stream->ReadNext();
}

void JobCalls::Pump(JobId id) {
  Call& call = *calls_[id];
  if (call.attempt != 0 && call.attempt_takes_payload && !call.upload_closed) {
    while (call.carrier->HasRoom(call.attempt)) {
      const std::string* chunk = call.payload.Next();
      if (chunk == nullptr) break;
      call.carrier->SendChunk(call.attempt, *chunk);
      call.payload.Advance();
    }
    if (!call.upload_complete && call.payload.bytes() >= settings_.payload_keep_max) {
      payload_bytes_ -= call.payload.DropTaken();
      RuleOutRepeat(id, "the payload is too large to be kept");
    }
    if (call.upload_complete && call.payload.Next() == nullptr) {
      call.upload_closed = true;
      call.carrier->CloseUpload(call.attempt);
    }
  }
  ReadMore(call);
}

}  // namespace ringway::router
