#include "cli/demo/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ringway::demo {
namespace {

// The trace as a region lives it: the same day, begun earlier or later by its UTC offset.
sim::ArrivalLaw TraceLaw(const sim::Trace& trace, const Region& region, double rate_rps) {
  const double length_s = std::max(1.0, std::ceil(trace.offsets_s.back()));
  double shift_s = region.utc_offset_minutes / (24.0 * 60) * length_s;
  if (shift_s < 0) shift_s += length_s;
  std::vector<double> turned;
  turned.reserve(trace.offsets_s.size());
  for (const double at_s : trace.offsets_s) turned.push_back(std::fmod(at_s + length_s - shift_s, length_s));
  std::sort(turned.begin(), turned.end());
  const double recorded_rps = static_cast<double>(turned.size()) / length_s;
  return sim::TraceArrivals{.offsets_s = std::make_shared<const std::vector<double>>(std::move(turned)),
                            .scale = rate_rps / recorded_rps,
                            .length_s = length_s};
}

sim::ArrivalLaw DayLaw(const Region& region, double rate_rps) {
  return sim::DayCurveArrivals{.mean_rps = rate_rps,
                               .swing = kDaySwing,
                               .peak_local_hour = kPeakLocalHour,
                               .utc_offset_minutes = region.utc_offset_minutes,
                               .start_utc_hour = kStartUtcHour,
                               .day_s = kDaySeconds};
}

}  // namespace

Traffic::Traffic(const Fleet& fleet, const Script& script, const sim::ServiceLaw& services,
                 std::uint64_t seed)
    : pending_s_(fleet.world.regions.size(), std::numeric_limits<double>::infinity()),
      factors_(fleet.world.regions.size(), 1),
      services_(services),
      service_rng_(seed, sim::kServiceStream) {
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    streams_.emplace_back(sim::PoissonArrivals{0}, seed, 0);  // nobody, until a demand says otherwise
  }
  for (std::size_t i = 0; i < script.demand.size(); ++i) {
    const std::size_t region = script.demand[i].region.index();
    streams_[region] = sim::ArrivalStream(script.demand[i].law, seed, sim::kArrivalStreams + i);
    pending_s_[region] = streams_[region].Next();
  }
  Choose();
}

Traffic::Traffic(const Fleet& fleet, const Script& script, const sim::Trace* trace, std::uint64_t seed)
    : factors_(fleet.world.regions.size(), 1), service_rng_(seed) {
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    const Region& region = fleet.world.regions[RegionId(i)];
    const double rate_rps = script.base_rps[RegionId(i)];
    streams_.emplace_back(trace == nullptr ? DayLaw(region, rate_rps) : TraceLaw(*trace, region, rate_rps),
                          seed, i);
    pending_s_.push_back(rate_rps > 0 ? streams_.back().Next() : std::numeric_limits<double>::infinity());
  }
  Choose();
}

void Traffic::Enter(const Phase& phase) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const double factor = phase.factors[RegionId(i)];
    if (factor == std::exchange(factors_[i], factor)) continue;
    streams_[i].SetFactor(phase.begins_s, factor);
    // What was drawn under the old factor lies beyond this moment; the new one draws again from here.
    if (!std::isinf(pending_s_[i])) pending_s_[i] = streams_[i].Next();
  }
  Choose();
}

void Traffic::Pop() {
  const std::size_t i = next_.region.index();
  pending_s_[i] = streams_[i].Next();
  next_.service_s = 0;
  Choose();
}

void Traffic::Choose() {
  const auto soonest = std::min_element(pending_s_.begin(), pending_s_.end());
  next_.at_s = *soonest;
  next_.region = RegionId(static_cast<std::size_t>(soonest - pending_s_.begin()));
  // One for each job, however often the phase changes before it comes.
  if (services_ && next_.service_s == 0) next_.service_s = sim::DrawServiceS(*services_, service_rng_);
}

}  // namespace ringway::demo
