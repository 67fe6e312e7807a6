#include "router/dispatch/ledger/slot_ledger.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/check.h"
#include "core/plausible_fence.h"

namespace ringway::ledger {
namespace {

// Nothing is planned further ahead; keeps arithmetic on times far from its limits.
constexpr Duration kHorizon = Hours(24);
// What a slot counts to; more than convict a worker at any failure rate of the others below 97 %.
constexpr int kFailuresMax = 255;
// Beyond it any hold has reached its maximum.
constexpr int kDoublingsMax = 16;

// A deadline that is not there, or far away, is a day after the job entered: whoever has none stands in the
// line by age too.
Time DeadlineOf(Time now, const Acquire& acquire) {
  const Time arrived = std::clamp(acquire.arrived, now - kHorizon, now);
  return std::clamp(acquire.deadline, now - kHorizon, arrived + kHorizon);
}

Time Within(Time now, Time time) { return std::clamp(time, now - kHorizon, now + kHorizon); }

bool LeasedNotRun(const SlotRecord& slot, const Announce& announce) {
  const bool leased = slot.state == SlotState::kLeased || slot.state == SlotState::kRevoking;
  return leased && announce.running != slot.lease;
}

}  // namespace

std::string_view RefuseReasonName(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::kInfeasible:
      return "cannot finish in time";
    case RefuseReason::kLineFull:
      return "waiting line full";
    case RefuseReason::kNotLeader:
      return "not the ledger's leader";
    case RefuseReason::kStale:
      return "ask has ended before";
    case RefuseReason::kOutOfRange:
      return "beyond the ledger's bounds";
  }
  return "unknown";
}

SlotLedger::SlotLedger(const LedgerSettings& settings)
    : settings_(settings),
      slots_(settings.workers_max),
      asks_(settings.routers_max, settings.asks_per_router_max),
      line_(settings.waiting_max, settings.newest_first_at) {}

void SlotLedger::Step(Time now, const LedgerEvent& event, std::vector<LedgerAction>& actions) {
  std::visit([&](const auto& e) { Step(now, e, actions); }, event);
}

LedgerView SlotLedger::View() const {
  return {appointment_, holding_,      slots_.idle(),  slots_.leased(),  slots_.suspected(),
          line_.size(), grants_total_, revoked_total_, redirected_total_};
}

IdleHint SlotLedger::Hint() const {
  const bool open = holding_ && line_.empty();
  return {.appointment = appointment_,
          .sequence = 0,
          .idle = open ? static_cast<std::uint32_t>(slots_.idle()) : 0,
          .landings = landings_};
}

void SlotLedger::On(Time now, const Appointed& appointed, Actions& actions) {
  if (appointed.appointment < appointment_) return;
  if (appointed.appointment == appointment_ && holding_) return;
  appointment_ = appointed.appointment;
  holding_ = true;
  lease_number_ = 0;
  fresh_ = appointed.fresh;
  ForgetSlots(now, actions);
}

void SlotLedger::On(Time now, const Deposed& deposed, Actions& actions) {
  if (deposed.by <= appointment_) return;
  appointment_ = deposed.by;
  if (!holding_) return;
  holding_ = false;
  while (const auto ticket = line_.Next()) {
    line_.Remove(*ticket, asks_.At(*ticket).priority);
    EndWaiting(*ticket, RefuseReason::kNotLeader, actions);
  }
  ForgetSlots(now, actions);
}

void SlotLedger::On(Time now, const Acquire& acquire, Actions& actions) {
  if (!asks_.InRange(acquire.key) || acquire.key.generation == 0 || acquire.priority >= kMaxPriorities) {
    actions.push_back(Refuse{acquire.key, RefuseReason::kOutOfRange});
    return;
  }
  if (!holding_) {
    actions.push_back(Refuse{acquire.key, RefuseReason::kNotLeader});
    return;
  }
  RequestEntry& entry = asks_.At(acquire.key);
  if (acquire.key.generation <= entry.generation) {
    RepeatAnswer(acquire, entry, actions);
    return;
  }
  // The router reuses the slot of a job that it has forgotten: so does the ledger. A lease it may still have
  // lives until it is released or expires.
  if (entry.state == RequestState::kWaiting) StopWaiting(entry);
  entry = {.generation = acquire.key.generation, .state = RequestState::kEnded, .ticket = 0, .worker = {}};
  const Duration expected = std::clamp(acquire.expected, ZeroDuration(), kHorizon);
  const Time start_by = DeadlineOf(now, acquire) - expected - settings_.start_margin;
  if (acquire.foreign) ++landings_;
  if (acquire.refused_by.valid()) others_.Refused(acquire.refused_by);
  if (start_by < now && !acquire.idle_only) {
    actions.push_back(Refuse{acquire.key, RefuseReason::kInfeasible});
    return;
  }
  if (Prefers(now, acquire, start_by)) return RedirectTo(now, acquire.key, acquire.prefers, actions);
  // The common case at moderate load; while somebody waits, nobody is idle.
  if (line_.empty()) {
    const WorkerId worker = TakeIdle(now);
    if (worker.valid()) return GrantTo(now, acquire.key, entry, worker, ZeroDuration(), actions);
  }
  if (acquire.idle_only) {
    actions.push_back(Refuse{acquire.key, RefuseReason::kInfeasible});
    return;
  }
  entry.state = RequestState::kWaiting;
  entry.ticket = asks_.AddTicket({acquire.key, acquire.priority, now, start_by});
  const Time arrived = std::min(Within(now, acquire.arrived), now);
  line_.Add(entry.ticket, {acquire.priority, arrived, now, start_by, expected});
  if (acquire.may_leave) {
    leavers_[acquire.priority].Set(entry.ticket, ToUnixNanos(arrived));
    look_away_ = true;
  }
}

void SlotLedger::RepeatAnswer(const Acquire& acquire, const RequestEntry& entry, Actions& actions) {
  if (acquire.key.generation < entry.generation || entry.state == RequestState::kWaiting) return;
  if (entry.state == RequestState::kGranted) {
    const SlotRecord* slot = slots_.Find(entry.worker);
    if (slot != nullptr && slot->state == SlotState::kLeased && slot->leader == acquire.key) {
      actions.push_back(Grant{acquire.key, entry.worker, slot->lease, ZeroDuration()});
      return;
    }
  }
  actions.push_back(Refuse{acquire.key, RefuseReason::kStale});
}

void SlotLedger::On(Time now, const Withdraw& withdraw, Actions& actions) {
  if (asks_.InRange(withdraw.key) && withdraw.key.generation != 0) {
    RequestEntry& entry = asks_.At(withdraw.key);
    if (entry.generation < withdraw.key.generation) {
      if (entry.state == RequestState::kWaiting) StopWaiting(entry);
      entry = {
          .generation = withdraw.key.generation, .state = RequestState::kEnded, .ticket = 0, .worker = {}};
    } else if (entry.generation == withdraw.key.generation) {
      if (entry.state == RequestState::kWaiting) StopWaiting(entry);
      if (entry.state == RequestState::kGranted) {
        // The grant is on its way to a router that does not want it any more, so no job uses the lease.
        const SlotRecord& slot = slots_.At(entry.worker);
        if (slot.state == SlotState::kLeased && slot.leader == withdraw.key) Free(now, entry.worker);
      }
      entry.state = RequestState::kEnded;
    }
  }
  actions.push_back(Withdrawn{withdraw.key});
}

void SlotLedger::On(Time now, const Announce& announce, Actions& actions) {
  if (!slots_.InRange(announce.worker)) return;
  const bool plausible = IsPlausible(appointment_, announce.fence.fence);
  if (!holding_) {
    // That it is told of a higher leader counts; the rest it says again when this one is appointed.
    if (plausible && announce.fence.fence > appointment_) On(now, Deposed{announce.fence.fence}, actions);
    return;
  }
  SlotRecord& slot = slots_.At(announce.worker);
  if (announce.sequence <= slot.sequence) return;
  slot.sequence = announce.sequence;
  slot.heard = now;
  slot.cleared = announce.status == WorkerStatus::kIdle && announce.fence >= slot.lease;
  slot.leaving = announce.status == WorkerStatus::kLeaving;
  // A worker that was told of a leader that cannot be: it does not obey us, which is no reason to step down.
  // It is told again and again who holds the ledger, and comes back when its claim has lapsed.
  if (!plausible) {
    slot.cleared = false;
    if (slot.state == SlotState::kIdle) slots_.Move(announce.worker, SlotState::kUnknown);
    actions.push_back(FenceWorker{announce.worker, {appointment_, 0}});
    return;
  }
  if (announce.fence.fence > appointment_) {
    On(now, Deposed{announce.fence.fence}, actions);
    return;
  }
  if (slot.state == SlotState::kAbsent && !slot.leaving) slots_.Move(announce.worker, SlotState::kUnknown);
  const bool obeys = announce.fence.fence == appointment_;
  if (!obeys) actions.push_back(FenceWorker{announce.worker, {appointment_, 0}});
  switch (announce.status) {
    case WorkerStatus::kIdle:
      if (obeys) AnnouncedIdle(now, announce, actions);
      return;
    case WorkerStatus::kBusy:
      AnnouncedBusy(now, announce);
      return;
    case WorkerStatus::kLeaving:
      // What it runs it still ends. A lease that it does not run is over, as with one that is idle.
      if (obeys && LeasedNotRun(slots_.At(announce.worker), announce)) AnnouncedIdle(now, announce, actions);
      Leave(announce.worker);
      return;
  }
}

void SlotLedger::AnnouncedIdle(Time now, const Announce& announce, Actions& actions) {
  const SlotRecord& slot = slots_.At(announce.worker);
  switch (slot.state) {
    case SlotState::kLeased:
      // Idle after it has seen the lease means that the job is over; idle before it says nothing at first.
      if (announce.fence >= slot.lease) {
        Free(now, announce.worker);
      } else if (slots_.Timer(announce.worker) <= now + (settings_.lease_span - settings_.unclaimed_max)) {
        CallBack(now, announce.worker, actions);
      }
      return;
    case SlotState::kRevoking:
      if (announce.fence >= slot.lease) {
        Free(now, announce.worker);
      } else {
        actions.push_back(Revoke{announce.worker, slot.lease});
      }
      return;
    case SlotState::kIdle:
    case SlotState::kHeld:
      return;
    case SlotState::kAbsent:
    case SlotState::kUnknown:
    case SlotState::kTaken:
    case SlotState::kQuarantined:
      slots_.Move(announce.worker, SlotState::kIdle);
      return;
  }
}

void SlotLedger::AnnouncedBusy(Time now, const Announce& announce) {
  const SlotRecord& slot = slots_.At(announce.worker);
  switch (slot.state) {
    case SlotState::kLeased:
      // The worker vouches for its own job. Busy with another one: the router will be told so, and tell.
      if (announce.running == slot.lease) {
        slots_.Move(announce.worker, SlotState::kLeased, now + settings_.lease_span);
      }
      return;
    case SlotState::kRevoking:
    case SlotState::kHeld:
      return;
    default:
      slots_.Move(announce.worker, SlotState::kTaken);
  }
}

void SlotLedger::On(Time now, const Renew& renew, Actions& actions) {
  if (!holding_ || !slots_.InRange(renew.worker)) return;
  SlotRecord& slot = slots_.At(renew.worker);
  if (slot.lease == renew.lease && slot.state == SlotState::kLeased) {
    slots_.Move(renew.worker, SlotState::kLeased, now + settings_.lease_span);
    return;
  }
  // A worker that announces is asked itself; for the others a router's word on an older lease is all there
  // is.
  const bool older = renew.lease.fence < appointment_;
  if (settings_.workers_announce && older) return;
  const bool adopted = slot.state == SlotState::kLeased && slot.lease.fence < appointment_;
  const bool open = slot.state == SlotState::kAbsent || slot.state == SlotState::kUnknown ||
                    slot.state == SlotState::kQuarantined || adopted;
  if (older && open && slot.lease < renew.lease) {
    slots_.Move(renew.worker, SlotState::kLeased, now + settings_.lease_span);
    slot.lease = renew.lease;
    slot.leader = {renew.router, 0, 0};
    return;
  }
  actions.push_back(LeaseLost{renew.router, renew.worker, renew.lease});
}

void SlotLedger::On(Time now, const Release& release, Actions& actions) {
  if (!holding_ || !slots_.InRange(release.worker)) return;
  SlotRecord& slot = slots_.At(release.worker);
  if (slot.lease != release.lease || slot.state != SlotState::kLeased) return;
  const bool announces = settings_.workers_announce;
  switch (release.outcome) {
    case Outcome::kDone:
    case Outcome::kRejected:
      slot.failures = 0;
      slots_.CountAnswer(release.worker, false);
      return Free(now, release.worker);
    case Outcome::kShed:
      return Free(now, release.worker);
    case Outcome::kCancelled:
    case Outcome::kTimeout:
      // The job stops at its next step, or its offer is still on its way: the worker tells when it is over.
      if (!announces) return Hold(now, release.worker, settings_.abandoned_hold);
      actions.push_back(Revoke{release.worker, release.lease});
      return slots_.Move(release.worker, SlotState::kRevoking);
    case Outcome::kBusy:
      if (announces) return slots_.Move(release.worker, SlotState::kTaken);
      return Hold(now, release.worker, release.retry_after);
    case Outcome::kFailed:
      return Fail(now, release, actions);
  }
}

void SlotLedger::Fail(Time now, const Release& release, Actions& actions) {
  SlotRecord& slot = slots_.At(release.worker);
  const bool announces = settings_.workers_announce;
  const bool unreached = release.contact == Contact::kUnreached;
  slot.failures = static_cast<std::uint8_t>(std::min(slot.failures + 1, kFailuresMax));
  if (!unreached) slots_.CountAnswer(release.worker, true);
  if (announces) actions.push_back(Revoke{release.worker, release.lease});
  const int convict =
      unreached ? 1
                : dispatch::FailuresThatConvict(slots_.OthersFail(release.worker), settings_.failures_min);
  if (slot.failures >= convict) {
    // Where too many rest already it is only put behind the others: it may still be the jobs' fault.
    const bool rests = unreached || slots_.suspected() < dispatch::RestingMax(slots_.present());
    const int doublings = rests ? std::min(slot.failures - convict, kDoublingsMax) : 0;
    Hold(now, release.worker, settings_.hold_first * (std::int64_t{1} << doublings));
    if (rests && !unreached && slot.state == SlotState::kHeld) slots_.Suspect(release.worker);
  } else if (announces && !slot.cleared) {
    slots_.Move(release.worker, SlotState::kRevoking);
  } else if (!announces && release.contact == Contact::kBroke) {
    Hold(now, release.worker, settings_.abandoned_hold);  // it may still be at it
  } else {
    Free(now, release.worker);
  }
}

void SlotLedger::On(Time, const RouterAway& away, Actions&) {
  for (const RequestEntry& entry : asks_.Of(away.router)) {
    if (entry.state != RequestState::kWaiting) continue;
    const WaitingRequest acquire = asks_.At(entry.ticket);
    StopWaiting(asks_.At(acquire.key));
  }
}

void SlotLedger::On(Time now, const RouterGone& gone, Actions& actions) {
  On(now, RouterAway{gone.router}, actions);
  for (WorkerId worker(0); worker.index() < slots_.size(); worker = WorkerId(worker.index() + 1)) {
    const SlotRecord& slot = slots_.At(worker);
    if (slot.state == SlotState::kLeased && slot.leader.router == gone.router) CallBack(now, worker, actions);
  }
  // Nothing it said is under way any more; its number may become another router's, with generations of its
  // own.
  asks_.Forget(gone.router);
}

void SlotLedger::On(Time now, const WorkerListed& listed, Actions& actions) {
  if (!slots_.InRange(listed.worker)) return;
  SlotRecord& slot = slots_.At(listed.worker);
  slot.leaving = false;
  if (slot.state != SlotState::kAbsent) return;
  slots_.Move(listed.worker, SlotState::kUnknown);
  if (!holding_) return;
  if (!settings_.workers_announce) return Distrust(now, listed.worker);
  actions.push_back(FenceWorker{listed.worker, {appointment_, 0}});
}

void SlotLedger::On(Time, const WorkerGone& gone, Actions&) {
  if (!slots_.InRange(gone.worker)) return;
  slots_.At(gone.worker).leaving = true;
  Leave(gone.worker);
}

void SlotLedger::On(Time, const Wake&, Actions&) {}

void SlotLedger::On(Time, const LineBounded& bounded, Actions&) { line_.Bound(bounded.waiting_max); }

void SlotLedger::Distrust(Time now, WorkerId worker) {
  if (fresh_) {
    slots_.Move(worker, SlotState::kIdle);
  } else {
    slots_.Move(worker, SlotState::kQuarantined,
                now + std::min(settings_.service_bound, settings_.takeover_hold));
  }
}

void SlotLedger::Free(Time now, WorkerId worker) {
  const SlotRecord& slot = slots_.At(worker);
  slots_.Move(worker, slot.leaving ? SlotState::kAbsent : SlotState::kIdle, now);
}

void SlotLedger::Hold(Time now, WorkerId worker, Duration span) {
  const Duration bounded = std::clamp(span, settings_.hold_first, settings_.hold_max);
  const bool leaving = slots_.At(worker).leaving;
  slots_.Move(worker, leaving ? SlotState::kAbsent : SlotState::kHeld, now + bounded);
}

void SlotLedger::Leave(WorkerId worker) {
  const SlotState state = slots_.At(worker).state;
  if (state == SlotState::kIdle || state == SlotState::kUnknown || state == SlotState::kTaken) {
    slots_.Move(worker, SlotState::kAbsent);
  }
}

void SlotLedger::CallBack(Time now, WorkerId worker, Actions& actions) {
  const SlotRecord& slot = slots_.At(worker);
  ++revoked_total_;
  actions.push_back(LeaseLost{slot.leader.router, worker, slot.lease});
  if (settings_.workers_announce) {
    actions.push_back(Revoke{worker, slot.lease});
    slots_.Move(worker, SlotState::kRevoking);
  } else {
    slots_.Move(worker, SlotState::kQuarantined, now + settings_.service_bound);
  }
}

void SlotLedger::EndTimers(Time now, Actions& actions) {
  // Each turn ends a timer or sets it into the future, so there are at most as many as slots.
  for (WorkerId worker = slots_.TimerEnded(now); worker.valid(); worker = slots_.TimerEnded(now)) {
    const SlotRecord& slot = slots_.At(worker);
    if (slot.state == SlotState::kLeased) {
      CallBack(now, worker, actions);
    } else if (settings_.workers_announce && !slot.cleared) {
      slots_.Move(worker, SlotState::kRevoking);
    } else {
      Free(now, worker);
    }
  }
}

void SlotLedger::GrantTo(Time now, const RequestKey& key, RequestEntry& entry, WorkerId worker,
                         Duration waited, Actions& actions) {
  entry.state = RequestState::kGranted;
  entry.worker = worker;
  const Lease lease{appointment_, ++lease_number_};
  slots_.Bind(worker, lease, key, now + settings_.lease_span);
  ++grants_total_;
  actions.push_back(Grant{key, worker, lease, waited});
}

WorkerId SlotLedger::TakeIdle(Time now) {
  const Time heard_min = now - settings_.silence_max;
  while (true) {
    const WorkerId worker = slots_.OldestIdle();
    if (!worker.valid() || !settings_.workers_announce) return worker;
    if (slots_.At(worker).heard >= heard_min) return worker;
    slots_.Move(worker, SlotState::kUnknown);
  }
}

void SlotLedger::ForgetSlots(Time now, Actions& actions) {
  for (WorkerId worker(0); worker.index() < slots_.size(); worker = WorkerId(worker.index() + 1)) {
    SlotRecord& slot = slots_.At(worker);
    if (slot.state == SlotState::kAbsent) continue;
    slot.failures = 0;
    if (!holding_ || settings_.workers_announce) {
      slots_.Move(worker, SlotState::kUnknown);
      if (holding_) actions.push_back(FenceWorker{worker, {appointment_, 0}});
    } else {
      Distrust(now, worker);
    }
  }
}

}  // namespace ringway::ledger
