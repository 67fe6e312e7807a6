#include "cli/demo/tally.h"

namespace ringway::demo {

void JobSums::Add(const JobRecord& record) {
  ++jobs;
  offers += record.offers;
  ++outcomes[record.outcome];
  if (!record.done) return;
  ++done;
  if (record.served == record.source) ++home;
  if (record.spilled) ++spilled;
  network_s_sum += record.network_s;
  wait_s.Add(std::max(0.0, record.wait_s));
  latency_s.Add(std::max(0.0, record.ended_s - record.due_s));
}

void JobSums::Merge(const JobSums& other) {
  jobs += other.jobs;
  done += other.done;
  home += other.home;
  spilled += other.spilled;
  offers += other.offers;
  network_s_sum += other.network_s_sum;
  latency_s.Merge(other.latency_s);
  wait_s.Merge(other.wait_s);
  for (const auto& [outcome, count] : other.outcomes) outcomes[outcome] += count;
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
  for (const JobSums& phase : phases_) sums.Merge(phase);
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
