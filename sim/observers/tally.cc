#include "sim/observers/tally.h"

#include <algorithm>
#include <numeric>

namespace ringway::sim {

std::uint64_t Totals::ended_all() const {
  return std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
}

void Totals::Add(const Totals& other) {
  submitted += other.submitted;
  first += other.first;
  for (std::size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
  still_waiting += other.still_waiting;
  still_running += other.still_running;
  served_at_home += other.served_at_home;
  offers += other.offers;
  refused += other.refused;
  forwards += other.forwards;
  tables += other.tables;
  busy_s += other.busy_s;
  wasted_s += other.wasted_s;
  wait.Merge(other.wait);
  latency.Merge(other.latency);
}

Tally::Tally(const Scenario& scenario, const Workers& workers, const Slice& slice)
    : workers_(workers),
      warm_(UnixEpoch() + Seconds(std::max(scenario.warmup_s, slice.from_s))),
      over_(UnixEpoch() + Seconds(slice.to_s)),
      flows_(scenario.fleet->world.regions.size(),
             std::vector<std::uint64_t>(scenario.fleet->world.regions.size())),
      started_(workers.count(), InfiniteFuture()),
      running_(workers.count(), 0),
      busy_(scenario.fleet->world.regions.size()) {
  seconds_.push_back(Blank());
}

SecondTally Tally::Blank() const {
  SecondTally second;
  second.regions.resize(flows_.size());
  return second;
}

void Tally::OnSubmitted(Time now, const Submission& submission) {
  RegionSecond& region = seconds_.back().regions[submission.region.index()];
  ++region.submitted;
  region.first += !submission.again;
  if (!Counts(now)) return;
  ++totals_.submitted;
  totals_.first += !submission.again;
}

void Tally::OnEnded(Time now, const Ending& ending) {
  const bool served = ending.outcome == Outcome::kDone;
  const double wait_s = ToDoubleSeconds(ending.wait);
  const double latency_s = ToDoubleSeconds(ending.latency);
  RegionSecond& region = seconds_.back().regions[ending.region.index()];
  ++(served ? region.served : region.unserved);
  if (served) {
    wait_sum_s_ += wait_s;
    ++waits_;
    second_latency_.Add(latency_s);
  }
  // A job counts when it was submitted after the warm-up, so that submissions and endings balance.
  if (!Counts(now - ending.latency)) return;
  ++totals_.ended[static_cast<std::size_t>(ending.outcome)];
  if (!served) return;
  totals_.wait.Add(wait_s);
  totals_.latency.Add(latency_s);
  totals_.served_at_home += ending.served_in == ending.region;
  if (ending.served_in.valid()) ++flows_[ending.region.index()][ending.served_in.index()];
}

Time Tally::StartOf(JobSerial serial) {
  if (starts_.empty()) {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const Time started = started_[WorkerId(i)];
      if (started != InfiniteFuture()) starts_.emplace(running_[WorkerId(i)], started);
    }
    starts_.insert(just_ended_.begin(), just_ended_.end());
    starts_.insert(ended_before_.begin(), ended_before_.end());
  }
  const auto found = starts_.find(serial);
  return found != starts_.end() ? found->second : InfiniteFuture();
}

void Tally::OnUnfinished(Time now, const Unfinished& job) {
  if (!Counts(job.submitted)) return;
  const Time started = StartOf(job.serial);
  totals_.wait.Add(ToDoubleSeconds(std::min(started, now) - job.submitted));
  if (started != InfiniteFuture()) {
    ++totals_.still_running;
    return;
  }
  // Left out, the longest waits of an overload would be the ones that nobody sees.
  ++totals_.still_waiting;
  totals_.latency.Add(ToDoubleSeconds(now - job.submitted));
}

void Tally::OnOffered(Time now, WorkerId, const OfferNote&) {
  ++seconds_.back().offers;
  totals_.offers += Counts(now);
}

void Tally::OnRefused(Time now, WorkerId, const OfferNote&) { totals_.refused += Counts(now); }

void Tally::OnStarted(Time now, WorkerId worker, const OfferNote& note) {
  started_[worker] = now;
  running_[worker] = note.payload.serial;
  ++busy_[workers_.places()[worker].region];
  running_counted_ += Counts(now);
}

void Tally::OnFreed(Time now, WorkerId worker, const OfferNote&, bool finished) {
  if (started_[worker] == InfiniteFuture()) return;  // it never ran
  const RegionId region = workers_.places()[worker].region;
  --busy_[region];
  if (finished) {
    ++seconds_.back().regions[region.index()].served_here;
    just_ended_.emplace_back(running_[worker], started_[worker]);
  }
  if (Counts(started_[worker])) {
    --running_counted_;
    const double ran_s = ToDoubleSeconds(now - started_[worker]);
    totals_.busy_s += ran_s;
    if (!finished) totals_.wasted_s += ran_s;
  }
  started_[worker] = InfiniteFuture();
}

void Tally::OnWorkerDied(Time now, WorkerId worker) { OnFreed(now, worker, {}, false); }

void Tally::OnForwarded(Time now, RouterId, RouterId, JobSerial) { totals_.forwards += Counts(now); }

void Tally::OnTableActive(Time now, RouterId, const RoutingTable&) {
  ++seconds_.back().tables;
  totals_.tables += Counts(now);
}

void Tally::OnSecond(Time) {
  SecondTally& second = seconds_.back();
  for (std::size_t i = 0; i < second.regions.size(); ++i) {
    second.regions[i].busy = static_cast<float>(busy_[RegionId(i)]);
  }
  second.wait_mean_s = waits_ > 0 ? static_cast<float>(wait_sum_s_ / waits_) : 0;
  second.latency_p99_s = static_cast<float>(second_latency_.Quantile(0.99));
  wait_sum_s_ = 0;
  waits_ = 0;
  second_latency_.Clear();
  just_ended_.swap(ended_before_);
  just_ended_.clear();
  seconds_.push_back(Blank());
}

}  // namespace ringway::sim
