// The ledger's waiting line: who is granted the next slot, who leaves for another region, who is refused.
#include <utility>

#include "core/check.h"
#include "router/dispatch/ledger/slot_ledger.h"

namespace ringway::ledger {

void SlotLedger::EndWaiting(Ticket ticket, RefuseReason reason, Actions& actions) {
  const RequestKey key = asks_.At(ticket).key;
  asks_.At(key).state = RequestState::kEnded;
  FreeTicket(ticket);
  actions.push_back(Refuse{key, reason});
}

void SlotLedger::FreeTicket(Ticket ticket) {
  leavers_[asks_.At(ticket).priority].Remove(ticket);
  asks_.FreeTicket(ticket);
}

void SlotLedger::StopWaiting(RequestEntry& entry) {
  line_.Remove(entry.ticket, asks_.At(entry.ticket).priority);
  FreeTicket(entry.ticket);
  entry.state = RequestState::kEnded;
}

void SlotLedger::Match(Time now, Actions& actions) {
  while (const auto ticket = line_.TakeInfeasible(now)) {
    EndWaiting(*ticket, RefuseReason::kInfeasible, actions);
  }
  line_.Reconsider(now);
  while (const auto ticket = line_.Next()) {
    const WorkerId worker = TakeIdle(now);
    if (!worker.valid()) break;
    const WaitingRequest acquire = asks_.At(*ticket);
    RequestEntry& entry = asks_.At(acquire.key);
    RINGWAY_CHECK(entry.state == RequestState::kWaiting && entry.generation == acquire.key.generation);
    StopWaiting(entry);
    GrantTo(now, acquire.key, entry, worker, now - acquire.joined, actions);
  }
  if (std::exchange(look_away_, false)) LetLeave(now, actions);
  while (const auto ticket = line_.TakeOverflow()) {
    EndWaiting(*ticket, RefuseReason::kLineFull, actions);
  }
}

// What is believed of the others only falls until the next event that looks again, so each job is considered
// once: the first that finds no region ends the search, unless it has too little time left to go anywhere.
void SlotLedger::LetLeave(Time now, Actions& actions) {
  for (IndexedHeap<std::int64_t>& leavers : leavers_) {
    while (!leavers.empty()) {
      if (!others_.Choose(now, InfiniteDuration()).valid()) return;
      const Ticket ticket = leavers.Top().id;
      const WaitingRequest waiting = asks_.At(ticket);
      const RegionId region = others_.Choose(now, waiting.start_by - now);
      if (!region.valid()) {
        leavers.Remove(ticket);
        continue;
      }
      StopWaiting(asks_.At(waiting.key));
      RedirectTo(now, waiting.key, region, actions);
    }
  }
}

bool SlotLedger::Prefers(Time now, const Acquire& acquire, Time start_by) const {
  return acquire.may_leave && acquire.prefers.valid() && others_.Believed(now, acquire.prefers) > 0 &&
         others_.RoundTrip(acquire.prefers) < start_by - now;
}

void SlotLedger::RedirectTo(Time now, const RequestKey& key, RegionId region, Actions& actions) {
  others_.Sent(now, region);
  ++redirected_total_;
  actions.push_back(Redirect{key, region});
}

void SlotLedger::On(Time, const AwayAimed& aimed, Actions&) {
  others_.Aim(aimed.targets);
  look_away_ = true;
}

void SlotLedger::On(Time now, const HintHeard& heard, Actions&) {
  others_.Hear(now, heard.region, heard.hint);
  look_away_ = look_away_ || heard.hint.idle > 0;
}

void SlotLedger::On(Time, const RegionSilent& silent, Actions&) { others_.Lose(silent.region); }

}  // namespace ringway::ledger
