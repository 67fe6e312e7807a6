// A router's machine on a table: a small fleet, a clock that the test moves, and the actions of the last
// step.
//
// Three regions (home, near, far) and two tiers; tier 0 is the one most tests use: service 1 s, deadline 10
// s, no scheduling delay, backoff 10 ms without jitter, so that times can be told exactly.
#ifndef RINGWAY_TESTS_ROUTER_ROUTER_FIXTURE_H_
#define RINGWAY_TESTS_ROUTER_ROUTER_FIXTURE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/router_machine.h"

namespace ringway::router {

inline const RegionId kHome(0);
inline const RegionId kNear(1);
inline const RegionId kFar(2);
inline const TierId kTier(0);

inline Fleet SmallFleet() {
  Fleet fleet;
  for (const char* name : {"home", "near", "far"}) {
    Region region;
    region.name = name;
    fleet.world.regions.push_back(region);
  }
  fleet.world.rtt = RttMatrix(3);
  fleet.world.rtt.Set(kHome, kNear, 20);
  fleet.world.rtt.Set(kHome, kFar, 150);
  for (const char* name : {"animate", "upscale"}) {
    Tier tier;
    tier.name = name;
    tier.priorities = {"interactive", "batch"};
    tier.service_mean = Seconds(1);
    tier.deadline = Seconds(10);
    tier.dispatch.mode = DispatchMode::kProbe;  // but where a test is about the ledger
    tier.dispatch.delay.share_max = 0;
    tier.dispatch.budget = {.share = 8, .floor_per_second = 50};
    tier.dispatch.backoff = {.base = Milliseconds(10), .multiplier = 2, .full_jitter = false};
    tier.regions.assign(3, TierRegion{.workers = 4});
    tier.residency_forbidden.resize(3);
    tier.dispatch.spill.share = 0;  // but where a test is about it
    fleet.tiers.push_back(tier);
  }
  return fleet;
}

class RouterOnTheTable {
 public:
  explicit RouterOnTheTable(Fleet fleet = SmallFleet(), std::uint64_t seed = 1,
                            const once::Settings& once = {})
      : fleet_(std::make_shared<const Fleet>(std::move(fleet))),
        machine_({.home = kHome, .jobs_max = 256, .seed = seed, .once = once}, fleet_) {}

  void Step(const RouterEvent& event) {
    actions.clear();
    machine_.Step(now, event, actions);
  }
  void Advance(Duration by) {
    now += by;
    Step(TimePassed{});
  }
  void AdvanceToWake() {
    now = machine_.NextWake();
    Step(TimePassed{});
  }

  // A job of tier 0 that entered now; `facts` may be changed before.
  JobFacts Facts() const { return {.tier = kTier, .arrived = now, .deadline = now + Seconds(10)}; }
  void Arrive(std::size_t job) { Step(JobArrived{JobId(job), Facts()}); }
  void Arrive(std::size_t job, const JobFacts& facts) { Step(JobArrived{JobId(job), facts}); }

  void ListWorkers(std::size_t count, std::size_t local = 0) {
    for (std::size_t i = 0; i < count; ++i) Step(WorkerListed{WorkerId(i), kTier, i < local});
  }
  void ListRouter(std::size_t router, RegionId region) { Step(RouterListed{RouterId(router), region}); }

  // A table that sends all of tier 0, priority 0, from home to `target`.
  void SendAllTo(RegionId target, TableVersion version = {1, 1}) {
    Row row;
    row.routes = {{.target = target, .fraction = 1, .ring = 1, .reason = RouteReason::kOverload}};
    UseRow(row, version);
  }
  void UseRow(const Row& row, TableVersion version = {1, 1}) {
    auto table = std::make_shared<RoutingTable>();
    table->version = version;
    for (std::size_t t = 0; t < 2; ++t) table->tiers.push_back(HomeTable(TierId(t), 3, 2));
    table->tiers[kTier].at(0, kHome) = row;
    Step(TableOffered{.table = table});
  }

  void Accept(const OfferToWorker& offer) { Step(AttemptAccepted{offer.job, offer.attempt}); }
  void Finish(const OfferToWorker& offer, Outcome outcome, bool answered = true, bool started = true) {
    Step(AttemptEnded{.job = offer.job,
                      .attempt = offer.attempt,
                      .worker = offer.worker,
                      .outcome = outcome,
                      .answered = answered,
                      .may_have_started = started});
  }
  void Finish(const ForwardToRouter& forward, Outcome outcome, bool answered = true, bool started = true) {
    Step(AttemptEnded{.job = forward.job,
                      .attempt = forward.attempt,
                      .router = forward.router,
                      .outcome = outcome,
                      .answered = answered,
                      .may_have_started = started});
  }

  // The first action of this kind in the last step.
  template <class Action>
  std::optional<Action> Last() const {
    for (const RouterAction& action : actions) {
      if (const auto* a = std::get_if<Action>(&action)) return *a;
    }
    return std::nullopt;
  }

  RouterMachine& machine() { return machine_; }
  const Fleet& fleet() const { return *fleet_; }

  Time now = FromUnixSeconds(1000);
  std::vector<RouterAction> actions;

 private:
  std::shared_ptr<const Fleet> fleet_;
  RouterMachine machine_;
};

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_ROUTER_FIXTURE_H_
