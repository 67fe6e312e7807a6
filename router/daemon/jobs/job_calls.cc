#include "router/daemon/jobs/job_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "core/lease.h"
#include "proto/job_codec.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Bytes of a result that may wait for a slow client.
constexpr std::size_t kResultWindowBytes = std::size_t{4} << 20;

}  // namespace

JobCalls::JobCalls(runtime::EventLoop& loop, StreamCount& client_streams, CallSettings settings,
                   JobTable& jobs, const KnownFleet& fleet, AddressTable& addresses, RouterMetrics& metrics,
                   const runtime::Logger& log, Tell tell)
    : loop_(loop),
      settings_(std::move(settings)),
      jobs_(jobs),
      fleet_(fleet),
      addresses_(addresses),
      metrics_(metrics),
      log_(log),
      tell_(std::move(tell)),
      attempts_(loop, client_streams, *this),
      traces_(settings_.router, fleet.fleet->world.regions[fleet.home].name) {
  for (std::size_t i = 0; i < jobs_.jobs_max(); ++i) calls_.push_back(nullptr);
}

// ---- the machine's actions ----

void JobCalls::BeginAttempt(Call& call, AttemptCarrier& carrier, AttemptId attempt, bool takes_payload) {
  call.attempt = attempt;
  call.carrier = &carrier;
  call.attempt_takes_payload = takes_payload;
  call.upload_closed = false;
  call.result_paused = false;
  call.kept.Begin();
  call.payload.Rewind();
}

void JobCalls::Perform(const OfferToWorker& offer) {
  Call& call = *calls_[offer.job];
  const bool plain = call.header.has_http();
  if (plain != (http_offers_ != nullptr && http_offers_->Knows(offer.worker))) return tell_(WrongDoor(offer));
  if (plain) {
    BeginAttempt(call, *http_offers_, offer.attempt, true);
  } else {
    BeginAttempt(call, attempts_, offer.attempt, false);
  }
  AddToTrace(call, "offered", NameOf(offer.worker),
             offer.lease == Lease{} ? "found by probing" : "granted by the ledger");
  ++call.offers;
  if (plain) {
    http_offers_->Offer(offer, call.header.http(), call.facts);
    return Pump(offer.job);
  }
  // Without a leader's lease, a token that is told apart from every other offer.
  const std::string lease =
      offer.lease == Lease{} ? absl::StrCat(settings_.router, "/", offer.attempt) : FormatLease(offer.lease);
  attempts_.Offer(offer, addresses_.WorkerStub(offer.worker),
                  HeaderForWorker(call.header, call.facts, lease, runtime::MonotonicNow(),
                                  AttemptName(settings_.router, settings_.incarnation, offer.attempt)));
}

void JobCalls::Perform(const ForwardToRouter& forward) {
  Call& call = *calls_[forward.job];
  BeginAttempt(call, attempts_, forward.attempt, true);
  const Time now = runtime::MonotonicNow();
  const RttMatrix& rtts = fleet_.fleet->world.rtt;
  const Duration rtt = Milliseconds(rtts.ms(fleet_.home, forward.route.target));
  call.forwarded_at = now;
  metrics_.CountForward(forward);
  AddToTrace(call, "forwarded", addresses_.router(forward.router).name, forward.route.reason);
  attempts_.Forward(forward, addresses_.PeerStub(forward.router),
                    HeaderForRouter(call.header, call.facts, forward, rtt, now,
                                    AttemptName(settings_.router, settings_.incarnation, forward.attempt)),
                    settings_.emulate_rtt ? rtt / 2 : ZeroDuration());
  Pump(forward.job);
}

void JobCalls::Perform(const WithdrawAttempt& withdraw) {
  // The attempt stays the job's. One that ends now is told so next; any other hears this attempt's end first,
  // which may be that it was done in this moment, with all of its result.
  Call& call = *calls_[withdraw.job];
  if (call.carrier != nullptr) call.carrier->Withdraw(withdraw.attempt, withdraw.why);
  AddToTrace(call, "withdrawn", "", OutcomeName(withdraw.why));
  // No more of the payload goes to it, and its carrier reads on by itself.
  call.attempt_takes_payload = false;
  call.result_paused = false;
}

void JobCalls::Perform(EndJob& end) {
  Call& call = *calls_[end.job];
  if (end.outcome == Outcome::kCancelled && !call.cancelled.empty()) end.message = call.cancelled;
  metrics_.CountEnd(end, call.facts, runtime::MonotonicNow());
  if (end.outcome == Outcome::kFailed) {
    log_.Warning(absl::StrCat("job ", call.header.request_id(), " failed: ", end.message));
  }
  v1::End message = EndMessage(call, end);
  call.trace.set_took_s(ToDoubleSeconds(runtime::MonotonicNow() - call.facts.arrived) - call.trace.age_s());
  *call.trace.mutable_end() = message;
  traces_.Keep(std::move(call.trace));
  const bool told = call.stage == Stage::kEnded;  // the client has had its answer
  call.stage = Stage::kEnded;
  call.attempt = 0;
  ReleasePayload(call);
  if (call.stream == nullptr) {
    Free(end.job);
    return;
  }
  if (told) return;
  if (end.result.end) return AnswerFromRecord(call, end);
  v1::JobDown down;
  *down.mutable_end() = std::move(message);
  call.stream->End(std::move(down));
}

void JobCalls::AnswerFromRecord(Call& call, const EndJob& end) {
  if (end.outcome == Outcome::kDone) {
    for (std::size_t at = 0; at < end.result.bytes->size(); at += wire::kChunkBytesMax) {
      v1::JobDown down;
      down.set_chunk(end.result.bytes->substr(at, wire::kChunkBytesMax));
      call.stream->Write(std::move(down));
    }
  }
  v1::JobDown down;
  v1::End& message = *down.mutable_end();
  if (!message.ParseFromString(*end.result.end)) message.Clear();
  message.set_outcome(std::string(OutcomeName(end.outcome)));
  message.set_message(end.message);
  message.mutable_trace()->set_request_id(call.header.request_id());
  message.mutable_trace()->set_reason(std::string(end.trace.route.reason));
  call.stream->End(std::move(down));
}

v1::End JobCalls::EndMessage(const Call& call, const EndJob& end) const {
  v1::End message;
  // Another router's trace is the better one for what happened there; a worker's is short.
  if (call.last_end) message = *call.last_end;
  const double age_s = std::max(0.0, ToDoubleSeconds(runtime::MonotonicNow() - call.facts.arrived));
  message.set_outcome(std::string(OutcomeName(end.outcome)));
  if (!end.message.empty() || !call.last_end) message.set_message(end.message);
  message.set_retry_after_s(ToDoubleSeconds(end.retry_after));
  message.set_refusal(end.import_full ? std::string(kImportCapReason) : "");
  v1::JobTrace& trace = *message.mutable_trace();
  trace.set_request_id(call.header.request_id());
  trace.set_source_region(call.header.source_region());
  const bool elsewhere = end.trace.router.valid() && call.last_end;
  if (elsewhere) {
    // What was neither waiting nor serving was spent between the regions.
    trace.set_network_s(std::max(0.0, age_s - trace.wait_s() - trace.service_s()));
  } else {
    const Fleet& fleet = *fleet_.fleet;
    trace.set_region(fleet.world.regions[end.trace.route.target].name);
    trace.set_router(settings_.router);
    if (end.trace.worker.valid() && trace.worker().empty()) {
      trace.set_worker(NameOf(end.trace.worker));
    }
    trace.set_offers(end.trace.attempts);
    trace.set_busy(end.trace.busy);
    trace.set_delay_s(ToDoubleSeconds(end.trace.delay));
    trace.set_wait_s(ToDoubleSeconds(end.trace.wait));
    if (trace.service_s() <= 0) trace.set_service_s(ToDoubleSeconds(end.trace.service));
  }
  // A forwarded job was routed by the router that forwarded it.
  const bool routed_here = !call.facts.forwarded;
  trace.set_reason(routed_here ? std::string(end.trace.route.reason) : call.header.route_reason());
  if (routed_here) trace.set_ring(static_cast<std::uint32_t>(end.trace.route.ring + 1));
  trace.set_table_epoch(routed_here ? end.trace.table.epoch : call.header.table_epoch());
  trace.set_table_version(routed_here ? end.trace.table.version : call.header.table_version());
  return message;
}

// ---- what attempts say ----

JobCalls::Call* JobCalls::Current(JobId job, AttemptId attempt) {
  Call* call = calls_[job].get();
  return call != nullptr && call->attempt == attempt && call->stage == Stage::kWithMachine ? call : nullptr;
}

void JobCalls::OnAccepted(JobId job, AttemptId attempt, const v1::Accepted& accepted) {
  Call* call = Current(job, attempt);
  if (call == nullptr) return;
  AddToTrace(*call, "accepted", accepted.worker(), accepted.region());
  tell_(AttemptAccepted{job, attempt});
  call->attempt_takes_payload = true;
  if (call->stream != nullptr) {
    v1::JobDown down;
    *down.mutable_accepted() = accepted;
    call->stream->Write(std::move(down));
  }
  Pump(job);
}

bool JobCalls::OnRelay(JobId job, AttemptId attempt, v1::JobDown& message) {
  Call* call = Current(job, attempt);
  if (call == nullptr || call->stream == nullptr) return true;  // thrown away, so that the call can end
  if (message.has_http()) {
    // Who served goes to the client's headers, which leave before the trace does.
    v1::JobTrace& trace = *message.mutable_http()->mutable_trace();
    trace.set_region(fleet_.fleet->world.regions[fleet_.home].name);
    trace.set_router(settings_.router);
    trace.set_offers(call->offers);
    RuleOutRepeat(job, "its response has begun to be delivered");
  } else if (message.has_chunk()) {
    RuleOutRepeat(job, "part of its result has been delivered");
    if (call->facts.once) call->kept.Add(message.chunk());
  }
  call->stream->Write(std::move(message));
  call->result_paused = call->stream->unsent_bytes() >= kResultWindowBytes;
  return !call->result_paused;
}

void JobCalls::OnRoom(JobId job, AttemptId attempt) {
  if (Current(job, attempt) != nullptr) Pump(job);
}

void JobCalls::OnEnded(const AttemptEnded& ended, const v1::End* end) {
  once::Result kept;
  bool repeat_ruled_out = false;
  // A withdrawn attempt may end when its job has gone and another one has its number: that one is left alone.
  if (Call* call = Current(ended.job, ended.attempt)) {
    repeat_ruled_out = call->repeat_ruled_out;
    const std::string whom = ended.worker.valid()   ? NameOf(ended.worker)
                             : ended.router.valid() ? addresses_.router(ended.router).name
                                                    : "";
    AddToTrace(*call, "answered", whom, ended.message.empty() ? OutcomeName(ended.outcome) : ended.message);
    if (end != nullptr) {
      call->last_end = *end;
      kept = KeptOf(*call, ended, *end);
    } else {
      call->last_end.reset();
    }
    call->attempt = 0;
  }
  metrics_.CountAttempt(ended);
  // What was posted may come after this.
  if (repeat_ruled_out) tell_(RepeatRuledOut{ended.job, "part of its result has been delivered"});
  if (kept.end == nullptr) return tell_(ended);
  AttemptEnded with_result = ended;
  with_result.result = kept;
  tell_(with_result);
}

once::Result JobCalls::KeptOf(const Call& call, const AttemptEnded& ended, const v1::End& end) const {
  if (call.facts.once == nullptr || ended.outcome != Outcome::kDone) return {};
  v1::End kept = end;
  v1::JobTrace& trace = *kept.mutable_trace();
  if (trace.router().empty()) trace.set_router(settings_.router);
  if (trace.region().empty()) trace.set_region(fleet_.fleet->world.regions[fleet_.home].name);
  if (trace.worker().empty() && ended.worker.valid()) {
    trace.set_worker(addresses_.worker(ended.worker).state.worker());
  }
  return call.kept.With(kept);
}

// ---- the client's stream ----

void JobCalls::OnCancelled(CallStream& stream) {
  stream.Break();
  if (!stream.job().valid()) return;
  Call& call = *calls_[stream.job()];
  if (call.stage == Stage::kUploading) {
    call.stage = Stage::kEnded;
    call.upload.reset();
    ReleasePayload(call);
  } else if (call.stage == Stage::kWithMachine) {
    tell_(ClientGone{stream.job()});
  }
}

void JobCalls::OnDrained(CallStream& stream) {
  if (!stream.job().valid()) return;
  Call& call = *calls_[stream.job()];
  if (!call.result_paused || stream.unsent_bytes() >= kResultWindowBytes) return;
  call.result_paused = false;
  if (call.carrier != nullptr) call.carrier->ReadNext(call.attempt);
}

void JobCalls::OnClosed(CallStream& stream) {
  streams.fetch_sub(1);
  const JobId id = stream.job();
  if (!id.valid()) return;
  Call& call = *calls_[id];
  call.stream = nullptr;
  switch (call.stage) {
    case Stage::kUploading:
    case Stage::kEnded:
      Free(id);
      break;
    case Stage::kWithMachine:
      tell_(ClientGone{id});  // its EndJob frees the call
      break;
  }
}

void JobCalls::BreakAll() {
  for (const std::unique_ptr<Call>& call : calls_) {
    if (call != nullptr && call->stream != nullptr) call->stream->Break();
  }
}

// ---- traces ----

void JobCalls::BeginTrace(Call& call, Time now) {
  const Tier& tier = fleet_.fleet->tiers[call.facts.tier];
  v1::RequestTrace& trace = call.trace;
  trace.set_request_id(call.header.request_id());
  trace.set_tier(tier.name);
  // Plain requests may name a priority that the tier has no word for.
  const bool named = call.facts.priority < tier.priorities.size();
  trace.set_priority(named ? tier.priorities[call.facts.priority] : absl::StrCat(int{call.facts.priority}));
  trace.set_model(call.header.model());
  trace.set_forwarded(call.facts.forwarded);
  trace.set_arrived_unix_us(ToUnixMicros(runtime::WallNow()));
  trace.set_age_s(ToDoubleSeconds(now - call.facts.arrived));
  trace.set_deadline_s(ToDoubleSeconds(call.facts.deadline - now));
}

void JobCalls::AddToTrace(Call& call, std::string_view what, std::string whom, std::string_view detail) {
  const Duration since_entry = runtime::MonotonicNow() - call.facts.arrived;
  TraceStore::Add(call.trace, since_entry - Seconds(call.trace.age_s()), what, std::move(whom), detail);
}

// ---- small change ----

std::string JobCalls::NameOf(WorkerId worker) const {
  const KnownWorker& known = addresses_.worker(worker);
  return known.state.worker().empty() ? known.address : known.state.worker();
}

// Posted, because this may happen while the machine's actions are being performed.
void JobCalls::RuleOutRepeat(JobId id, std::string_view why) {
  Call& call = *calls_[id];
  if (std::exchange(call.repeat_ruled_out, true)) return;
  (void)loop_.Post([this, id, serial = call.serial, why] {
    const Call* now = calls_[id].get();
    if (now == nullptr || now->serial != serial || now->stage != Stage::kWithMachine) return;
    tell_(RepeatRuledOut{id, why});
  });
}

void JobCalls::ReleasePayload(Call& call) { payload_bytes_ -= call.payload.Clear(); }

void JobCalls::Free(JobId id) {
  ReleasePayload(*calls_[id]);
  const auto named = forwarded_.find(calls_[id]->header.offer());
  if (named != forwarded_.end() && named->second == id) forwarded_.erase(named);
  calls_[id].reset();
  jobs_.Free(id);
  --live_;
}

}  // namespace ringway::router
