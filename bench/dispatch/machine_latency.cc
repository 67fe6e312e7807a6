#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/dispatch/pieces.h"
#include "core/check.h"
#include "core/rng.h"
#include "router/router_machine.h"

namespace ringway::bench {
namespace {

using router::AttemptAccepted;
using router::AttemptEnded;
using router::EndJob;
using router::JobArrived;
using router::OfferToWorker;
using router::RouterAction;
using router::RouterEvent;
using router::RouterMachine;

constexpr int kRegions = 30;
constexpr std::size_t kJobsMax = 8192;

std::shared_ptr<const Fleet> MakeFleet() {
  auto fleet = std::make_shared<Fleet>();
  for (int r = 0; r < kRegions; ++r) {
    Region region;
    region.name = "r" + std::to_string(r);
    fleet->world.regions.push_back(region);
  }
  fleet->world.rtt = RttMatrix(kRegions);
  Tier tier;
  tier.name = "animate";
  tier.service_mean = Seconds(1);
  tier.regions.assign(kRegions, TierRegion{.workers = 200});
  tier.residency_forbidden.resize(kRegions);
  fleet->tiers.push_back(tier);
  return fleet;
}

// A router of a busy region, fed with the life of its jobs: arrival, busy answers, start, end.
class BusyRouter {
 public:
  explicit BusyRouter(int workers)
      : machine_({.home = RegionId(0), .jobs_max = kJobsMax, .seed = 3}, MakeFleet()), rng_(5) {
    for (int w = 0; w < workers; ++w) Step(router::WorkerListed{WorkerId(w), TierId(0), w < 8});
    for (std::size_t j = kJobsMax; j > 0; --j) free_.push_back(JobId(j - 1));
    took_ns_.reserve(4'000'000);
  }

  // One job's worth of events, at a load near the fleet's capacity.
  void Turn() {
    now_ += Milliseconds(4);
    if (machine_.NextWake() <= now_) Measured(router::TimePassed{});
    if (!free_.empty()) {
      const JobId job = free_.back();
      free_.pop_back();
      Measured(JobArrived{job, {.tier = TierId(0), .arrived = now_, .deadline = now_ + Seconds(30)}});
    }
    while (!offers_.empty()) Answer();
    while (!running_.empty() && running_.front().second <= now_) {
      const OfferToWorker done = running_.front().first;
      running_.pop_front();
      Measured(AttemptEnded{.job = done.job,
                            .attempt = done.attempt,
                            .worker = done.worker,
                            .outcome = Outcome::kDone,
                            .answered = true});
    }
  }
  std::vector<double>& took_ns() { return took_ns_; }

 private:
  // Half of the workers are other routers' at any time.
  void Answer() {
    const OfferToWorker offer = offers_.front();
    offers_.pop_front();
    if (rng_.Chance(0.5)) {
      Measured(AttemptEnded{.job = offer.job,
                            .attempt = offer.attempt,
                            .worker = offer.worker,
                            .outcome = Outcome::kBusy,
                            .answered = true,
                            .may_have_started = false,
                            .retry_after = Seconds(1)});
      return;
    }
    Measured(AttemptAccepted{offer.job, offer.attempt});
    running_.push_back({offer, now_ + Milliseconds(700)});
  }
  void Measured(const RouterEvent& event) {
    const auto begin = std::chrono::steady_clock::now();
    Step(event);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    took_ns_.push_back(took.count());
  }
  void Step(const RouterEvent& event) {
    actions_.clear();
    machine_.Step(now_, event, actions_);
    for (const RouterAction& action : actions_) {
      if (const auto* offer = std::get_if<OfferToWorker>(&action)) offers_.push_back(*offer);
      if (const auto* end = std::get_if<EndJob>(&action)) free_.push_back(end->job);
    }
  }

  RouterMachine machine_;
  Rng rng_;
  Time now_ = FromUnixSeconds(1'800'000'000);
  std::vector<RouterAction> actions_;
  std::vector<JobId> free_;
  std::deque<OfferToWorker> offers_;
  std::deque<std::pair<OfferToWorker, Time>> running_;
  std::vector<double> took_ns_;
};

double Quantile(std::vector<double>& values, double q) {
  const auto at = values.begin() + static_cast<long>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

std::vector<Claim> RouterStep(int workers, bool quick) {
  BusyRouter bench(workers);
  const int jobs = quick ? 50'000 : 500'000;
  for (int i = 0; i < jobs; ++i) bench.Turn();
  const std::string name = "router_step_" + std::to_string(workers) + "_workers";
  return {AtMost(name + "_p50", Quantile(bench.took_ns(), 0.50) / 1e3, 5, "us"),
          AtMost(name + "_p99", Quantile(bench.took_ns(), 0.99) / 1e3, 50, "us")};
}

}  // namespace ringway::bench
