#include "tests/ledger/fleet/lease_checker.h"

#include <algorithm>

namespace ringway::ledger::fleet {

void LeaseChecker::Granted(const RequestKey& key, WorkerId worker, const Lease& lease) {
  Watched& watched = workers_[worker.value()];
  if (!watched.granted.insert(lease).second) return;
  ++grants_;
  if (lease <= watched.fence) return;  // of a deposed leader: dead already
  const auto voided = voided_.find({key.router.value(), key.slot});
  if (voided != voided_.end() && key.generation <= voided->second) return;
  const auto died = died_.find(key.router.value());
  if (died != died_.end() && key.generation <= died->second) return;
  watched.living.push_back({key, lease, Stage::kGranted});
  if (watched.living.size() > 1) Complain("slot granted twice at once", worker, lease);
}

void LeaseChecker::Voided(const RequestKey& key) {
  std::uint64_t& voided = voided_[{key.router.value(), key.slot}];
  voided = std::max(voided, key.generation);
  for (auto& [worker, watched] : workers_) {
    std::erase_if(watched.living, [&](const Living& living) {
      return living.stage == Stage::kGranted && living.key.router == key.router &&
             living.key.slot == key.slot && living.key.generation <= key.generation;
    });
  }
}

void LeaseChecker::RouterDied(RouterId router, std::uint64_t last_generation) {
  died_[router.value()] = last_generation;
  for (auto& [worker, watched] : workers_) {
    std::erase_if(watched.living, [&](const Living& living) {
      return living.stage == Stage::kGranted && living.key.router == router;
    });
  }
}

void LeaseChecker::Offered(WorkerId worker, const Lease& lease) {
  for (Living& living : workers_[worker.value()].living) {
    if (living.lease == lease) living.stage = Stage::kOffered;
  }
}

void LeaseChecker::GivenUp(WorkerId worker, const Lease& lease) { Remove(worker, lease); }

void LeaseChecker::Started(WorkerId worker, const Lease& lease, std::uint64_t job_serial) {
  Watched& watched = workers_[worker.value()];
  ++starts_;
  if (lease <= watched.started) Complain("slot started a lease that is not higher", worker, lease);
  watched.started = lease;
  watched.fence = std::max(watched.fence, lease);
  bool known = false;
  for (Living& living : watched.living) {
    if (living.stage == Stage::kRunning) Complain("slot runs two jobs", worker, lease);
    if (living.lease != lease) continue;
    living.stage = Stage::kRunning;
    known = true;
  }
  if (!known) Complain("slot started a lease that was given up", worker, lease);
  if (open_asks_.count(job_serial) > 0) Complain("job started while its ask is open", worker, lease);
  Prune(watched);
}

void LeaseChecker::Finished(WorkerId worker, const Lease& lease) { Remove(worker, lease); }

void LeaseChecker::Fenced(WorkerId worker, const Lease& upto) {
  Watched& watched = workers_[worker.value()];
  watched.fence = std::max(watched.fence, upto);
  Prune(watched);
}

void LeaseChecker::AskBegun(std::uint64_t job_serial) {
  if (!open_asks_.insert(job_serial).second) complaints_.push_back("job asked twice at once");
}

void LeaseChecker::AskEnded(std::uint64_t job_serial) {
  if (open_asks_.erase(job_serial) == 0) complaints_.push_back("ask ended twice");
}

void LeaseChecker::Complain(const std::string& what, WorkerId worker, const Lease& lease) {
  complaints_.push_back(what + ": worker " + std::to_string(worker.value()) + ", " + FormatLease(lease));
}

void LeaseChecker::Prune(Watched& watched) {
  std::erase_if(watched.living, [&](const Living& living) {
    return living.stage != Stage::kRunning && living.lease <= watched.fence;
  });
}

void LeaseChecker::Remove(WorkerId worker, const Lease& lease) {
  std::erase_if(workers_[worker.value()].living, [&](const Living& living) { return living.lease == lease; });
}

}  // namespace ringway::ledger::fleet
