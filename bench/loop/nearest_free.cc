#include "bench/loop/nearest_free.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

#include "bench/loop/least_ways.h"
#include "bench/loop/worlds.h"

namespace ringway::bench {
namespace {

class AllSeen {
 public:
  AllSeen(const Fleet& fleet, double from_s) : world_(fleet.world), from_s_(from_s) {
    for (const TierRegion& here : fleet.tiers[kLoopTier].regions) idle_.push_back(here.workers);
    lines_.resize(idle_.size());
    nearest_.resize(idle_.size());
    for (RegionId home(0); home != world_.regions.end_id(); home = RegionId(home.index() + 1)) {
      std::vector<RegionId>& order = nearest_[home.index()];
      for (RegionId id(0); id != world_.regions.end_id(); id = RegionId(id.index() + 1)) {
        if (id != home) order.push_back(id);
      }
      std::stable_sort(order.begin(), order.end(), [&](RegionId a, RegionId b) {
        return world_.rtt.ms(home, a) < world_.rtt.ms(home, b);
      });
    }
  }

  void Arrive(const NearestFree::Job& job) {
    FreeUntil(job.at_s);
    if (idle_[job.home.index()] > 0) return Start(job, job.home, job.at_s);
    for (const RegionId region : nearest_[job.home.index()]) {
      if (idle_[region.index()] > 0) return Start(job, region, job.at_s);
    }
    lines_[job.home.index()].push_back(job);
    ++waiting_;
  }
  NearestFree::Means End() {
    while (waiting_ > 0) FreeUntil(busy_.top().first);
    if (counted_ <= 0) return {};
    return {.lines_s = sums_.lines_s / counted_,
            .travelled_s = sums_.travelled_s / counted_,
            .away_share = sums_.away_share / counted_,
            .hindsight_s = 1e-3 * away_.TravelledMs(world_) / counted_};
  }

 private:
  void FreeUntil(double now_s) {
    while (!busy_.empty() && busy_.top().first <= now_s) {
      const auto [at_s, region] = busy_.top();
      busy_.pop();
      ++idle_[region];
      if (waiting_ > 0) TakeFromLine(RegionId(region), at_s);
    }
  }
  void TakeFromLine(RegionId region, double now_s) {
    RegionId home = region;
    if (lines_[region.index()].empty()) {
      const std::vector<RegionId>& order = nearest_[region.index()];
      home =
          *std::find_if(order.begin(), order.end(), [&](RegionId id) { return !lines_[id.index()].empty(); });
    }
    std::deque<NearestFree::Job>& line = lines_[home.index()];
    const NearestFree::Job job = line.front();
    line.pop_front();
    --waiting_;
    Start(job, region, now_s);
  }
  void Start(const NearestFree::Job& job, RegionId region, double now_s) {
    const double round_trip_s = region == job.home ? 0 : 1e-3 * world_.rtt.ms(job.home, region);
    --idle_[region.index()];
    busy_.emplace(now_s + round_trip_s / 2 + job.service_s, region.index());
    if (job.at_s < from_s_) return;
    ++counted_;
    sums_.lines_s += now_s - job.at_s;
    sums_.travelled_s += round_trip_s;
    if (region == job.home) return;
    ++sums_.away_share;
    away_.Add(static_cast<std::int64_t>(now_s), job.home, region);
  }

  const World& world_;
  const double from_s_;
  std::vector<int> idle_;
  std::vector<std::deque<NearestFree::Job>> lines_;
  std::vector<std::vector<RegionId>> nearest_;
  using Busy = std::pair<double, std::size_t>;  // until when, in which region
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::size_t waiting_ = 0;
  double counted_ = 0;
  NearestFree::Means sums_;
  LeastWays away_;
};

}  // namespace

NearestFree::Means NearestFree::Play(const Fleet& fleet, double from_s) const {
  AllSeen play(fleet, from_s);
  for (const Job& job : jobs_) play.Arrive(job);
  return play.End();
}

}  // namespace ringway::bench
