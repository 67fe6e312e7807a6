#include "router/dispatch/ledger/idle_regions.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ringway::ledger {

IdleRegions::Region& IdleRegions::At(RegionId region) {
  if (!regions_.contains(region)) regions_.resize(region.index() + 1);
  return regions_[region];
}

void IdleRegions::Aim(const std::vector<AwayTarget>& targets) {
  for (const RegionId region : nearest_first_) regions_[region].rtt = InfiniteDuration();
  nearest_first_.clear();
  for (const AwayTarget& target : targets) {
    At(target.region).rtt = target.rtt;
    nearest_first_.push_back(target.region);
  }
}

void IdleRegions::Hear(Time now, RegionId from, const IdleHint& hint) {
  Region& region = At(from);
  const auto order = [](const IdleHint& h) { return std::tie(h.appointment, h.sequence); };
  if (region.heard != InfinitePast() && order(hint) <= order(region.hint)) return;
  // What had reached it when it spoke, half a round trip ago, left here half a round trip before that.
  std::int64_t landed = 0;
  while (!region.unknown.empty() && region.unknown.front() <= now - region.rtt) {
    region.unknown.pop_front();
    ++landed;
  }
  const bool follows = region.heard != InfinitePast() && hint.appointment == region.hint.appointment &&
                       hint.landings >= region.hint.landings;
  const auto landings = follows ? static_cast<std::int64_t>(hint.landings - region.hint.landings) : 0;
  region.foreign = std::max<std::int64_t>(0, landings - landed);
  region.hint = hint;
  region.heard = now;
  region.refused = false;
  heard_last_ = std::max(heard_last_, now);
}

void IdleRegions::Lose(RegionId region) {
  if (regions_.contains(region)) regions_[region].refused = true;
}

void IdleRegions::Sent(Time now, RegionId region) {
  std::deque<Time>& unknown = At(region).unknown;
  if (unknown.size() >= kSendsMax) unknown.pop_front();
  unknown.push_back(now);
}

void IdleRegions::Refused(RegionId region) {
  if (regions_.contains(region)) regions_[region].refused = true;
}

int IdleRegions::Believed(Time now, RegionId id) const {
  if (!regions_.contains(id)) return 0;
  const Region& region = regions_[id];
  const bool stands = now <= region.heard + kHintStands && region.heard != InfinitePast();
  if (!stands || region.refused || region.rtt == InfiniteDuration()) return 0;
  if (region.unknown.size() >= kSendsMax) return 0;
  const std::int64_t free = static_cast<std::int64_t>(region.hint.idle) -
                            static_cast<std::int64_t>(region.unknown.size()) - region.foreign;
  return static_cast<int>(std::clamp<std::int64_t>(free, 0, std::numeric_limits<int>::max()));
}

Duration IdleRegions::RoundTrip(RegionId region) const {
  return regions_.contains(region) ? regions_[region].rtt : InfiniteDuration();
}

RegionId IdleRegions::Choose(Time now, Duration left) const {
  RegionId best;
  Duration best_price = InfiniteDuration();
  int found = 0;
  for (const RegionId region : nearest_first_) {
    const Duration rtt = regions_[region].rtt;
    if (rtt >= left || rtt >= best_price) break;
    const int idle = Believed(now, region);
    if (idle < 1) continue;
    const Duration price = rtt + rtt * kContest / idle;
    if (price < best_price) {
      best = region;
      best_price = price;
    }
    if (++found == kCandidates) break;
  }
  return best;
}

}  // namespace ringway::ledger
