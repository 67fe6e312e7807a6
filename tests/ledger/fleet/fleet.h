// A small fleet in virtual time around the production ledger; see settings.h.
//
// Jobs arrive open loop at routers chosen at random. Under kLedger a job asks the leader, is offered to the
// worker it was granted, asks again when the worker was busy, and is cancelled at its deadline; while no
// leader answers it probes random workers with backoff. Users whose job failed may come again. The same seed
// gives the same arrivals and service times under every policy.
#ifndef RINGWAY_TESTS_LEDGER_FLEET_FLEET_H_
#define RINGWAY_TESTS_LEDGER_FLEET_FLEET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/rng.h"
#include "core/time.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/ledger/slot_ledger.h"
#include "router/dispatch/retry_budget.h"
#include "sim/kernel/event_queue.h"
#include "tests/ledger/fleet/lease_checker.h"
#include "tests/ledger/fleet/mail.h"
#include "tests/ledger/fleet/settings.h"
#include "worker/lease_gate.h"

namespace ringway::ledger::fleet {

class Fleet {
 public:
  // With a checker the run is watched, and much slower.
  explicit Fleet(const FleetSettings& settings, LeaseChecker* checker = nullptr);

  // Runs to settings.duration, then without arrivals until every job has ended.
  const Tally& Run();
  const Tally& tally() const { return tally_; }
  // The leader in the leader.
  const SlotLedger& Current() const { return leaders_[leader_.router.index()].ledger; }
  void RunUntil(Duration at);

  // ---- faults at will, for random histories ----
  void Appoint(std::uint32_t leader);
  // Tells the seated leader to stop; nobody holds the ledger until the next appointment.
  void Depose();
  void KillLeader(std::uint32_t leader);
  void KillRouter(std::uint32_t router);
  void Heal() { mail_.Heal(); }
  void StopArrivals() { arrivals_open_ = false; }
  // The service time that routers expect of every job.
  Duration Expected() const { return expected_; }
  std::size_t jobs_open() const { return jobs_open_; }
  const FleetSettings& settings() const { return settings_; }

 private:
  enum EventKind : std::uint8_t {
    kArrival,
    kMessage,     // subject: number of the message
    kFinish,      // subject: worker, detail: run
    kLeaderWake,  // subject: leader
    kRouterWake,  // subject: router
    kRetry,       // subject: router, detail: job << 16 | low bits of the serial
    kDeadline,    // the same
    kResubmit,    // subject: router
    kAnnounce,    // subject: worker
    kBeat,        // subject: leader
    kFault,       // subject: index, detail: 1 begins, 0 ends
    kReappoint,
  };
  struct Job {
    std::uint64_t serial = 0;
    Time arrived = {};
    Time deadline = {};
    double service_s = 0;
    std::optional<WorkerId> worker = {};  // on offer at it, or in its slot
    Lease lease = {};
    std::uint64_t generation = 0;  // of the last ask
    int probes = 0;
    bool asking = false;
    bool open = false;
  };
  struct Router {
    LedgerClient client;
    dispatch::RetryBudget budget;
    Rng rng;
    std::uint32_t life = 0;
    std::vector<Job> jobs = {};
    std::vector<JobId> free = {};
    Time wake = InfiniteFuture();
  };
  struct Leader {
    SlotLedger ledger;
    std::uint32_t life = 0;
    bool alive = true;
    Time wake = InfiniteFuture();
  };
  struct Worker {
    LeaseGate gate;
    bool off = false;
    bool busy = false;
    std::uint64_t run = 0;
    Offer offer = {};
    Time began = {};
    std::optional<std::uint32_t> leader = {};  // that it announces to
  };

  Time Now() const { return FromUnixNanos(queue_.now_ns()); }
  void Push(Duration after, EventKind kind, std::uint32_t subject, std::uint32_t detail = 0);
  void Dispatch(const sim::SimEvent& event);

  // ---- mail (fleet_mail.cc) ----
  void Send(Process from, Process to, Body body);
  void Deliver(std::uint32_t number);
  void DropGrant(const Message& message);
  std::uint32_t LifeOf(const Process& process) const;
  void StepLeader(std::uint32_t leader, const LedgerEvent& event);
  void ToRouter(std::uint32_t router, const Body& body);
  void ToWorker(std::uint32_t worker, const Message& message);

  // ---- routers (fleet_router.cc) ----
  void Arrive();
  void AddJob(std::uint32_t router);
  void Acquire(std::uint32_t router, JobId job);
  void Act(std::uint32_t router, const std::vector<ClientAction>& actions);
  void Act(std::uint32_t router, const ClientAction& action);
  void OfferTo(std::uint32_t router, JobId job, WorkerId worker, const Lease& lease);
  void Probe(std::uint32_t router, JobId job);
  void Sleep(std::uint32_t router, JobId job);
  void Retry(std::uint32_t router, JobId job);
  void Hear(std::uint32_t router, const Answer& answer);
  void DeadlinePassed(std::uint32_t router, JobId job);
  void Lost(std::uint32_t router, JobId job, bool cut_off);
  void EndJob(std::uint32_t router, JobId job);
  void AskOver(Job& job);
  void WakeRouter(std::uint32_t router);
  Job* Find(std::uint32_t router, JobId job, std::uint32_t serial_low);

  // ---- workers (fleet_worker.cc) ----
  void Hear(std::uint32_t worker, const Offer& offer);
  void Hear(std::uint32_t worker, const Cancel& cancel);
  void Finish(std::uint32_t worker, std::uint64_t run);
  void StopRun(std::uint32_t worker, Outcome outcome);
  void Announce(std::uint32_t worker);
  void Reply(std::uint32_t worker, const JobName& name, Outcome outcome, Duration held);

  // ---- faults (fleet.cc) ----
  void Begin(const Fault& fault);
  void End(const Fault& fault);
  bool Counted(Time arrived) const { return arrived >= counted_from_; }
  SecondTally& Second();

  FleetSettings settings_;
  LeaseChecker* checker_;
  sim::EventQueue queue_;
  Mail mail_;
  Rng arrivals_rng_;
  Rng service_rng_;
  Rng users_rng_;
  std::vector<Router> routers_;
  std::vector<Leader> leaders_;
  std::vector<Worker> workers_;
  std::vector<LedgerAction> leader_actions_;
  CurrentLeader leader_;
  Time counted_from_;
  Duration expected_;
  double load_factor_ = 1;
  double slow_factor_ = 1;
  bool arrivals_open_ = true;
  std::uint64_t last_serial_ = 0;
  std::size_t jobs_open_ = 0;
  Tally tally_;
};

}  // namespace ringway::ledger::fleet

#endif  // RINGWAY_TESTS_LEDGER_FLEET_FLEET_H_
