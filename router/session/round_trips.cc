#include "router/session/round_trips.h"

#include <algorithm>
#include <utility>

namespace ringway::router {

RoundTrips::Region& RoundTrips::At(RegionId region) {
  if (!regions_.contains(region)) regions_.resize(region.index() + 1);
  return regions_[region];
}

std::uint64_t RoundTrips::Ask(Time now, RegionId region) {
  Region& there = At(region);
  const bool waits = there.asked != 0 && now < there.asked_at + kAnswerMax;
  const bool rests = there.samples.size() >= kSamplesMin && now < there.asked_at + kAskEvery;
  if (waits || rests) return 0;
  there.asked = ++last_;
  there.asked_at = now;
  return there.asked;
}

void RoundTrips::Answered(Time now, RegionId region, std::uint64_t number) {
  if (!regions_.contains(region)) return;
  Region& there = regions_[region];
  if (number == 0 || there.asked != number) return;
  there.asked = 0;
  const Duration sample = now - there.asked_at;
  if (there.samples.size() < kSamples) {
    there.samples.push_back(sample);
  } else {
    there.samples[there.next] = sample;
    there.next = (there.next + 1) % kSamples;
  }
  there.fresh = true;
}

void RoundTrips::LinkBroke(RegionId region) {
  if (regions_.contains(region)) regions_[region].asked = 0;
}

void RoundTrips::Take(Time now, std::vector<RoundTrip>& out) {
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    Region& there = regions_[id];
    if (there.samples.size() < kSamplesMin || !std::exchange(there.fresh, false)) continue;
    std::vector<Duration> sorted = there.samples;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const Duration off = AbsDuration(*middle - there.told);
    const bool changed = off > std::max(kChangeMin, there.told * kChange);
    if (!changed && now < there.told_at + kTellEvery) continue;
    there.told = *middle;
    there.told_at = now;
    out.push_back({id, there.told});
  }
}

}  // namespace ringway::router
