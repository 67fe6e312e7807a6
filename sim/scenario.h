// A what-if question, as values: the fleet, the users, the network, and what goes wrong when.
//
// Read from a Scenario file (sim/files/scenario_file.h) or made by a test. Times are virtual seconds from the
// start. A step acts at its time, ends `lasts` later by undoing what it did (killed things come back, factors
// return to 1), and repeats every `every`.
//
// Invariants (kept by the reader): times finite and >= 0, shares in [0, 1], factors >= 0, regions and tiers
// of the fleet. Threads: immutable while a simulation uses it.
#ifndef RINGWAY_SIM_SCENARIO_H_
#define RINGWAY_SIM_SCENARIO_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/fleet.h"
#include "sim/demand/arrivals.h"
#include "sim/demand/prices.h"
#include "sim/demand/service_law.h"

namespace ringway::sim {

// Which regions something is about. Empty: all of them.
using RegionSet = std::vector<RegionId>;

struct NetworkSpec {
  double jitter_share = 0.05;  // each message takes its time x (1 + jitter x exponential)
  double loss_share = 0;       // of messages between regions; a lost one breaks its stream
  double local_ms = 0.05;      // one way between a router and the workers beside it
  double repeat_share = 0;     // of unary calls: a proxy sends them a second time, whoever heard the first
  double late_share = 0;       // of unary calls and their answers: up to 1.5 s later than the rest
};

// What processes say is written as messages and read again, if the simulation is given who does that
// (sim/fleet/wire.h).
struct WireSpec {
  bool begins_former = false;  // all are of the release before this one, until they are upgraded
  double newer_share = 0;      // of what is said to one that may refuse it: in words of a later release
  double newer_until_s = 0;
};

// One arrival process of one tier in one source region.
struct DemandSpec {
  TierId tier;
  RegionId region;
  Priority priority = 0;
  ArrivalLaw law;
};

// What users do that were refused, or lost patience.
struct UserSpec {
  double patience_s = std::numeric_limits<double>::infinity();  // from each submission
  // False: routers are not told how long they wait, nor that they have left. Jobs that nobody waits for any
  // more go on, as they do behind proxies that know no deadline.
  bool tell_deadline = true;
  double resubmit_share = 0;    // of the unserved that try again
  double resubmit_after_s = 1;  // mean of an exponential pause
  int resubmit_max = 100;       // times for one user
  double keyed_share = 0;       // whose requests have an idempotency key, the same with each try
  double twice_share = 0;       // of those with a key: the request is sent again before it is answered
  double again_share = 0;       // of those with a key: asks once more after each answer, though it was served
  double again_after_s = 10;    // mean of an exponential pause
  double roam_share = 0;        // of the requests with a key: comes from any region
  double leave_share = 0;       // of the requests: the client closes its stream before it is answered
  double leave_after_s = 1;     // mean of an exponential pause
  double large_share = 0;       // whose payload is too large to be kept: it can be offered only once
};

struct TierService {
  ServiceLaw law;
  int steps = 20;  // of the solver: a cancelled job frees its worker at the next one
  bool tells_steps =
      false;  // workers know at which step a job is, so they tell better when they will be free
  // Its workers are plain HTTP servers: a pool that each router of the region was given. They announce
  // nothing, know no lease, and are asked whether they live.
  bool plain = false;
};

// ---- steps ----
struct KillWorkers {
  RegionSet regions;
  double share = 1;  // of each region's workers, the lowest numbered first
  double skip = 0;   // share of the lowest numbered that are left out: steps can go round the fleet
};
struct KillRouters {
  RegionSet regions;
  int count = 1;  // in each region
};
// Told to finish what they have and to take nothing new; when the step ends they are stopped and start anew.
struct RestartRouters {
  RegionSet regions;
  int count = 1;  // in each region
};
struct KillLeaders {
  RegionSet regions;  // the routers that hold a ledger there, with everything they hold
};
struct KillRegion {
  RegionSet regions;  // its routers and workers; its users remain
};
struct KillController {
  bool graceful = false;  // it is told to end (SIGTERM): it ends its streams and saves its state
};
// Operators give orders at these regions' routers: to drain workers, and to let them serve again when the
// step ends, and to cancel jobs. What routers do of it they tell the controller, for its audit log.
struct OrderRouters {
  RegionSet regions;
  double share = 0.2;  // of the workers, as KillWorkers
  int cancel = 1;      // jobs in each region
};
struct DrainRegion {
  RegionSet regions;
  double share = 1;      // of the capacity
  bool expires = false;  // by itself, when the step ends; else another order ends it
};
struct Partition {
  RegionSet from;
  RegionSet to;  // both directions
};
struct ExtraDelay {
  RegionSet from;
  RegionSet to;
  double rtt_ms = 200;
};
struct SlowWorkers {
  RegionSet regions;
  double share = 1;
  double factor = 3;  // of the service time
};
struct DrainWorkers {
  RegionSet regions;
  double share = 1;  // as KillWorkers; they finish what they have, and take nothing new until the step ends
};
struct Sinkhole {
  RegionSet regions;
  int count = 1;  // workers in each that fail every job at once
};
// Restarted by mistake as workers of a tier that the fleet does not have: they live, and nobody may use them.
// When the step ends they are restarted as what they are.
struct WrongTier {
  RegionSet regions;
  double share = 1;  // as KillWorkers
};
// Nothing of what the routers of these regions, or the controller, write to disk in the meantime is there
// later: the disk is full, or an old copy of it comes back. Whoever starts anew reads what had been written
// before; nothing, if that was `wiped`.
struct LoseWrites {
  RegionSet regions;
  bool routers = true;
  bool controller = true;
  bool wiped = false;
};
// The clocks of these workers' hosts are set back until the step ends: whoever starts in the meantime takes
// it for an earlier time.
struct SetClocksBack {
  RegionSet regions;
  double share = 1;  // as KillWorkers
  double by_s = 3600;
};
// Stopped processes (SIGSTOP): they say nothing, their jobs stand still, what they were told waits for them.
// Their connections stand: the step should last less than the keepalive, 15 s.
struct StallWorkers {
  RegionSet regions;
  double share = 1;  // as KillWorkers
};
struct PauseRouters {
  RegionSet regions;
  int count = 1;  // in each region
};
// Streams between processes that both live: of those of routers to the leaders of ledgers, to workers, to the
// controller, and of jobs to workers and to routers of other regions this share breaks, for whoever dialled
// at once, who opens it again. Has no end.
struct BreakStreams {
  RegionSet regions;
  double share = 1;
  double late_s = 0;  // after which whoever did not dial notices: until then its end is open beside the next
};
// Each worker fails the next jobs that it gets, and is well again. Has no end.
struct FailJobs {
  RegionSet regions;
  int count = 5;
};
// This share of the users' submissions fails at once, at whatever worker: one client with broken input.
struct BadJobs {
  RegionSet regions;
  double share = 0.5;
};
struct ScaleDemand {
  RegionSet regions;
  double factor = 3;
};
struct FreezeMetrics {
  RegionSet regions;  // their reports repeat the last values
};
struct SetThreshold {
  TierId tier;
  double value = 0.8;
};
// The operator loads another topology file: of the same regions, tiers and workers, with other settings. When
// the step ends the first one is loaded again.
struct LoadTopology {
  std::string file;
  std::shared_ptr<const Fleet> fleet;
};
// The processes of these regions go over to this release: what is named is told to take nothing new, and is
// stopped and started anew when the step ends; the controller is restarted then. `back`: they go back to the
// release before. Without a wire (WireSpec) it is the restarts and nothing else.
struct Upgrade {
  RegionSet regions;
  bool routers = true;
  bool workers = true;
  bool controller = false;
  bool back = false;
};
using Fault =
    std::variant<KillWorkers, KillRouters, RestartRouters, KillLeaders, KillRegion, KillController,
                 DrainRegion, Partition, ExtraDelay, SlowWorkers, DrainWorkers, Sinkhole, StallWorkers,
                 PauseRouters, BreakStreams, FailJobs, BadJobs, ScaleDemand, FreezeMetrics, SetThreshold,
                 LoadTopology, WrongTier, LoseWrites, SetClocksBack, OrderRouters, Upgrade>;

struct ScenarioStep {
  double at_s = 0;
  double lasts_s = std::numeric_limits<double>::infinity();
  double every_s = 0;  // 0: once
  Fault fault;
};

// Workers are started and stopped as the controller wants them, of tiers that have `scaling`.
struct AutoscaleSpec {
  double start_up_s = 180;   // from the order for a worker to its first job
  double every_s = 15;       // between two looks at the wanted numbers
  double initial_share = 1;  // of the workers that run at the beginning
};

struct Scenario {
  std::string name;
  std::string topology_file;  // that the fleet was read from; empty: none
  std::shared_ptr<const Fleet> fleet;
  std::uint64_t seed = 1;
  double duration_s = 600;
  double warmup_s = 60;  // not counted in the report
  int routers_per_region = 2;
  // Every router was started with every worker of its region (--worker), as in a fleet without a directory:
  // each takes them for beside it and hears their news. Else a worker is beside one router.
  bool all_local = false;
  // Workers that a router watches for hints beyond those that it must hear.
  std::size_t watch_max = 0;
  bool controller = true;
  double epoch_period_s = 1;
  double report_period_s = 1;
  // Keys that a router keeps records of at most; none: as many as a daemon does by default.
  std::optional<std::size_t> once_records_max;
  std::optional<AutoscaleSpec> autoscale;  // none: the workers stay as they are
  std::optional<Prices> prices;            // none: nothing is said of money
  NetworkSpec network;
  std::optional<WireSpec> wire;  // none: processes hand values to each other
  UserSpec users;
  IdVector<TierId, TierService> service;
  std::vector<DemandSpec> demand;
  std::vector<std::string> tenants;  // that traces name
  std::vector<ScenarioStep> steps;
  std::vector<std::string>
      remarks;  // what the reader decided and a person should know, for example how a trace was scaled
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_SCENARIO_H_
