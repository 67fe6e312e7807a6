#include "controller/screen/outcomes.h"

namespace ringway::controller {
namespace {

constexpr Duration kStep = Seconds(1);

}  // namespace

void OutcomeSums::Add(const TierCounts& counts) {
  done += static_cast<double>(counts.done);
  failed += static_cast<double>(counts.failed);
  timeouts += static_cast<double>(counts.timeouts);
  cancelled += static_cast<double>(counts.cancelled);
  shed += static_cast<double>(counts.shed);
  ran += static_cast<double>(counts.ran);
  offers += static_cast<double>(counts.offers);
  wait_s += counts.wait_s_sum;
  service_s += counts.service_s_sum;
}

void OutcomeSums::Add(const OutcomeSums& other) {
  done += other.done;
  failed += other.failed;
  timeouts += other.timeouts;
  cancelled += other.cancelled;
  shed += other.shed;
  ran += other.ran;
  offers += other.offers;
  wait_s += other.wait_s;
  service_s += other.service_s;
}

void Outcomes::Take(Time now, const std::vector<TierCounts>& counts) {
  while (!steps_.empty() && steps_.front().start + kWindow < now) steps_.pop_front();
  if (steps_.empty() || now >= steps_.back().start + kStep) steps_.push_back({now, {}});
  std::vector<OutcomeSums>& tiers = steps_.back().tiers;
  for (const TierCounts& tier : counts) {
    if (tier.tier.index() >= tiers.size()) tiers.resize(tier.tier.index() + 1);
    tiers[tier.tier.index()].Add(tier);
  }
}

OutcomeSums Outcomes::Of(TierId tier, Time now) const {
  OutcomeSums sums;
  for (const Step& step : steps_) {
    if (step.start + kWindow >= now && tier.index() < step.tiers.size()) sums.Add(step.tiers[tier.index()]);
  }
  return sums;
}

}  // namespace ringway::controller
