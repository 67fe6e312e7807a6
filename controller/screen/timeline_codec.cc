#include "controller/screen/timeline_codec.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "controller/screen/bytes.h"

namespace ringway::controller {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

struct Names {
  std::vector<std::optional<TierId>> tiers;
  std::vector<std::optional<RegionId>> regions;
};

Names ReadNames(ByteReader& reader, const Fleet& fleet) {
  Names names;
  for (std::size_t n = reader.Count(kNumberBytes); n > 0 && reader.ok(); --n) {
    names.tiers.push_back(fleet.FindTier(reader.Name()));
  }
  for (std::size_t n = reader.Count(kNumberBytes); n > 0 && reader.ok(); --n) {
    names.regions.push_back(fleet.world.FindRegion(reader.Name()));
  }
  return names;
}

Timeline::Step Unknown(const Fleet& fleet) {
  const std::size_t regions = fleet.world.regions.size();
  const bool regions_too = fleet.tiers.size() * regions <= Timeline::kRegionSeriesMax;
  const std::vector<Timeline::RegionPoint> points(regions_too ? regions : 0, {kUnknown, kUnknown});
  const Timeline::TierPoint tier{kUnknown, kUnknown, kUnknown, points};
  return {.start = UnixEpoch(),
          .seen = true,
          .tiers = std::vector<Timeline::TierPoint>(fleet.tiers.size(), tier)};
}

Timeline::Step ReadStep(ByteReader& reader, const Names& names, const Timeline::Step& unknown) {
  if (reader.Number(1) == 0) return {};
  Timeline::Step step = unknown;
  Timeline::TierPoint aside;
  for (const std::optional<TierId>& tier : names.tiers) {
    Timeline::TierPoint& point = tier ? step.tiers[tier->index()] : aside;
    point.demand_rps = reader.Float();
    point.away_rps = reader.Float();
    point.shed_rps = reader.Float();
    if (reader.Number(1) == 0) continue;
    for (const std::optional<RegionId>& region : names.regions) {
      const float load = reader.Float();
      const float demand = reader.Float();
      if (region && region->index() < point.regions.size()) point.regions[region->index()] = {load, demand};
    }
  }
  return step;
}

void WriteStep(const Timeline::Step& step, std::size_t tiers, ByteWriter& bytes) {
  const bool seen = step.seen && step.tiers.size() == tiers;
  bytes.Add(seen ? 1 : 0, 1);
  if (!seen) return;
  for (const Timeline::TierPoint& tier : step.tiers) {
    for (const float value : {tier.demand_rps, tier.away_rps, tier.shed_rps}) bytes.Add(value);
    bytes.Add(tier.regions.empty() ? 0 : 1, 1);
    for (const Timeline::RegionPoint& region : tier.regions) {
      bytes.Add(region.load);
      bytes.Add(region.demand_rps);
    }
  }
}

}  // namespace

std::string EncodeTimeline(const Timeline& timeline, const Fleet& fleet, Duration ahead) {
  ByteWriter bytes;
  const std::deque<Timeline::Step>& steps = timeline.steps();
  const Time newest = steps.empty() ? UnixEpoch() : steps.back().start + ahead;
  bytes.Add(static_cast<std::uint64_t>(ToUnixMillis(newest)), 8);
  bytes.Add(fleet.tiers.size(), kNumberBytes);
  for (const Tier& tier : fleet.tiers) bytes.Add(tier.name);
  bytes.Add(fleet.world.regions.size(), kNumberBytes);
  for (const Region& region : fleet.world.regions) bytes.Add(region.name);
  bytes.Add(steps.size(), kNumberBytes);
  for (const Timeline::Step& step : steps) WriteStep(step, fleet.tiers.size(), bytes);
  return bytes.Take();
}

absl::StatusOr<std::deque<Timeline::Step>> DecodeTimeline(std::string_view bytes, const Fleet& fleet,
                                                          Time now, Duration ahead) {
  ByteReader reader(bytes);
  const Time newest = FromUnixMillis(static_cast<std::int64_t>(reader.Number(8))) - ahead;
  const Names names = ReadNames(reader, fleet);
  const Timeline::Step unknown = Unknown(fleet);
  const std::size_t count = reader.Count(1);
  std::deque<Timeline::Step> steps;
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    steps.push_back(ReadStep(reader, names, unknown));
    if (steps.size() > Timeline::kSteps) steps.pop_front();
  }
  if (!reader.ok() || !reader.done()) return absl::DataLossError("it does not hold a timeline");
  // On the grid of this life, half a step off at most.
  const Time last = Timeline::StepOf(newest + Timeline::kStep / 2);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].start = last - Timeline::kStep * (steps.size() - 1 - i);
  }
  const Time present = Timeline::StepOf(now);
  while (!steps.empty() && (steps.back().start >= present || !steps.back().seen)) steps.pop_back();
  while (!steps.empty() && present - steps.front().start > Timeline::kStep * Timeline::kSteps) {
    steps.pop_front();
  }
  return steps;
}

}  // namespace ringway::controller
