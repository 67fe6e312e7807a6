// What routers tell the controller, as values: who they are, and what happened since their last report.
//
// Made from wire messages by controller/wire/, which translates names to the ids of the fleet that the
// controller has loaded and refuses what it does not know. Counters are since the router's last report and
// cover `period_s` seconds; gauges are of the moment of the report. Numbers of workers' metrics are passed on
// as they came, NaN included: the aggregation judges them, so that an operator hears of a bad one.
//
// Bounds (kept by the codec): kWorkersPerReportMax, one TierCounts a tier, one SentCount a target.
#ifndef RINGWAY_CONTROLLER_FLEET_REPORT_H_
#define RINGWAY_CONTROLLER_FLEET_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/lease.h"
#include "core/table.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::controller {

inline constexpr std::size_t kWorkersPerReportMax = 1024;
inline constexpr std::size_t kRoutersMax = 10000;

struct RouterHello {
  std::string router;  // unique name
  RegionId region;
  std::string address;  // where other routers reach it
  TableVersion table;   // that it holds; 0/0: none
  std::string build;
  std::uint64_t incarnation = 0;  // rises with each start; 0: an earlier release
  friend bool operator==(const RouterHello&, const RouterHello&) = default;
};

struct MetricSeen {
  std::size_t metric = 0;  // index into Tier::metrics
  double value = 0;
  Duration age;  // when the report was made
  friend bool operator==(const MetricSeen&, const MetricSeen&) = default;
};

struct WorkerSeen {
  std::string name;
  TierId tier;
  std::string address;
  bool healthy = true;
  bool draining = false;
  bool busy = false;
  double busy_s = 0;  // since the last report
  std::vector<MetricSeen> metrics = {};
  bool adopted = false;  // by a router that is not beside it
  bool plain = false;    // announces nothing; not for directories
  friend bool operator==(const WorkerSeen&, const WorkerSeen&) = default;
};

struct SentCount {
  RegionId target;
  std::uint64_t count = 0;
  friend bool operator==(const SentCount&, const SentCount&) = default;
};

struct TierCounts {
  TierId tier;
  PerPriority<std::uint64_t> entered{};  // first entering at this router, the refused included
  std::vector<SentCount> sent;
  std::uint64_t done = 0;
  std::uint64_t offers = 0;
  std::uint64_t busy = 0;
  std::uint64_t failed = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t shed = 0;
  std::uint64_t spilled = 0;
  std::uint64_t waiting = 0;  // gauge
  double wait_s_sum = 0;
  double service_s_sum = 0;
  std::uint64_t ran = 0;       // left workers that this router had asked itself, however they ended
  double held_s_sum = 0;       // how long these held them
  std::uint64_t own_done = 0;  // of jobs that first entered here, whoever answered them
  std::uint64_t own_lost = 0;  // of these, shed or too late; both 0 of an earlier release
  Fence appointment = {};  // the latest of the tier's leaders in its region that it, or a worker, knows of
  friend bool operator==(const TierCounts&, const TierCounts&) = default;
};

struct RoundTripSeen {
  RegionId to;
  double ms = 0;
  friend bool operator==(const RoundTripSeen&, const RoundTripSeen&) = default;
};

struct RouterReport {
  std::uint64_t sequence = 0;
  double period_s = 1;
  std::vector<TierCounts> tiers;
  std::vector<WorkerSeen> workers;
  TableVersion table;  // active now
  std::uint64_t epoch_seen_max = 0;
  std::vector<RoundTripSeen> round_trips = {};  // from the router's region, where there is news
  TableVersion view = {};                       // which routers keep records of keys; version 0: not known
  friend bool operator==(const RouterReport&, const RouterReport&) = default;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_REPORT_H_
