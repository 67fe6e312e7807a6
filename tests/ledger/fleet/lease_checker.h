// Watches a fleet from outside and says whether the ledger kept its promises.
//
// It knows what no participant knows: which leases could still start a job anywhere. A lease lives from the
// moment a leader grants it until its router has given it up unstarted, its worker has finished, or the
// worker's fence has passed it without its job being in the slot. Promises: a worker has at most one living
// lease; a worker starts rising leases only; an ask is answered by at most one grant and starts at most once;
// every ask ends exactly once.
#ifndef RINGWAY_TESTS_LEDGER_FLEET_LEASE_CHECKER_H_
#define RINGWAY_TESTS_LEDGER_FLEET_LEASE_CHECKER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "router/dispatch/ledger/messages.h"

namespace ringway::ledger::fleet {

class LeaseChecker {
 public:
  // A leader decided to grant; the same lease may be said again.
  void Granted(const RequestKey& key, WorkerId worker, const Lease& lease);
  // The router will use no grant for this ask, or for an earlier one from the same slot, that it has not yet.
  void Voided(const RequestKey& key);
  // Grants for asks up to this generation reach nobody.
  void RouterDied(RouterId router, std::uint64_t last_generation);
  // The lease's router offers its job to the worker.
  void Offered(WorkerId worker, const Lease& lease);
  // The router will never offer it, or the offer has come back unstarted.
  void GivenUp(WorkerId worker, const Lease& lease);
  void Started(WorkerId worker, const Lease& lease, std::uint64_t job_serial);
  void Finished(WorkerId worker, const Lease& lease);
  void Fenced(WorkerId worker, const Lease& upto);

  void AskBegun(std::uint64_t job_serial);
  void AskEnded(std::uint64_t job_serial);

  // Sentences about broken promises; empty is well.
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::size_t open_asks() const { return open_asks_.size(); }
  std::size_t grants() const { return grants_; }
  std::size_t starts() const { return starts_; }

 private:
  enum class Stage { kGranted, kOffered, kRunning };
  struct Living {
    RequestKey key;
    Lease lease;
    Stage stage = Stage::kGranted;
  };
  struct Watched {
    Lease fence;
    Lease started;  // the last
    std::set<Lease> granted;
    std::vector<Living> living;
  };
  void Complain(const std::string& what, WorkerId worker, const Lease& lease);
  void Prune(Watched& watched);
  void Remove(WorkerId worker, const Lease& lease);

  std::map<std::uint32_t, Watched> workers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> voided_;  // by router and slot
  std::map<std::uint32_t, std::uint64_t> died_;
  std::set<std::uint64_t> open_asks_;  // by job
  std::vector<std::string> complaints_;
  std::size_t grants_ = 0;
  std::size_t starts_ = 0;
};

}  // namespace ringway::ledger::fleet

#endif  // RINGWAY_TESTS_LEDGER_FLEET_LEASE_CHECKER_H_
