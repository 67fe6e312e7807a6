// Any history of a router: a worker that its machine lists is listed at the session of its tier and at no
// other, the registry knows who leads, no part is stepped within its own turn (traced_node.h), what a session
// wants told is told in the same turn, no directory of an earlier controller is obeyed or stored, and the
// next wake is the earliest of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/rng.h"
#include "tests/router/traced_node.h"

namespace ringway::router {
namespace {

constexpr std::size_t kNodeWorkers = 8;
constexpr std::size_t kNodeTiers = 3;  // and one that the fleet does not have
constexpr std::size_t kNodeJobs = 64;

class NodeHistory {
 public:
  explicit NodeHistory(std::uint64_t seed) : rng_(seed, 7), router_(SettingsOfNode(), FleetOfNow()) {
    tier_of_.assign(kNodeWorkers, TierId(0));
    for (std::size_t i = kNodeJobs; i-- > 0;) free_.emplace_back(i);
    router_.on_action = [this](RouterAction& action) {
      if (const auto* offer = std::get_if<OfferToWorker>(&action)) offers_.push_back(*offer);
      if (const auto* end = std::get_if<EndJob>(&action)) free_.push_back(end->job);
    };
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      if (rng_.Below(3) == 0) router_.now += Milliseconds(rng_.Below(400));
      Happen();
      Check();
    }
  }
  std::size_t grants() const { return grants_; }
  std::size_t listed() const { return listed_; }
  std::size_t refused() const { return refused_; }

 private:
  // Whether each tier is in ledger mode, as the last fleet has it.
  Fleet FleetOfNow() {
    Fleet fleet = NodeFleet();
    while (fleet.tiers.size() < kNodeTiers) {
      fleet.tiers.push_back(fleet.tiers[TierId(0)]);
      fleet.tiers[TierId(fleet.tiers.size() - 1)].name = "tier" + std::to_string(fleet.tiers.size());
    }
    for (std::size_t t = 0; t < kNodeTiers; ++t) {
      fleet.tiers[TierId(t)].dispatch.mode = ledgers_[t] ? DispatchMode::kLedger : DispatchMode::kProbe;
    }
    return fleet;
  }
  TierId SomeTier() {
    const std::size_t tier = rng_.Below(kNodeTiers + 1);
    return tier < kNodeTiers ? TierId(tier) : TierId();
  }
  WorkerId SomeWorker() { return WorkerId(rng_.Below(kNodeWorkers)); }

  LeaderNamed SomeLeader() {
    const Fence fence{1, appointment_ += rng_.Below(2)};
    switch (rng_.Below(4)) {
      case 0:
        return {.router = kPeerAsKnown, .address = "peer:1", .fence = fence};
      case 1:
        return {.fence = fence};
      default:
        return {
            .router = kSelfAsKnown, .self = true, .incarnation = kNodeLife, .address = {}, .fence = fence};
    }
  }
  DirectoryHeard SomeDirectory() {
    DirectoryHeard heard;
    heard.epoch = seen_ - std::min<std::uint64_t>(seen_, rng_.Below(3)) + rng_.Below(2);
    heard.given.partial = rng_.Below(4) == 0;
    for (std::size_t i = 0; i < kNodeWorkers; ++i) {
      if (rng_.Below(3) > 0)
        heard.given.workers.push_back({WorkerId(i), tier_of_[i], rng_.Below(4) == 0, false});
    }
    for (std::size_t t = 0; t < kNodeTiers; ++t) {
      if (rng_.Below(4) > 0) heard.leaders.here.push_back({TierId(t), SomeLeader()});
      if (rng_.Below(2) > 0) heard.leaders.elsewhere.push_back({TierId(t), {kNear, kPeerAsKnown, "near:1"}});
    }
    return heard;
  }
  void ChangeFleet() {
    for (std::size_t t = 0; t < kNodeTiers; ++t) ledgers_[t] = rng_.Below(3) > 0;
    FleetHeard heard{.fleet = std::make_shared<const Fleet>(FleetOfNow()), .tiers = {}, .directory = {}};
    for (std::size_t i = 0; i < kNodeWorkers; ++i) heard.tiers.push_back({WorkerId(i), tier_of_[i]});
    if (rng_.Below(2) == 0) {
      heard.directory = SomeDirectory();
      heard.directory->from_disk = true;
      stored_ = true;
    }
    router_.decided.reset();
    router_.Step(heard);
    if (!heard.directory) return;
    ASSERT_TRUE(router_.decided->active) << "it was judged when it came";
    ASSERT_FALSE(router_.decided->store);
  }
  // One of an earlier controller than was seen changes nothing; a partial one leaves the disk as it is.
  void Direct() {
    const DirectoryHeard heard = SomeDirectory();
    router_.Step(heard);
    const bool earlier = heard.epoch < seen_;
    ASSERT_EQ(router_.decided->active, !earlier) << heard.epoch << " after " << seen_;
    ASSERT_EQ(router_.trace.empty(), earlier);
    ASSERT_EQ(router_.decided->store, !earlier && !(heard.given.partial && stored_));
    stored_ = stored_ || router_.decided->store;
    refused_ += earlier;
  }
  void Say(WorkerId worker) {
    if (!router_.node.registry().watched(worker)) return;
    if (rng_.Below(10) == 0) tier_of_[worker.index()] = SomeTier();
    WatchHeard heard{{.worker = worker, .tier = tier_of_[worker.index()], .busy_total = ZeroDuration()}};
    heard.said.healthy = rng_.Below(10) > 0;
    const LedgerSession* const session = router_.node.session(tier_of_[worker.index()]);
    if (session != nullptr && rng_.Below(10) > 0) {
      heard.announce = ledger::Announce{.worker = worker,
                                        .sequence = ++sequence_,
                                        .status = ledger::WorkerStatus::kIdle,
                                        .fence = {session->leadership().ledger().appointment(), 0},
                                        .running = {}};
    }
    router_.Step(heard);
  }
  void Welcome() {
    const std::uint64_t epoch = seen_ > 0 && rng_.Below(2) == 0 ? seen_ - 1 : seen_ + rng_.Below(2);
    router_.Step(ControllerWelcomed{.epoch = epoch});
    seen_ = std::max(seen_, epoch);
  }
  void Arrive() {
    if (free_.empty()) return;
    const JobId job = free_.back();
    free_.pop_back();
    router_.Step(JobArrived{job,
                            {.tier = TierId(rng_.Below(kNodeTiers)),
                             .arrived = router_.now,
                             .deadline = router_.now + Seconds(5)}});
  }
  void EndOffer() {
    if (offers_.empty()) return;
    const OfferToWorker offer = offers_.front();
    offers_.erase(offers_.begin());
    grants_ += offer.lease != Lease();
    router_.Step(AttemptEnded{.job = offer.job,
                              .attempt = offer.attempt,
                              .worker = offer.worker,
                              .outcome = rng_.Below(4) > 0 ? Outcome::kDone : Outcome::kBusy,
                              .answered = true});
  }
  void Happen() {
    const WorkerId worker = SomeWorker();
    switch (rng_.Below(12)) {
      case 0:
        return rng_.Below(4) == 0 ? router_.Step(LocalWorkerNamed{worker}) : Say(worker);
      case 1:
        return Direct();
      case 2:
        return ChangeFleet();
      case 3:
        if (router_.node.registry().watched(worker)) router_.Step(WatchEnded{worker, rng_.Below(2) == 0});
        return;
      case 4:
        if (rng_.Below(2) == 0) return router_.Step(RouterEvent(ControllerLost{}));
        return Welcome();
      case 5:
        return router_.StepTier(TierId(rng_.Below(kNodeTiers)),
                                LeaderHeartbeat{{1, appointment_}, rng_.Below(2) == 0});
      case 6:
        if (rng_.Below(2) == 0) return router_.StepTier(TierId(0), ClientConnected{RouterId(1)});
        return router_.StepTier(TierId(0), ClientDisconnected{RouterId(1)});
      case 7:
        return EndOffer();
      case 8:
        router_.now = std::max(router_.now, std::min(router_.node.NextWake(), router_.now + Seconds(1)));
        return router_.Step(NodeWake{});
      case 9:
      case 10:
        return Arrive();
      default:
        return Say(worker);
    }
  }

  void Check() {
    const RouterNode& node = router_.node;
    for (std::size_t i = 0; i < kNodeWorkers; ++i) {
      const WorkerId worker(i);
      const bool listed = node.registry().listed(worker);
      ASSERT_EQ(node.machine().workers().listed(worker), listed);
      const TierId tier = listed ? node.machine().workers().tier(worker) : TierId();
      for (std::size_t t = 0; t < kNodeTiers; ++t) {
        const bool here = listed && tier == TierId(t) && ledgers_[t];
        ASSERT_EQ(router_.listed[TierId(t)][worker], here)
            << "worker " << i << " at the session of tier " << t;
        listed_ += here;
      }
    }
    Time wake = node.machine().NextWake();
    for (std::size_t t = 0; t < kNodeTiers; ++t) {
      const LedgerSession* const session = node.session(TierId(t));
      ASSERT_TRUE(session != nullptr || !ledgers_[t]);
      if (session == nullptr) continue;
      ASSERT_EQ(router_.leads[TierId(t)], session->leads()) << "of tier " << t;
      wake = std::min(wake, session->NextWake());
    }
    ASSERT_EQ(node.NextWake(), wake);
  }

  Rng rng_;
  bool ledgers_[kNodeTiers] = {true, false, true};
  TracedNode router_;
  std::vector<TierId> tier_of_;
  std::vector<JobId> free_;
  std::vector<OfferToWorker> offers_;
  std::uint64_t appointment_ = 1;
  std::uint64_t sequence_ = 0;
  std::uint64_t seen_ = 0;  // the highest epoch of a controller
  bool stored_ = false;     // a directory is on disk
  std::size_t grants_ = 0, listed_ = 0, refused_ = 0;
};

TEST(RouterNodeProperty, AnyHistoryLeavesThePartsOfOneMind) {
  std::size_t grants = 0, listed = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    NodeHistory history(seed);
    history.Run(600);
    if (HasFailure()) return;
    grants += history.grants();
    listed += history.listed();
    refused += history.refused();
  }
  // They had something to be of one mind about.
  EXPECT_GT(grants, 150u);
  EXPECT_GT(listed, 10000u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace ringway::router
