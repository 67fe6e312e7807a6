// What a small fleet in virtual time is made of, what happens to it, and what is counted.
//
// One region and tier: routers with the production LedgerClient, leaders with the production SlotLedger,
// workers with the production LeaseGate, and a network whose delay, loss and duplication are settings. It
// exists to prove the ledger; the project's simulator runs whole worlds.
#ifndef RINGWAY_TESTS_LEDGER_FLEET_SETTINGS_H_
#define RINGWAY_TESTS_LEDGER_FLEET_SETTINGS_H_

#include <cstdint>
#include <vector>

#include "core/time.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/ledger/slot_ledger.h"
#include "sim/demand/service_law.h"

namespace ringway::ledger::fleet {

enum class Policy {
  kLedger,
  kNaive,  // random worker, 20 ms later again, no look at the deadline, no cancellation
};

struct NetworkSettings {
  Duration hop = Microseconds(250);
  double jitter = 0;     // share of hop, uniform, on top
  double loss = 0;       // of messages from and to leaders
  double duplicate = 0;  // of the same
  double stall = 0;      // share of jobs whose stream to the worker stands still first
  Duration stall_span = Seconds(1.5);
};

enum class FaultKind { kWorkersOff, kLoad, kLeaderKilled, kSlow };
struct Fault {
  FaultKind kind = FaultKind::kLoad;
  Duration begin;
  Duration end;
  double size = 1;  // share of workers, factor of load, unused, factor of service time
};

struct FleetSettings {
  Policy policy = Policy::kLedger;
  int workers = 50;
  int routers = 16;
  int leaders = 2;  // routers that can hold the ledger; the first is appointed at the start
  double rho = 0.95;
  sim::ServiceLaw service = sim::ExponentialService{1.0};
  Duration patience = Seconds(3);  // deadline after arrival
  bool no_wait = false;            // a job is refused when no slot is free as it asks
  double guard_quantile = 0.5;     // of the service time, for "cannot finish in time"
  double resubmit = 0;             // chance that a user whose job failed asks again
  Duration think = Seconds(1);     // before doing so, exponential
  Duration duration = Seconds(100);
  Duration warm_up = Seconds(10);  // not counted
  std::vector<Fault> faults;
  Duration reappoint_after = Seconds(1.5);
  RetryBudgetSpec budget = {.share = 1, .floor_per_second = 0};  // of a router that probes
  NetworkSettings network;
  LedgerSettings ledger;
  ClientSettings client;
  std::uint64_t seed = 1;
};

// Of jobs that arrived, or things that happened, in one second of virtual time.
struct SecondTally {
  std::int64_t arrived = 0;
  std::int64_t fresh = 0;  // of these, not asked again by a user who failed before
  std::int64_t done = 0;   // in time
  std::int64_t offers = 0;
};

struct Tally {
  std::int64_t arrived = 0;
  std::int64_t done = 0;
  std::int64_t refused = 0;
  std::int64_t late = 0;    // finished, or stopped, after the deadline
  std::int64_t offers = 0;  // jobs put before a worker
  std::int64_t busy = 0;
  double useful_s = 0;  // GPU time of jobs done in time
  double wasted_s = 0;  // all other GPU time
  std::vector<double> waits_s;
  std::vector<SecondTally> seconds;

  double Goodput() const { return static_cast<double>(done) / static_cast<double>(arrived); }
  double OffersPerDone() const { return static_cast<double>(offers) / static_cast<double>(done); }
  double WastedShare() const { return wasted_s / (useful_s + wasted_s); }
};

}  // namespace ringway::ledger::fleet

#endif  // RINGWAY_TESTS_LEDGER_FLEET_SETTINGS_H_
