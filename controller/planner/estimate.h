// From a region's reports to the RegionLoad that the planner reads: demand, load cost, background, health.
//
// Counts come as routers report them (Count): requests that entered, jobs that ended, busy worker-seconds. Of
// them the demand of each priority (demand.h) and the cost of a request (load_cost.h) are held rates, so that
// a fleet at rest gives the planner the same numbers bit for bit. Readings of metrics come at their own pace
// and age (Read): each is a line in traffic (metric_line.h). What binds is the metric, the busy workers among
// them, at which the threshold is reached with the least traffic; its cost and background are the region's.
//
// Values are checked on the way in: what is not a number, is negative, or jumps absurdly is not used, and a
// finding says what stands instead. Health follows from the age of the last counts: fresh, stale
// (GuardSpec::stale_after), missing (missing_after, or never counted). A metric without a recent value, or
// one that is frozen, invites nothing: the region keeps what it is sent and is sent no more.
//
// What the estimate does not know, the caller sets: `usable_share` starts as 1 - reserve_share and the caller
// multiplies it with the pace of a drain; `draining` is the operator's. Pure; one owner thread; O(1) a
// sample.
#ifndef RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_
#define RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "controller/planner/demand.h"
#include "controller/planner/finding.h"
#include "controller/planner/load_cost.h"
#include "controller/planner/metric_line.h"
#include "core/ids.h"
#include "core/snapshot.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::planner {

// What happened in one region over the `seconds` that ended at `at`.
struct RegionCounts {
  Time at;
  double seconds = 0;
  PerPriority<double> entered{};  // requests first entering here, the refused included, our retries excluded
  double ended = 0;               // jobs that left a worker of the region
  double busy_s = 0;              // of its workers
  double alive = 0;               // workers
};

// One metric of one region.
struct RegionReading {
  Time at;
  double load = 0;          // over its capacity
  double started_rps = 0;   // requests that went to the region's workers then, from all sources
  bool busy_share = false;  // it is the busy share of the workers: shown, and counted better than read
};

class RegionEstimate {
 public:
  RegionEstimate(RegionId region, std::shared_ptr<const Tier> tier);

  // What is known of one metric.
  struct Metric {
    std::optional<MetricLine> line;  // none for a busy share, and before the first reading
    double last = 0;
    Time at = InfinitePast();  // of the last reading; InfinitePast: none
  };

  // All that was learnt. Restore on a fresh estimate of the same region gives its equal; under edited
  // settings it keeps what they allow.
  struct Learnt {
    struct Metric {
      std::optional<MetricLine::State> line;
      double last = 0;
      Time at = InfinitePast();
    };
    std::optional<LoadCost::Learnt> cost;
    std::vector<Demand::Learnt> demand;  // by priority
    std::vector<Metric> metrics;
    Time counted_at = InfinitePast();
  };
  Learnt learnt() const;
  void Restore(const Learnt& learnt);

  // Older counts than the last, and older readings of the same metric, are dropped.
  void Count(const RegionCounts& counts, std::vector<Finding>& findings);
  void Read(std::size_t metric, const RegionReading& reading, std::vector<Finding>& findings);
  RegionLoad Load(Time now) const;
  // Of all priorities, as held; Load() may show less where a table might refuse.
  double DemandRps() const;

  // ---- for screens ----
  const Metric& metric(std::size_t metric) const { return metrics_[metric]; }
  // Why no more is sent there than now: missing or frozen.
  bool Missing(std::size_t metric, Time now) const;
  bool Frozen(std::size_t metric) const;
  // The metric that binds; none: how many jobs the workers can do.
  std::optional<std::size_t> Binding() const;

 private:
  RegionId region_;
  std::shared_ptr<const Tier> tier_;
  std::optional<LoadCost> cost_;  // none where the tier has no workers
  std::vector<Demand> demand_;    // by priority
  std::vector<Metric> metrics_;   // as the tier's
  Time counted_at_ = InfinitePast();
};

class TierEstimate {
 public:
  TierEstimate(TierId tier_id, std::shared_ptr<const Tier> tier, std::size_t regions);

  RegionLoad Load(RegionId region, Time now) const { return regions_[region].Load(now); }
  RegionEstimate& region(RegionId region) { return regions_[region]; }
  const RegionEstimate& region(RegionId region) const { return regions_[region]; }

  // Every region's Load; the caller then sets what only it knows (drains) and the table in force.
  TierSnapshot Snapshot(Time now) const;

 private:
  TierId tier_id_;
  IdVector<RegionId, RegionEstimate> regions_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_
