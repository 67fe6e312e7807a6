#include "router/dispatch/spill.h"

#include <algorithm>
#include <cmath>

namespace ringway::dispatch {
namespace {

constexpr double kWaitEwma = 0.3;  // weight of the newest job

// What is left of something that halves every `half`.
double Halved(Duration passed, Duration half) {
  if (passed <= ZeroDuration()) return 1;
  return std::exp2(-FDivDuration(passed, half));
}

}  // namespace

double SpillGate::allowance(Time now) const {
  if (allowance_at_ == InfinitePast()) return 0;
  return allowance_ * Halved(now - allowance_at_, spec_.keep);
}

bool SpillGate::OnArrival(Time now) {
  const double before = allowance(now);
  allowance_ = before + spec_.share;
  allowance_at_ = now;
  return before < 1 && allowance_ >= 1;
}

void SpillGate::Spend(Time now) {
  allowance_ = allowance(now) - 1;
  allowance_at_ = now;
}

const SpillTarget* SpillGate::Target(RegionId region) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [region](const SpillTarget& target) { return target.region == region; });
  return found == targets_.end() ? nullptr : &*found;
}

// Old news counts less and less: a region is tried again when it may have become empty.
Duration SpillGate::expected_wait(RegionId region, Time now) const {
  if (!seen_.contains(region) || seen_[region].at == InfinitePast()) return ZeroDuration();
  const Seen& seen = seen_[region];
  return seen.wait * Halved(now - seen.at, spec_.fade);
}

Duration SpillGate::Cost(const SpillTarget& target, Time now) const {
  return std::max(spec_.wait_min, target.rtt + expected_wait(target.region, now));
}

const SpillTarget* SpillGate::Choose(Time now, Duration waited, Duration left) const {
  if (spec_.share <= 0 || targets_.empty() || allowance(now) < 1) return nullptr;
  for (const SpillTarget& target : targets_) {
    const Duration cost = Cost(target, now);
    if (waited >= cost && left > cost && HasRoom(target)) return &target;
  }
  return nullptr;
}

Time SpillGate::WorthFrom(Time now, Time since) const {
  if (spec_.share <= 0 || targets_.empty() || allowance(now) < 1) return InfiniteFuture();
  Duration cheapest = InfiniteDuration();
  for (const SpillTarget& target : targets_) {
    if (std::max(spec_.wait_min, target.rtt) >= cheapest) break;  // and so are those that are farther
    if (HasRoom(target)) cheapest = std::min(cheapest, Cost(target, now));
  }
  return since + cheapest;
}

void SpillGate::Left(RegionId region) {
  if (!seen_.contains(region)) seen_.resize(region.index() + 1);
  ++seen_[region].in_flight;
}

void SpillGate::Came(RegionId region, Time now, Duration waited_there, bool served) {
  if (!seen_.contains(region)) return;
  Seen& seen = seen_[region];
  if (seen.in_flight > 0) --seen.in_flight;
  const Duration known = expected_wait(region, now);
  seen.wait = served ? known + kWaitEwma * (waited_there - known) : std::max(known, spec_.refused_cost);
  seen.at = now;
}

}  // namespace ringway::dispatch
