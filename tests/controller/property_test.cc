// Whatever happens in whatever order, no bad table leaves the machine, versions only rise, every command is
// answered once.
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

constexpr int kLives = 120;
constexpr int kEventsEach = 250;

std::shared_ptr<Fleet> RandomFleet(Rng& rng) {
  WorldShape shape;
  shape.regions = 2 + static_cast<int>(rng.Below(4));
  shape.tiers = 1 + static_cast<int>(rng.Below(2));
  shape.priorities = 1 + static_cast<int>(rng.Below(3));
  auto fleet = MakeFleet(shape);
  for (Tier& tier : fleet->tiers) {
    tier.guard.drain_pace = Seconds(static_cast<double>(rng.Below(5)));
    for (TierRegion& region : tier.regions) region.workers = static_cast<int>(rng.Below(12));
    if (rng.Chance(0.3)) tier.residency_forbidden[RegionId(0)] = {RegionId(1)};
    if (rng.Chance(0.3)) tier.metrics[0].promql = "x";
    MetricSpec queue;
    queue.name = "queue";
    queue.aggregation = Aggregation::kMean;
    queue.capacity = 10;
    if (rng.Chance(0.5)) tier.metrics.push_back(queue);
  }
  return fleet;
}

double RandomNumber(Rng& rng) {
  switch (rng.Below(8)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return std::numeric_limits<double>::infinity();
    case 2:
      return -rng.Uniform();
    case 3:
      return 1e300;
    case 4:
      return 0;
    default:
      return rng.Uniform() * 2;
  }
}

class Life {
 public:
  explicit Life(std::uint64_t seed) : rng_(seed), rig_(RandomFleet(rng_), {}, 1 + (seed % 2)) {
    rig_.Connect();
  }

  // Empty, or what went wrong.
  std::string Run() {
    for (int i = 0; i < kEventsEach; ++i) {
      rig_.actions.clear();
      Happen();
      std::string wrong = CheckActions();
      if (!wrong.empty()) return absl::StrCat("event ", i, ": ", wrong);
    }
    return "";
  }

 private:
  RegionId AnyRegion() { return RegionId(rng_.Below(rig_.machine.fleet()->world.regions.size())); }
  std::string AnyRegionName() {
    return rng_.Chance(0.1) ? "mars" : rig_.machine.fleet()->world.regions[AnyRegion()].name;
  }
  std::string AnyTierName() {
    return rng_.Chance(0.1) ? "films" : rig_.machine.fleet()->tiers[TierId(0)].name;
  }

  void Happen() {
    rig_.now += Milliseconds(static_cast<double>(rng_.Below(800)));
    commands_ = 0;
    switch (rng_.Below(12)) {
      case 0:
        return Reconnect();
      case 1:
        return rig_.Send(RouterDisconnected{1 + rng_.Below(20)});
      case 2:
      case 3:
        return Command();
      case 4:
        return Metric();
      case 5:
        rig_.demand_rps[AnyRegion()] = rng_.Exponential() * (rng_.Chance(0.1) ? 1000 : 10);
        return rig_.Send(Tick{});
      case 6:
        if (rng_.Chance(0.1)) return NewTopology();
        return rig_.Send(
            RouterAcked{1 + rng_.Below(20), {1 + rng_.Below(3), rng_.Below(30)}, rng_.Chance(0.9), "no"});
      default:
        return Report();
    }
  }

  void Reconnect() {
    const RegionId region = AnyRegion();
    RouterHello hello{.router = absl::StrCat("r", rng_.Below(6), "-0"),
                      .region = region,
                      .address = "h:1",
                      .table = {rng_.Below(3), rng_.Below(10)},
                      .build = ""};
    const StreamId stream = 1000 + ++streams_;
    std::erase_if(rig_.routers, [&](const auto& entry) { return entry.second.router == hello.router; });
    rig_.routers[stream] = hello;
    rig_.Send(RouterConnected{stream, hello});
  }

  void Report() {
    if (rig_.routers.empty()) return;
    auto router = rig_.routers.begin();
    std::advance(router, static_cast<std::ptrdiff_t>(rng_.Below(rig_.routers.size())));
    const auto& tiers = rig_.machine.fleet()->tiers;
    RouterReport report;
    report.period_s = 1e-3 + rng_.Uniform() * 5;
    if (rng_.Chance(0.02)) report.epoch_seen_max = rig_.machine.epoch() + rng_.Below(3);
    for (TierId id(0); id != tiers.end_id(); id = TierId(id.index() + 1)) {
      TierCounts counts{.tier = id, .entered = {}, .sent = {}};
      for (std::size_t p = 0; p < tiers[id].priorities.size(); ++p) {
        counts.entered[p] = rng_.Chance(0.02) ? std::uint64_t{1} << 39 : rng_.Below(60);
      }
      counts.sent.push_back({AnyRegion(), rng_.Below(40)});
      report.tiers.push_back(counts);
      for (std::uint64_t w = rng_.Below(12); w > 0; --w) {
        WorkerSeen worker{.name = absl::StrCat("w", w), .tier = id, .address = "h:2", .metrics = {}};
        worker.healthy = rng_.Chance(0.9);
        worker.draining = rng_.Chance(0.1);
        worker.busy_s = rng_.Uniform() * 6;
        for (std::size_t m = 0; m < tiers[id].metrics.size(); ++m) {
          if (rng_.Chance(0.7))
            worker.metrics.push_back({m, RandomNumber(rng_), Seconds(rng_.Uniform() * 40)});
        }
        report.workers.push_back(std::move(worker));
      }
    }
    rig_.Send(RouterReported{router->first, std::move(report)});
  }

  void Metric() {
    const auto& tiers = rig_.machine.fleet()->tiers;
    const TierId id(rng_.Below(tiers.size()));
    const std::size_t metric = rng_.Below(tiers[id].metrics.size());
    const double value = RandomNumber(rng_);
    rig_.Send(MetricSampled{id, metric, AnyRegion(), value, Seconds(rng_.Uniform() * 40)});
  }

  void Command() {
    OperatorCommand command{.request = 5, .who = "ann", .why = "", .what = {}};
    const std::string region = AnyRegionName();
    switch (rng_.Below(6)) {
      case 0:
      case 1:
        command.what = DrainCommand{.region = region,
                                    .tier = rng_.Chance(0.5) ? "" : AnyTierName(),
                                    .drain = rng_.Chance(0.5),
                                    .share = rng_.Chance(0.5) ? 1 : rng_.Uniform(),
                                    .check_room = rng_.Chance(0.5)};
        break;
      case 2:
        command.what =
            ThresholdCommand{.tier = AnyTierName(),
                             .overload_threshold = rng_.Chance(0.5) ? RandomNumber(rng_) : rng_.Uniform(),
                             .region = rng_.Chance(0.5) ? region : "",
                             .clear = rng_.Chance(0.2)};
        break;
      case 3:
        command.what = ModeCommand{AnyTierName(), static_cast<TierMode>(rng_.Below(3))};
        break;
      case 4: {
        const double part = rng_.Uniform();
        const std::string other = AnyRegionName();
        PinCommand pin{.tier = AnyTierName(), .region = region, .pin = rng_.Chance(0.6)};
        if (rng_.Chance(0.7)) pin.routes = {{region, part}, {other, 1 - part}};
        command.what = pin;
        break;
      }
      default:
        command.what = RollbackCommand{AnyTierName(), {1 + rng_.Below(3), 1 + rng_.Below(9)}};
    }
    if (rng_.Chance(0.4)) command.lasts = Seconds(rng_.Uniform() * 60);
    commands_ = 1;
    rig_.Send(command);
  }

  void NewTopology() {
    auto fleet = RandomFleet(rng_);
    rig_.demand_rps.resize(fleet->world.regions.size(), 1);
    rig_.dead.resize(fleet->world.regions.size(), 0);
    rig_.Send(TopologyLoaded{fleet, "next"});
    std::erase_if(rig_.routers,
                  [&](const auto& entry) { return !fleet->world.regions.contains(entry.second.region); });
  }

  std::string CheckActions() {
    if (static_cast<int>(rig_.Taken<CommandAnswered>().size()) != commands_)
      return "not one answer a command";
    int audited = 0;
    for (const AuditEntry& entry : rig_.Taken<AuditEntry>()) audited += entry.who == "ann" ? 1 : 0;
    if (audited != commands_) return "not one audit entry a command";
    for (const TierLoop& loop : rig_.machine.tiers()) {
      for (const PendingOrder& order : loop.orders().Pending(loop.fleet(), loop.tier())) {
        if (order.term.until <= rig_.machine.last_epoch_at()) return "an order outlives its term";
      }
    }
    for (const SendTable& sent : rig_.Taken<SendTable>()) {
      std::string wrong = WhatIsWrong(*sent.table, *rig_.machine.fleet());
      if (!wrong.empty()) return wrong;
      if (sent.stream) continue;
      if (sent.table->version <= last_) return "a version that does not rise";
      last_ = sent.table->version;
    }
    return "";
  }

  Rng rng_;
  Rig rig_;
  TableVersion last_;
  StreamId streams_ = 0;
  int commands_ = 0;
};

TEST(ControllerPropertyTest, NoSequenceOfEventsMakesABadTable) {
  for (std::uint64_t seed = 1; seed <= kLives; ++seed) {
    ASSERT_EQ(Life(seed).Run(), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringway::controller
