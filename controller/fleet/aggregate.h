// From the values of a region's workers to the region's load.
//
// For each metric of the tier the values are aggregated (sum, mean, max, quantile) and divided by the
// metric's capacity; the worst metric is the load. The denominator is what is provisioned, never what happens
// to be alive: a region with half its workers dead has half the usable capacity (usable_share), and its load
// reads 0.5 when the other half is busy. Hence
//   sum:                     sum / (capacity, times provisioned workers if per worker)
//   mean, max, quantile:     value / capacity x alive / provisioned
// so that load and usable_share stay comparable for every aggregation.
//
// Values that are not finite, negative, or older than MetricSpec::max_age do not count. The rest stands for
// them (a sum is scaled up to all living workers); when fewer than half are left the metric has no reading.
//
// Pure. O(n log n) in the values for quantiles, else O(n).
#ifndef RINGWAY_CONTROLLER_FLEET_AGGREGATE_H_
#define RINGWAY_CONTROLLER_FLEET_AGGREGATE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/tier.h"
#include "core/time.h"

namespace ringway::controller {

struct MetricValue {
  double value = 0;
  Duration age;
};

// How many workers a region has, by two counts.
struct WorkerCount {
  int provisioned = 0;
  int alive = 0;
  // Of the provisioned capacity, what can be used; more than provisioned does not count.
  double AliveShare() const {
    return provisioned > 0 ? static_cast<double>(alive < provisioned ? alive : provisioned) / provisioned : 0;
  }
};

struct MetricReading {
  double load = 0;
  Duration age;  // mean of the values that counted
  int bad = 0;   // values that were not finite, or negative
  int old = 0;
  bool busy_share = false;  // of the workers' time, so that 1 is all that there can be
};

// The region's aggregate of one metric as a load; `values` holds one entry a living worker that has one.
// None: no worker is provisioned, or too few values are usable; `problem` then says what was found.
std::optional<MetricReading> ReadMetric(const MetricSpec& spec, const std::vector<MetricValue>& values,
                                        WorkerCount workers, std::string& problem);

// The same for a value that Prometheus has aggregated already.
std::optional<MetricReading> ReadAggregated(const MetricSpec& spec, MetricValue value, WorkerCount workers,
                                            std::string& problem);

// Value at `quantile` of the sorted values, nearest rank. Not empty.
double NearestRank(std::vector<double> values, double quantile);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_AGGREGATE_H_
