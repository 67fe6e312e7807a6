// The workers of the small fleet: one job at a time, BUSY for the rest.
#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {

void Fleet::Hear(std::uint32_t number, const Offer& offer) {
  Worker& worker = workers_[number];
  const bool leased = offer.lease != Lease{};
  if (worker.off) return Reply(number, offer.name, Outcome::kFailed, ZeroDuration());
  const bool announces = settings_.ledger.workers_announce;
  const bool passes = !leased || !announces || offer.lease > worker.gate.fence();
  if (worker.busy || !passes) {
    ++tally_.busy;
    return Reply(number, offer.name, Outcome::kBusy, ZeroDuration());
  }
  if (leased && announces) worker.gate.Pass(offer.lease);
  if (leased && checker_ != nullptr) checker_->Started(WorkerId(number), offer.lease, offer.name.serial);
  worker.busy = true;
  worker.offer = offer;
  worker.began = Now();
  ++worker.run;
  Push(Seconds(offer.service_s * slow_factor_), kFinish, number, worker.run);
  // The ledger knows of its own leases; of a probe's job it is told.
  if (!leased) Announce(number);
}

void Fleet::Hear(std::uint32_t number, const Cancel& cancel) {
  Worker& worker = workers_[number];
  if (worker.busy && worker.offer.name.serial == cancel.name.serial) StopRun(number, Outcome::kCancelled);
}

void Fleet::Finish(std::uint32_t number, std::uint64_t run) {
  if (workers_[number].busy && workers_[number].run == run) StopRun(number, Outcome::kDone);
}

void Fleet::StopRun(std::uint32_t number, Outcome outcome) {
  Worker& worker = workers_[number];
  if (!worker.busy) return;
  worker.busy = false;
  if (checker_ != nullptr && worker.offer.lease != Lease{}) {
    checker_->Finished(WorkerId(number), worker.offer.lease);
  }
  if (outcome != Outcome::kDone) tally_.wasted_s += ToDoubleSeconds(Now() - worker.began);
  Reply(number, worker.offer.name, outcome, Now() - worker.began);
  if (outcome != Outcome::kFailed) Announce(number);
}

void Fleet::Announce(std::uint32_t number) {
  Worker& worker = workers_[number];
  if (worker.off || !worker.leader || !settings_.ledger.workers_announce) return;
  const WorkerStatus status = worker.busy ? WorkerStatus::kBusy : WorkerStatus::kIdle;
  ledger::Announce announce{WorkerId(number), worker.gate.NextSequence(), status, worker.gate.fence(), {}};
  if (worker.busy) announce.running = worker.offer.lease;
  Send({Process::Kind::kWorker, number}, {Process::Kind::kLeader, *worker.leader}, LedgerEvent(announce));
}

void Fleet::Reply(std::uint32_t number, const JobName& name, Outcome outcome, Duration held) {
  Send({Process::Kind::kWorker, number}, {Process::Kind::kRouter, name.router.value()},
       Answer{name, WorkerId(number), outcome, ToDoubleSeconds(held)});
}

}  // namespace ringway::ledger::fleet
