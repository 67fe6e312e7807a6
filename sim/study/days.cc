#include "sim/study/days.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace ringway::sim {
namespace {

constexpr double kWholeShare = 0.9;  // of a day that counts as one: traces end with their last request

TraceArrivals CutOut(const TraceArrivals& law, double from_s, double length_s) {
  const std::vector<double>& all = *law.offsets_s;
  const auto first = std::lower_bound(all.begin(), all.end(), from_s);
  const auto last = std::lower_bound(first, all.end(), from_s + length_s);
  auto offsets = std::make_shared<std::vector<double>>(first, last);
  for (double& offset : *offsets) offset -= from_s;
  TraceArrivals slice = law;
  slice.offsets_s = std::move(offsets);
  slice.recorded_s = length_s;
  if (law.jobs != nullptr) {
    slice.jobs = std::make_shared<const std::vector<RecordedJob>>(law.jobs->begin() + (first - all.begin()),
                                                                  law.jobs->begin() + (last - all.begin()));
  }
  return slice;
}

}  // namespace

std::size_t RecordedDays(const Scenario& scenario, double day_s) {
  double shortest_s = std::numeric_limits<double>::infinity();
  for (const DemandSpec& demand : scenario.demand) {
    const auto* law = std::get_if<TraceArrivals>(&demand.law);
    shortest_s = std::min(shortest_s, law != nullptr ? law->recorded_s : 0);
  }
  if (scenario.demand.empty()) return 0;
  const double days = shortest_s / day_s + (1 - kWholeShare);
  return static_cast<std::size_t>(std::min(days, static_cast<double>(kDaysMax)));
}

Scenario OnDay(const Scenario& scenario, std::size_t day, double day_s) {
  Scenario one = scenario;
  one.duration_s = day_s;
  for (DemandSpec& demand : one.demand) {
    demand.law = CutOut(std::get<TraceArrivals>(demand.law), static_cast<double>(day) * day_s, day_s);
  }
  return one;
}

std::optional<double> RecordedServiceMeanS(const Scenario& scenario, TierId tier) {
  double sum = 0, count = 0;
  for (const DemandSpec& demand : scenario.demand) {
    const auto* law = std::get_if<TraceArrivals>(&demand.law);
    if (law == nullptr || law->jobs == nullptr || demand.tier != tier) continue;
    for (const RecordedJob& job : *law->jobs) {
      if (job.service_s < 0) continue;
      sum += law->service_factor * job.service_s;
      ++count;
    }
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace ringway::sim
