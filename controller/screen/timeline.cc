#include "controller/screen/timeline.h"

#include <utility>

namespace ringway::controller {
namespace {

std::size_t Series(const FleetPicture& picture) {
  std::size_t series = 0;
  for (const TierPicture& tier : picture) series += tier.regions.size();
  return series;
}

void Divide(Timeline::TierPoint& point, float by) {
  point.demand_rps /= by;
  point.away_rps /= by;
  point.shed_rps /= by;
  for (Timeline::RegionPoint& region : point.regions) {
    region.load /= by;
    region.demand_rps /= by;
  }
}

}  // namespace

void Timeline::Restore(std::shared_ptr<const Fleet> fleet, std::deque<Step> steps) {
  fleet_ = std::move(fleet);
  steps_ = std::move(steps);
  ended_ += steps_.size();
}

void Timeline::Add(Time now, const std::shared_ptr<const Fleet>& fleet, const FleetPicture& picture) {
  if (fleet != fleet_) {
    fleet_ = fleet;
    steps_.clear();
    open_ = {};
    pictures_ = 0;
    ++ended_;
  }
  const Time start = StepOf(now);
  if (open_.seen && start > open_.start) End();
  // After a pause longer than everything that is kept, the past is over.
  if (!steps_.empty() && start - steps_.back().start > kStep * kSteps) steps_.clear();
  while (!steps_.empty() && steps_.back().start + kStep < start) {
    steps_.push_back({.start = steps_.back().start + kStep, .seen = false, .tiers = {}});
    if (steps_.size() > kSteps) steps_.pop_front();
  }
  open_.start = start;
  open_.seen = true;
  Count(picture);
}

void Timeline::Count(const FleetPicture& picture) {
  open_.tiers.resize(picture.size());
  const bool regions_too = Series(picture) <= kRegionSeriesMax;
  for (std::size_t t = 0; t < picture.size(); ++t) {
    TierPoint& point = open_.tiers[t];
    point.demand_rps += static_cast<float>(picture[t].demand_rps);
    point.away_rps += static_cast<float>(picture[t].away_rps);
    point.shed_rps += static_cast<float>(picture[t].shed_rps);
    if (!regions_too) continue;
    point.regions.resize(picture[t].regions.size());
    for (std::size_t r = 0; r < point.regions.size(); ++r) {
      const RegionStatus& status = picture[t].regions[RegionId(r)];
      point.regions[r].load += static_cast<float>(status.load);
      point.regions[r].demand_rps += static_cast<float>(status.demand_rps);
    }
  }
  ++pictures_;
}

void Timeline::End() {
  for (TierPoint& point : open_.tiers) Divide(point, static_cast<float>(pictures_));
  steps_.push_back(std::exchange(open_, {}));
  if (steps_.size() > kSteps) steps_.pop_front();
  pictures_ = 0;
  ++ended_;
}

}  // namespace ringway::controller
