// What an operator writes about one tier: a fleet of interchangeable workers for one workload.
//
// A Tier holds settings only; what is measured lives in core/snapshot.h. What an operator may want to turn is
// here, with the default that the evidence behind the design recommends. Timings of protocols and bounds of
// memory are named constants beside the code that needs them. Loads are shares of maximum capacity (1.0 =
// every GPU busy), so a threshold of 0.8 means: hot above 80 %.
//
// Invariants (checked by topology/ on loading): at least one metric, rings sorted by rtt_ms_max with
// non-decreasing unlock_load, 0 < overload_threshold <= 1, 1..kMaxPriorities priorities, regions sized as the
// world. Threads: immutable, share freely.
#ifndef RINGWAY_CORE_TIER_H_
#define RINGWAY_CORE_TIER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/time.h"

namespace ringway {

// Priority 0 is the most important. Bounded, so that per-priority state is a small array.
inline constexpr std::size_t kMaxPriorities = 4;
using Priority = std::uint8_t;
template <class T>
using PerPriority = std::array<T, kMaxPriorities>;

enum class Aggregation { kSum, kMean, kMax, kQuantile };

// One metric of the tier. The load of a region is its aggregated value over its capacity; with several
// metrics the worst counts.
// A metric of this name needs no page to be scraped: it is the busy time that each router counts itself.
inline constexpr std::string_view kBusyMetric = "busy";

struct MetricSpec {
  std::string name;
  Aggregation aggregation = Aggregation::kSum;
  double quantile = 0.95;  // only for kQuantile
  // The value at which a region is at load 1.0. Per worker: multiplied by the workers of the region (sums);
  // else absolute.
  double capacity = 1;
  bool capacity_per_worker = false;
  std::string promql;              // non-empty: ask the Prometheus server instead of the routers
  Duration max_age = Seconds(30);  // older values are stale
  friend bool operator==(const MetricSpec&, const MetricSpec&) = default;
};

struct RingSpec {
  std::string name;
  double rtt_ms_max = 0;   // regions within this RTT
  double unlock_load = 0;  // are open to a source at or above this load
  friend bool operator==(const RingSpec&, const RingSpec&) = default;
};

enum class Escalation {
  kWhenFull,  // rings unlocked by load are full and the region is still hot: the next ring opens too
  kByLoad,    // the strict reading: only the load opens rings
};

// Who pays for an overload that the regions in reach cannot take below their thresholds: how far others are
// filled for it by the table. Whatever it says, a job that finds no idle worker at home may leave for one
// that is idle elsewhere.
enum class Isolation {
  kLocalFirst,  // up to their thresholds; the rest waits, or is refused, where it entered, if it can
  kFill,        // until they are full
  kLevel,       // until all are equally far above; their own users wait as long as everybody
};

enum class RefineMode { kOff, kSwap, kOptimal };

// What one region has of the tier.
struct TierRegion {
  int workers = 0;                // provisioned; 0 = the tier does not exist there (its users still do)
  double reserve_share = 0;       // of the workers, held back for other uses
  double import_cap_share = 1;    // of the usable capacity, the most that other regions may bring in
  double overload_threshold = 0;  // of this region; 0: the tier's
  friend bool operator==(const TierRegion&, const TierRegion&) = default;
};

// Damping and limits of a plan; see docs on guard limits. Each is one setting of the closed loop.
struct GuardSpec {
  double plan_margin = 0.04;     // plan to (1 - margin) x threshold
  double shed_above = 3;         // times what is planned as full: the table refuses only what is above
  double cost_clamp_low = 0.33;  // load cost stays within [low, high] x prior
  double cost_clamp_high = 3.0;
  double refuted_at = 15;      // likelihood ratio of counts at which a held rate is given up
  double hysteresis = 0.01;    // a receiver this much above what is planned is not above it
  double step_max = 0.20;      // share of a row that may move in one epoch
  double jump_max = 10;        // a demand above this multiple of what is held is not believed at once,
  int jump_confirmations = 3;  // but after this many reports in a row that say so
  Duration stale_after = Seconds(15);    // a region's report older than this: frozen, not acted on
  Duration missing_after = Seconds(60);  // older than this: the region is out
  Duration drain_pace = Seconds(20);     // full region to empty, and back
  friend bool operator==(const GuardSpec&, const GuardSpec&) = default;
};

struct RouteSpec {
  double overload_threshold = 0.8;  // caps the ceiling that follows from a region's size
  double ceiling_wait = 0.3;  // mean wait, in service times, at which a region is full; 0: no limit by size
  std::vector<RingSpec> rings;
  Escalation escalation = Escalation::kWhenFull;
  // None: kLocalFirst where jobs leave on hints of idle workers, else kFill, which does by table what hints
  // do.
  std::optional<Isolation> isolation;
  RefineMode refine = RefineMode::kOptimal;
  friend bool operator==(const RouteSpec&, const RouteSpec&) = default;
};

// How a job finds a slot of its region. Probing is also what routers do while no ledger can be reached.
enum class DispatchMode { kProbe, kLedger };

// Under pressure a share of the jobs is made executable a little later, so that a burst arrives gradually.
struct SchedulingDelaySpec {
  double busy_min = 0.8;              // no delay below this busy share
  double share_max = 1.0;             // of jobs delayed when everything is busy; rises linearly from busy_min
  Duration span = Milliseconds(250);  // uniform in [0, span)
  friend bool operator==(const SchedulingDelaySpec&, const SchedulingDelaySpec&) = default;
};

struct BackoffSpec {
  Duration base = Milliseconds(10);
  double multiplier = 2;
  double cap_of_service = 0.06;  // the longest sleep, as a share of the mean service time
  bool full_jitter = true;
  friend bool operator==(const BackoffSpec&, const BackoffSpec&) = default;
};

struct RetryBudgetSpec {
  double share = 1;             // probe attempts per arriving job that may be spent, jobs in backoff included
  double floor_per_second = 1;  // of each router: there may be thousands of them
  friend bool operator==(const RetryBudgetSpec&, const RetryBudgetSpec&) = default;
};

// Jobs that leave a long line at home for another region, beneath the table. Where the ledger's leaders tell
// each other of idle workers, one job leaves for each; the rest is for tiers that probe, and for leaders that
// hear of no other: `share` bounds what leaves on no more than what was learnt from jobs that came back.
struct SpillSpec {
  bool idle_hints = true;                // leaders tell each other of idle workers
  double share = 0.05;                   // of the jobs that enter, the most that may spill; 0: no job ever
  Duration keep = Seconds(30);           // half of what calm times did not use is kept for so long
  Duration wait_min = Milliseconds(50);  // at home, however near the other region is
  Duration fade = Seconds(5);            // half of what was learnt about a region is forgotten
  Duration refused_cost = Seconds(2);    // expected wait where a job was refused a moment ago
  friend bool operator==(const SpillSpec&, const SpillSpec&) = default;
};

struct DispatchSpec {
  DispatchMode mode = DispatchMode::kLedger;
  int probes_per_round = 4;  // distinct workers tried before sleeping
  int attempts_max = 1000;   // for one job; the budget and the deadline bound it first
  SchedulingDelaySpec delay;
  BackoffSpec backoff;
  RetryBudgetSpec budget;
  SpillSpec spill;
  std::size_t waiting_max = 10000;  // jobs a router holds for this tier
  friend bool operator==(const DispatchSpec&, const DispatchSpec&) = default;
};

// How many workers each region should have, for an autoscaler that starts and stops them; docs/scaling.md.
struct ScalingSpec {
  // Probability that demand exceeds what is provided for, by the time a worker that starts now is ready.
  double risk = 0.01;
  double wait_target = 0.1;           // mean wait of a job, in service times
  Duration start_up = Minutes(3);     // from the order for a worker to its first job
  Duration stable_for = Minutes(10);  // the number falls to the highest need of so long
  int workers_min = 1;                // of each region that has any
  friend bool operator==(const ScalingSpec&, const ScalingSpec&) = default;
};

struct Tier {
  std::string name;
  std::vector<MetricSpec> metrics;
  std::vector<std::string> priorities = {"interactive"};  // most important first
  RouteSpec route;
  GuardSpec guard;
  DispatchSpec dispatch;
  std::optional<ScalingSpec> scaling;  // none: nobody scales it, and no number is worked out
  Duration service_mean = Seconds(5);  // prior of a job's service time
  Duration deadline = Seconds(30);     // of a job that names none
  IdVector<RegionId, TierRegion> regions;
  // residency_forbidden[source] lists regions that jobs from `source` may not enter. Empty = none.
  IdVector<RegionId, std::vector<RegionId>> residency_forbidden;

  // The one that its settings lead to.
  Isolation isolation() const {
    const bool hints = dispatch.mode == DispatchMode::kLedger && dispatch.spill.idle_hints;
    return route.isolation.value_or(hints ? Isolation::kLocalFirst : Isolation::kFill);
  }
};

inline double OverloadThreshold(const Tier& tier, RegionId region) {
  const double own = tier.regions.contains(region) ? tier.regions[region].overload_threshold : 0;
  return own > 0 ? own : tier.route.overload_threshold;
}

}  // namespace ringway

#endif  // RINGWAY_CORE_TIER_H_
