#include "controller/fleet/aggregate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/finite.h"

namespace ringway::controller {
namespace {

double LoadOf(const MetricSpec& spec, double aggregated, WorkerCount workers) {
  if (spec.aggregation == Aggregation::kSum) {
    return aggregated / (spec.capacity * (spec.capacity_per_worker ? workers.provisioned : 1));
  }
  return aggregated / spec.capacity * workers.AliveShare();
}

double Aggregated(const MetricSpec& spec, const std::vector<double>& values, int alive) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double count = static_cast<double>(values.size());
  switch (spec.aggregation) {
    case Aggregation::kSum:
      return sum / count * std::max(alive, static_cast<int>(values.size()));
    case Aggregation::kMean:
      return sum / count;
    case Aggregation::kMax:
      return *std::max_element(values.begin(), values.end());
    case Aggregation::kQuantile:
      return NearestRank(values, spec.quantile);
  }
  return sum;
}

}  // namespace

double NearestRank(std::vector<double> values, double quantile) {
  const double rank = std::ceil(quantile * static_cast<double>(values.size()));
  const auto index = static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
  return values[index];
}

std::optional<MetricReading> ReadMetric(const MetricSpec& spec, const std::vector<MetricValue>& values,
                                        WorkerCount workers, std::string& problem) {
  if (workers.provisioned <= 0) return std::nullopt;
  if (workers.alive == 0) return MetricReading{};  // nobody serves, nobody is loaded
  MetricReading reading;
  std::vector<double> usable;
  usable.reserve(values.size());
  // Values that came in one report are of one age, and follow each other.
  Duration age_sum, age;
  std::int64_t of_age = 0;
  for (const MetricValue& value : values) {
    if (!IsFiniteNonNegative(value.value)) {
      ++reading.bad;
    } else if (value.age > spec.max_age) {
      ++reading.old;
    } else {
      usable.push_back(value.value);
      if (value.age != age) {
        age_sum += of_age * std::exchange(age, value.age);
        of_age = 0;
      }
      ++of_age;
    }
  }
  age_sum += of_age * age;
  if (reading.bad > 0 || reading.old > 0 || usable.size() * 2 < static_cast<std::size_t>(workers.alive)) {
    problem = absl::StrCat("metric '", spec.name, "': ", usable.size(), " usable values of ", workers.alive,
                           " workers (", reading.bad, " not a number from 0, ", reading.old, " too old)");
  }
  if (usable.empty() || usable.size() * 2 < static_cast<std::size_t>(workers.alive)) return std::nullopt;
  reading.load = LoadOf(spec, Aggregated(spec, usable, workers.alive), workers);
  reading.age = age_sum / static_cast<std::int64_t>(usable.size());
  return reading;
}

std::optional<MetricReading> ReadAggregated(const MetricSpec& spec, MetricValue value, WorkerCount workers,
                                            std::string& problem) {
  if (workers.provisioned <= 0) return std::nullopt;
  if (!IsFiniteNonNegative(value.value)) {
    problem = absl::StrCat("metric '", spec.name, "': Prometheus says ", value.value,
                           ", a finite number from 0 is needed");
    return std::nullopt;
  }
  if (value.age > spec.max_age) {
    problem = absl::StrCat("metric '", spec.name, "': the value from Prometheus is ",
                           absl::FormatDuration(value.age), " old, at most ",
                           absl::FormatDuration(spec.max_age), " is allowed");
    return std::nullopt;
  }
  return MetricReading{.load = LoadOf(spec, value.value, workers), .age = value.age};
}

}  // namespace ringway::controller
