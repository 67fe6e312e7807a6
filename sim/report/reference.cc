#include "sim/report/reference.h"

#include <algorithm>
#include <limits>

namespace ringway::sim {

Reference::Reference(const Scenario& scenario, const Slice& slice)
    : warm_s_(scenario.warmup_s), from_s_(std::max(scenario.warmup_s, slice.from_s)), to_s_(slice.to_s) {
  for (const Tier& tier : scenario.fleet->tiers) {
    std::size_t workers = 0;
    for (const TierRegion& region : tier.regions) workers += static_cast<std::size_t>(region.workers);
    tiers_.push_back({workers, CentralQueue(std::max<std::size_t>(workers, 1)), 0, 0, Histogram()});
  }
}

void Reference::OnSubmitted(Time now, const Submission& submission) {
  TierQueue& tier = tiers_[submission.tier.index()];
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  const bool counts = now_s >= from_s_ && now_s < to_s_;
  if (counts) {
    ++tier.submitted;
    tier.service_s += submission.service_s;
  }
  const double deadline_s = ToDoubleSeconds(submission.patience);
  if (tier.workers == 0 || tier.queue.WaitAt(now_s) + submission.service_s > deadline_s) return;
  const double wait_s = tier.queue.Arrive(now_s, submission.service_s);
  if (counts) tier.wait.Add(wait_s);
}

void Reference::Add(const Reference& other) {
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    tiers_[t].submitted += other.tiers_[t].submitted;
    tiers_[t].service_s += other.tiers_[t].service_s;
    tiers_[t].wait.Merge(other.tiers_[t].wait);
  }
}

IdVector<TierId, TierReference> Reference::Figures(double now_s) const {
  IdVector<TierId, TierReference> all;
  all.resize(tiers_.size());
  const double measured_s = std::max(1.0, now_s - warm_s_);
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    const TierQueue& tier = tiers_[t];
    TierReference& out = all[TierId(t)];
    out.workers = tier.workers;
    if (tier.submitted == 0 || tier.workers == 0) continue;
    const auto submitted = static_cast<double>(tier.submitted);
    out.offered_erlangs = tier.service_s / measured_s;
    out.erlang_b_served = 1 - ErlangB(tier.workers, out.offered_erlangs);
    out.erlang_c_wait_s = out.offered_erlangs < static_cast<double>(tier.workers)
                              ? MeanWaitS(tier.workers, out.offered_erlangs, tier.service_s / submitted)
                              : std::numeric_limits<double>::infinity();
    out.central_served = static_cast<double>(tier.wait.count()) / submitted;
    out.central_wait_mean_s = tier.wait.mean();
    out.central_wait_p99_s = tier.wait.Quantile(0.99);
  }
  return all;
}

}  // namespace ringway::sim
