#include "router/dispatch/ledger/slot_table.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::ledger {

void SlotTable::Create(WorkerId worker) {
  RINGWAY_CHECK(InRange(worker));
  slots_.resize(worker.index() + 1);
  links_.resize(worker.index() + 1);
}

void SlotTable::Move(WorkerId worker, SlotState to, Time timer) {
  SlotRecord& slot = slots_[worker];
  Leave(worker, slot.state);
  if (slot.suspected) {
    slot.suspected = false;
    --suspected_;
  }
  if (slot.state == SlotState::kAbsent && to != SlotState::kAbsent) ++present_;
  if (slot.state != SlotState::kAbsent && to == SlotState::kAbsent) {
    --present_;
    baseline_.Forget(slot.fail_share);
  }
  slot.state = to;
  Enter(worker, to, timer);
}

void SlotTable::Leave(WorkerId worker, SlotState state) {
  if (state == SlotState::kIdle) idle_.Remove(links_, worker);
  if (state == SlotState::kLeased) leased_.Remove(links_, worker);
  if (state == SlotState::kHeld || state == SlotState::kQuarantined) pauses_.Remove(worker.value());
}

void SlotTable::Enter(WorkerId worker, SlotState state, Time timer) {
  if (state == SlotState::kIdle) idle_.Append(links_, worker, Time());
  if (state == SlotState::kLeased) leased_.Append(links_, worker, timer);
  if (state == SlotState::kHeld || state == SlotState::kQuarantined) {
    pauses_.Set(worker.value(), timer);
  }
}

void SlotTable::Suspect(WorkerId worker) {
  SlotRecord& slot = slots_[worker];
  RINGWAY_CHECK(slot.state == SlotState::kHeld && !slot.suspected);
  slot.suspected = true;
  ++suspected_;
}

void SlotTable::Bind(WorkerId worker, const Lease& lease, const RequestKey& leader, Time renew_by) {
  SlotRecord& slot = slots_[worker];
  RINGWAY_CHECK(slot.state == SlotState::kIdle);
  RINGWAY_CHECK(slot.lease < lease);
  Move(worker, SlotState::kLeased, renew_by);
  slot.lease = lease;
  slot.leader = leader;
  slot.cleared = false;
}

}  // namespace ringway::ledger
