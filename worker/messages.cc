#include "worker/messages.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/plausible_fence.h"
#include "proto/job_codec.h"
#include "proto/table_codec.h"

namespace ringway::worker {
namespace {

v1::PictureNeed NeedMessage(PictureNeed need) {
  switch (need) {
    case PictureNeed::kNone:
      return v1::PICTURE_NEED_NONE;
    case PictureNeed::kOptional:
      return v1::PICTURE_NEED_OPTIONAL;
    case PictureNeed::kRequired:
      return v1::PICTURE_NEED_REQUIRED;
    case PictureNeed::kUnsaid:
      break;
  }
  return v1::PICTURE_NEED_UNSAID;
}

}  // namespace

absl::Status CheckForWorker(const v1::JobHeader& header, const Identity& worker) {
  if (absl::Status s = wire::CheckJobHeader(header); !s.ok()) return s;
  if (header.tier().empty() || header.tier() == worker.tier) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("JobHeader.tier: is '", header.tier(), "', but worker ",
                                                 worker.name, " serves '", worker.tier, "'"));
}

AttemptOffered OfferOf(const v1::JobHeader& header, AttemptId attempt, Time now) {
  SlotOffer offer{.attempt = attempt, .lease = header.lease()};
  if (const auto lease = ParseLease(header.lease())) offer.grant = *lease;
  if (header.deadline_s() > 0) offer.deadline = now + Seconds(header.deadline_s());
  return {.offer = std::move(offer), .payload_bytes = header.payload_bytes()};
}

WorkOrder OrderOf(const v1::JobHeader& header) {
  return WorkOrder{.request_id = header.request_id(),
                   .model = header.model(),
                   .content_type = header.content_type(),
                   .prompt = header.prompt(),
                   .parameters = {header.parameters().begin(), header.parameters().end()},
                   .traceparent = header.traceparent(),
                   .tracestate = header.tracestate(),
                   .cost = {header.steps(), header.pixels(), header.frames()},
                   .payload = ""};
}

v1::JobDown AcceptedMessage(const Identity& worker) {
  v1::JobDown down;
  down.mutable_accepted()->set_worker(worker.name);
  down.mutable_accepted()->set_region(worker.region);
  return down;
}

v1::JobDown ProgressMessage(std::uint32_t step, std::uint32_t steps) {
  v1::JobDown down;
  down.mutable_progress()->set_step(step);
  down.mutable_progress()->set_steps(steps);
  return down;
}

v1::JobDown ChunkMessage(std::string bytes) {
  v1::JobDown down;
  down.set_chunk(std::move(bytes));
  return down;
}

std::string WhyEnded(const EndAttempt& end, const WorkEnd& said, std::string_view malformed,
                     const WorkerSettings& bounds) {
  switch (end.reason) {
    case EndReason::kWork:
      break;
    case EndReason::kRefused:
      return std::string(RefusalReason(end.refusal));
    case EndReason::kMalformed:
      return std::string(malformed);
    case EndReason::kNoHeader:
      return "the first message of a job must be its header";
    case EndReason::kNoJob:
      return "the call carried no job";
    case EndReason::kNotPayload:
      return "after the header only chunks of the payload may follow";
    case EndReason::kPayloadTooLarge:
      return absl::StrCat("the payload is larger than ", bounds.payload_bytes_max, " bytes");
    case EndReason::kPayloadLength:
      return absl::StrCat("the header states a payload of ", end.payload_stated, " bytes, but ",
                          end.payload_bytes, " arrived");
    case EndReason::kResultTooLarge:
      return absl::StrCat("the result is larger than ", bounds.result_bytes_max, " bytes");
  }
  if (!said.message.empty()) return said.message;
  if (end.outcome == Outcome::kTimeout) {
    return end.started ? "the deadline passed while the job ran" : "the payload did not arrive in time";
  }
  if (end.outcome != Outcome::kCancelled) return "";
  return "the job was withdrawn, or the worker's drain took too long";
}

v1::JobDown EndMessage(const EndAttempt& ended, const WorkEnd& said, std::string_view message,
                       std::string_view request_id, const Identity& worker) {
  v1::JobDown down;
  v1::End& end = *down.mutable_end();
  end.set_outcome(std::string(OutcomeName(ended.outcome)));
  end.set_message(std::string(message));
  end.set_retry_after_s(ToDoubleSeconds(std::max(ended.retry_after, said.retry_after)));
  end.set_content_type(said.content_type);
  end.set_result_bytes(ended.result_bytes);
  end.mutable_trace()->set_request_id(std::string(request_id));
  end.mutable_trace()->set_worker(worker.name);
  end.mutable_trace()->set_region(worker.region);
  end.mutable_trace()->set_service_s(ToDoubleSeconds(ended.service));
  return down;
}

absl::StatusOr<SlotFenced> FencedOf(const v1::FenceRequest& request) {
  const auto upto = ParseLease(request.upto());
  if (!upto) {
    return absl::InvalidArgumentError(absl::StrCat("FenceRequest.upto: is '", request.upto().substr(0, 80),
                                                   "', which is no lease (L1-2-3)"));
  }
  if (!LeaderEpochClaimed(request.leader_epoch())) {
    return absl::InvalidArgumentError(absl::StrCat("FenceRequest.leader_epoch: is ", request.leader_epoch(),
                                                   "; less than ", kLeaderEpochMax,
                                                   " is allowed, which no controller reaches"));
  }
  return SlotFenced{
      .by = {request.leader_epoch(), request.appointment()}, .upto = *upto, .revoke = request.revoke()};
}

v1::WorkerState StateMessage(const SlotView& view, std::uint64_t sequence, const WorkerTotals& totals,
                             const Identity& worker) {
  v1::WorkerState state;
  state.set_wire_version(wire::kWireVersion);
  state.set_worker(worker.name);
  state.set_tier(worker.tier);
  state.set_model(worker.model);
  state.set_busy(view.busy);
  state.set_draining(view.draining);
  state.set_healthy(!view.resting);
  if (view.drain_left != InfiniteDuration()) {
    state.set_drain_left_s(ToDoubleSeconds(view.drain_left));
  }
  state.set_lease(view.lease);
  state.set_busy_s_total(ToDoubleSeconds(view.busy_total));
  state.set_done_total(totals.done);
  state.set_rejected_total(totals.rejected);
  state.set_expected_free_s(ToDoubleSeconds(view.expected_free));
  state.set_metrics_address(worker.metrics_address);
  state.set_sequence(sequence);
  state.set_picture_pixels_max(worker.pictures.pixels_max);
  state.set_picture_need(NeedMessage(worker.pictures.need));
  for (const std::string& type : worker.pictures.types) state.add_picture_types(type);
  if (view.fence != Lease{}) state.set_fence(FormatLease(view.fence));
  return state;
}

}  // namespace ringway::worker
