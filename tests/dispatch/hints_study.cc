// What idle hints are worth: routers of production pieces (WorkerView, ChooseRound) that probe with them, and
// the same with the pool of hints emptied before every round.
//
// No waiting and no delays: a job makes one round of four and is lost if all are busy, so every offer counts.
// Each worker is beside one router; each router watches 64 more, as the daemon does.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "router/dispatch/probe_round.h"

namespace ringway::dispatch {
namespace {

const TierId kTier(0);
constexpr std::size_t kWidth = 4;
constexpr std::size_t kRouters = 16;
constexpr std::size_t kWatchMax = 64;
constexpr double kServiceS = 2;
constexpr int kWarmJobs = 10'000, kJobs = 50'000;

struct Reached {
  double served = 0;
  double offers = 0;  // for each job that was served
};

class Region {
 public:
  Region(std::size_t workers, std::size_t routers) : views_(routers), hearers_(workers), busy_(workers) {
    for (std::size_t w = 0; w < workers; ++w) {
      for (std::size_t r = 0; r < routers; ++r) views_[r].List(WorkerId(w), kTier, w % routers == r);
      hearers_[w].push_back(w % routers);
    }
    for (std::size_t r = 0; r < routers; ++r) {
      for (std::size_t k = 0; k < std::min(kWatchMax, workers); ++k) {
        const std::size_t w = (r * kWatchMax + k) % workers;
        if (w % routers != r) hearers_[w].push_back(r);
      }
    }
  }

  Reached Run(double rho, bool hints) {
    double now_s = 0, served = 0, offers = 0;
    for (int job = 0; job < kWarmJobs + kJobs; ++job) {
      now_s += rng_.Exponential() * kServiceS / (rho * static_cast<double>(busy_.size()));
      for (; !endings_.empty() && endings_.top().at_s <= now_s; endings_.pop()) End(endings_.top());
      const int asked = Ask(rng_.Below(views_.size()), now_s, hints);
      if (job < kWarmJobs) continue;
      served += asked > 0;
      offers += std::abs(asked);
    }
    return {served / kJobs, offers / served};
  }

 private:
  struct Ending {
    double at_s;
    std::size_t worker, router;
    AttemptId attempt;
    bool operator>(const Ending& other) const { return at_s > other.at_s; }
  };
  static Time Date(double s) { return UnixEpoch() + Seconds(s); }

  void Tell(std::size_t worker, WorkerState state, double now_s) {
    for (const std::size_t r : hearers_[worker])
      views_[r].Hear(WorkerId(worker), {.state = state}, Date(now_s));
  }
  void End(const Ending& ending) {
    busy_[ending.worker] = false;
    Tell(ending.worker, WorkerState::kIdle, ending.at_s);
    views_[ending.router].Release(WorkerId(ending.worker), ending.attempt, Outcome::kDone, {},
                                  Date(ending.at_s));
  }
  // How many were asked; negative: all were busy.
  int Ask(std::size_t router, double now_s, bool hints) {
    WorkerView& view = views_[router];
    while (!hints && view.hints(kTier).Take(Date(now_s), rng_).valid()) {
    }
    ChooseRound(view, kTier, kWidth, Date(now_s), rng_, round_);
    int asked = 0;
    for (const WorkerId worker : round_) {
      ++asked;
      view.Claim(worker, ++attempt_);
      if (!busy_[worker.index()]) {
        busy_[worker.index()] = true;
        Tell(worker.index(), WorkerState::kBusy, now_s);
        endings_.push({now_s + rng_.Exponential() * kServiceS, worker.index(), router, attempt_});
        return asked;
      }
      view.Release(worker, attempt_, Outcome::kBusy, Seconds(kServiceS / 2), Date(now_s));
    }
    return -asked;
  }

  std::vector<WorkerView> views_;
  std::vector<std::vector<std::size_t>> hearers_;  // routers that hear a worker's news
  std::vector<bool> busy_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  std::vector<WorkerId> round_;
  AttemptId attempt_ = 0;
  Rng rng_{5};
};

TEST(HintsStudy, HintsFindFreeWorkersThatRandomLooksMiss) {
  std::printf("%6s %6s %10s %10s %10s %10s\n", "N", "rho", "served", "no hints", "offers", "no hints");
  for (const std::size_t workers : {50, 200, 1000}) {
    for (const double rho : {0.7, 0.9, 0.95}) {
      const Reached with = Region(workers, kRouters).Run(rho, true);
      const Reached without = Region(workers, kRouters).Run(rho, false);
      std::printf("%6zu %6.2f %10.4f %10.4f %10.3f %10.3f\n", workers, rho, with.served, without.served,
                  with.offers, without.offers);
      EXPECT_GE(with.served, without.served) << workers << " workers, rho " << rho;
      if (rho < 0.9 || workers == 1000) continue;
      EXPECT_GE(with.served, without.served + 0.02) << workers << " workers, rho " << rho;
      EXPECT_LE(with.offers, 0.87 * without.offers) << workers << " workers, rho " << rho;
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
