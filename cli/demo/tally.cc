#include "cli/demo/tally.h"

namespace ringway::demo {

void JobSums::Add(const JobRecord& record) {
  ++jobs;
  attempts += record.attempts;
  ++outcomes[record.outcome];
  if (!record.done) return;
  ++done;
  if (record.served == record.source) ++home;
  if (record.spilled) ++spilled;
  network_s_sum += record.network_s;
  wait_s.Add(std::max(0.0, record.wait_s));
  latency_s.Add(std::max(0.0, record.ended_s - record.due_s));
}

Tally::Tally(std::size_t phases, std::size_t regions)
    : regions_(regions), phases_(phases), by_region_(phases * regions) {}

void Tally::Add(const JobRecord& record) {
  phases_[record.phase].Add(record);
  by_region_[record.phase * regions_ + record.source.index()].Add(record);
  recent_.push_back(record);
  if (recent_.size() > kRecentMax) recent_.pop_front();
}

JobSums Tally::all() const {
  JobSums sums;
  for (const JobSums& phase : phases_) {
    sums.jobs += phase.jobs;
    sums.done += phase.done;
    sums.home += phase.home;
    sums.spilled += phase.spilled;
    sums.attempts += phase.attempts;
    sums.network_s_sum += phase.network_s_sum;
    sums.latency_s.Merge(phase.latency_s);
    sums.wait_s.Merge(phase.wait_s);
    for (const auto& [outcome, count] : phase.outcomes) sums.outcomes[outcome] += count;
  }
  return sums;
}

JobSums Tally::Recent(RegionId region, double now_s) const {
  JobSums sums;
  for (auto it = recent_.rbegin(); it != recent_.rend() && it->ended_s > now_s - kRecentSeconds; ++it) {
    if (it->source == region) sums.Add(*it);
  }
  return sums;
}

double Tally::AwayShare(RegionId source, double from_s, double to_s) const {
  JobSums sums;
  for (const JobRecord& record : recent_) {
    if (record.source == source && record.due_s >= from_s && record.due_s < to_s) sums.Add(record);
  }
  return 1 - sums.home_share() - sums.spilled_share();
}

}  // namespace ringway::demo
