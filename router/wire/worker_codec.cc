#include "router/wire/worker_codec.h"

#include <optional>

#include "core/lease.h"
#include "core/time.h"

namespace ringway::router {

WorkerSaid SaidBy(WorkerId worker, TierId tier, const v1::WorkerState& state) {
  return {.worker = worker,
          .tier = tier,
          .healthy = state.healthy(),
          .draining = state.draining(),
          .busy = state.busy(),
          .busy_total = Seconds(state.busy_s_total())};
}

ledger::Announce AnnouncementOf(WorkerId worker, const v1::WorkerState& state) {
  ledger::Announce announce{.worker = worker, .sequence = state.sequence(), .fence = {}, .running = {}};
  if (const auto fence = ParseLease(state.fence())) announce.fence = *fence;
  const bool busy = state.busy() || !state.healthy();
  if (const auto lease = busy ? ParseLease(state.lease()) : std::nullopt) announce.running = *lease;
  if (state.draining()) {
    announce.status = ledger::WorkerStatus::kLeaving;
  } else if (busy) {
    announce.status = ledger::WorkerStatus::kBusy;
  }
  return announce;
}

v1::FenceRequest EncodeFence(const FenceOff& fence) {
  v1::FenceRequest request;
  request.set_leader_epoch(fence.by.leader_epoch);
  request.set_appointment(fence.by.appointment);
  request.set_upto(FormatLease(fence.upto));
  request.set_revoke(fence.revoke);
  return request;
}

}  // namespace ringway::router
