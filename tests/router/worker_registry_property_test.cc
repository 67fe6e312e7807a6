// Any history: what a router has been told to list and to watch is what the newest words say, and busy time
// is reported once.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/rng.h"
#include "router/worker_registry.h"

namespace ringway::router {
namespace {

constexpr std::size_t kKnownWorkers = 12;
constexpr std::size_t kHintsMax = 3;
constexpr std::uint32_t kNamedTiers = 3;  // the last is one that the fleet does not have

TierId TierFrom(std::uint32_t number) { return number + 1 == kNamedTiers ? TierId() : TierId(number); }

// What the registry was told, and what it has said, kept in the plainest way.
struct PlainRegistry {
  std::set<WorkerId> local, in_directory, named_here, watched, listed, draining;
  std::set<TierId> leads;

  void Read(const std::vector<RegistryAction>& actions) {
    for (const RegistryAction& action : actions) {
      if (const auto* a = std::get_if<WatchWorker>(&action)) {
        EXPECT_TRUE(watched.insert(a->worker).second) << "watched twice";
      } else if (const auto* b = std::get_if<UnwatchWorker>(&action)) {
        EXPECT_EQ(watched.erase(b->worker), 1u) << "unwatched twice";
      } else if (const auto* c = std::get_if<WorkerListed>(&action)) {
        EXPECT_TRUE(c->tier.valid());
        listed.insert(c->worker);
      } else if (const auto* d = std::get_if<WorkerUnlisted>(&action)) {
        EXPECT_EQ(listed.erase(d->worker), 1u) << "taken off twice";
      }
    }
  }
};

class RegistryHistory {
 public:
  explicit RegistryHistory(std::uint64_t seed)
      : rng_(seed, 1), totals_(kKnownWorkers), tiers_(kKnownWorkers, TierId(0)) {}

  void Run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      now_ += Milliseconds(rng_.Below(3000));
      Turn();
      Check();
    }
  }

 private:
  template <class Event>
  void Do(const Event& event) {
    actions_.clear();
    registry_.Step(now_, event, actions_);
    model_.Read(actions_);
  }
  void Turn() {
    const WorkerId worker(rng_.Below(kKnownWorkers));
    switch (rng_.Below(6)) {
      case 0:
        model_.local.insert(worker);
        return Do(LocalWorkerNamed{worker});
      case 1:
        return GiveDirectory();
      case 2: {
        const TierId tier(rng_.Below(kNamedTiers - 1));
        const bool leads = rng_.Below(2) == 0;
        leads ? (void)model_.leads.insert(tier) : (void)model_.leads.erase(tier);
        return Do(LeadershipSeen{tier, leads});
      }
      case 3:
        if (model_.watched.contains(worker)) Do(WatchEnded{worker, rng_.Below(2) == 0});
        return;
      default:
        if (!model_.watched.contains(worker)) return;
        totals_[worker.index()] += Milliseconds(rng_.Below(2000));
        if (rng_.Below(8) == 0)
          tiers_[worker.index()] = TierFrom(static_cast<std::uint32_t>(rng_.Below(kNamedTiers)));
        return Do(WorkerSaid{
            .worker = worker, .tier = tiers_[worker.index()], .busy_total = totals_[worker.index()]});
    }
  }
  void GiveDirectory() {
    DirectoryGiven given;
    model_.in_directory.clear();
    for (std::size_t i = 0; i < kKnownWorkers; ++i) {
      if (rng_.Below(3) == 0) continue;
      model_.in_directory.insert(WorkerId(i));
      given.workers.push_back({WorkerId(i), tiers_[i], rng_.Below(4) == 0, rng_.Below(4) == 0});
      model_.draining.erase(WorkerId(i));
      if (given.workers.back().draining) model_.draining.insert(WorkerId(i));
    }
    Do(given);
  }
  void Check() {
    std::size_t hints = 0;
    for (std::size_t i = 0; i < kKnownWorkers; ++i) {
      const WorkerId worker(i);
      const bool local = model_.local.contains(worker);
      EXPECT_EQ(registry_.local(worker), local);
      EXPECT_EQ(registry_.watched(worker), model_.watched.contains(worker));
      EXPECT_EQ(registry_.listed(worker), model_.listed.contains(worker));
      EXPECT_TRUE(!local || registry_.watched(worker)) << "a local worker is always watched";
      EXPECT_TRUE(!model_.in_directory.contains(worker) || registry_.in_region(worker));
      EXPECT_TRUE(local || registry_.in_region(worker) || !registry_.listed(worker)) << "nobody names it";
      const bool drains = registry_.in_region(worker) && model_.draining.contains(worker);
      EXPECT_TRUE(!drains || registry_.watched(worker)) << "nobody else tells the end of its drain";
      const bool must = registry_.Own(worker) || Led(worker) || drains;
      if (registry_.watched(worker) && !must) ++hints;
      EXPECT_TRUE(!registry_.Own(worker) || registry_.watched(worker)) << "spoken for, and not watched";
    }
    EXPECT_LE(hints, kHintsMax);
    std::vector<WorkerReported> report;
    registry_.Report(now_, report);
    for (const WorkerReported& r : report) {
      EXPECT_TRUE(registry_.Own(r.worker));
      EXPECT_GE(r.busy_time, ZeroDuration());
    }
    std::vector<WorkerReported> again;
    registry_.Report(now_, again);
    for (const WorkerReported& r : again) EXPECT_EQ(r.busy_time, ZeroDuration()) << "told twice";
  }
  bool Led(WorkerId worker) const {
    for (const TierId tier : model_.leads) {
      if (registry_.in_region(worker) && registry_.tier(worker) == tier) return true;
    }
    return false;
  }

  Rng rng_;
  Time now_ = UnixEpoch() + Hours(1);
  WorkerRegistry registry_{kHintsMax};
  PlainRegistry model_;
  std::vector<RegistryAction> actions_;
  std::vector<Duration> totals_;
  std::vector<TierId> tiers_;
};

TEST(WorkerRegistryPropertyTest, WhatIsListedAndWatchedFollowsFromTheNewestWords) {
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RegistryHistory(seed).Run(200);
  }
}

}  // namespace
}  // namespace ringway::router
