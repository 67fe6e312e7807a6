#include "tests/controller/rig.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "controller/tiers/table_remap.h"

namespace ringway::controller {

std::shared_ptr<Fleet> MakeFleet(const WorldShape& shape) {
  auto fleet = std::make_shared<Fleet>();
  fleet->world.name = "line";
  const auto n = static_cast<std::size_t>(shape.regions);
  fleet->world.rtt = RttMatrix(n);
  for (std::size_t r = 0; r < n; ++r) {
    Region region;
    region.name = absl::StrCat("r", r);
    fleet->world.regions.push_back(region);
    for (std::size_t to = 0; to < n; ++to) {
      const double hops = r > to ? static_cast<double>(r - to) : static_cast<double>(to - r);
      fleet->world.rtt.Set(RegionId(r), RegionId(to), 1 + shape.rtt_ms * hops);
    }
  }
  for (int t = 0; t < shape.tiers; ++t) {
    Tier tier;
    tier.name = absl::StrCat("t", t);
    MetricSpec busy;
    busy.name = "busy";
    busy.capacity_per_worker = true;
    tier.metrics.push_back(busy);
    tier.priorities.clear();
    for (int p = 0; p < shape.priorities; ++p) tier.priorities.push_back(absl::StrCat("p", p));
    tier.route.rings = {{"near", 50, 0.7}, {"far", 1000, 0.8}};
    tier.service_mean = Seconds(1);
    tier.dispatch.mode = shape.ledger ? DispatchMode::kLedger : DispatchMode::kProbe;
    tier.regions.resize(n, TierRegion{.workers = shape.workers});
    tier.residency_forbidden.resize(n);
    fleet->tiers.push_back(std::move(tier));
  }
  return fleet;
}

Rig::Rig(std::shared_ptr<const Fleet> fleet, DurableState durable, int routers_each,
         ControllerSettings settings)
    : machine(std::move(settings), fleet, durable, FromUnixSeconds(1)),
      now(FromUnixSeconds(1)),
      demand_rps(fleet->world.regions.size(), 3.0),
      dead(fleet->world.regions.size(), 0),
      slowness(fleet->world.regions.size(), 1.0),
      routers_each_(routers_each) {}

void Rig::Send(ControllerEvent event) {
  std::vector<ControllerAction> taken;
  machine.Step(now, event, taken);
  if (stepped) stepped(event, taken);
  lived.emplace_back(now, std::move(event));
  for (ControllerAction& action : taken) actions.push_back(std::move(action));
}

CommandAnswered Rig::Ask(decltype(OperatorCommand::what) what, Duration lasts) {
  Send(OperatorCommand{.request = 7, .who = "ann", .why = "test", .what = std::move(what), .lasts = lasts});
  return Taken<CommandAnswered>().back();
}

void Rig::Connect() {
  const Fleet& fleet = *machine.fleet();
  for (RegionId region(0); region != fleet.world.regions.end_id(); region = RegionId(region.index() + 1)) {
    for (int i = 0; i < routers_each_; ++i) {
      RouterHello hello{.router = absl::StrCat(fleet.world.regions[region].name, "-", i),
                        .region = region,
                        .address = absl::StrCat("10.0.", region.value(), ".", i, ":7410"),
                        .table = {},
                        .build = "test"};
      const StreamId stream = next_stream_++;
      routers[stream] = hello;
      Send(RouterConnected{stream, hello});
    }
  }
}

std::vector<StreamId> Rig::StreamsOf(RegionId region) const {
  std::vector<StreamId> streams;
  for (const auto& [stream, hello] : routers) {
    if (hello.region == region) streams.push_back(stream);
  }
  return streams;
}

double Rig::HomeFraction(RegionId source, Priority priority) const {
  for (const Route& route : RowOf(source, priority).routes) {
    if (route.target == source) return route.fraction;
  }
  return 0;
}

double Rig::LoadOf(RegionId region, TierId id) const {
  const Tier& tier = machine.fleet()->tiers[id];
  double arriving = 0;
  for (RegionId source(0); source != demand_rps.end_id(); source = RegionId(source.index() + 1)) {
    if (machine.table() == nullptr) {
      if (source == region) arriving += demand_rps[source];
      continue;
    }
    for (const Route& route : RowOf(source, 0, id).routes) {
      if (route.target == region) arriving += demand_rps[source] * route.fraction;
    }
  }
  const int alive = tier.regions[region].workers - dead[region];
  if (tier.regions[region].workers == 0) return 0;
  const double service_s = ToDoubleSeconds(tier.service_mean) * slowness[region];
  return std::min(static_cast<double>(alive), arriving * service_s) / tier.regions[region].workers;
}

std::shared_ptr<const RoutingTable> Rig::Followed(StreamId stream) const {
  const RouterState* router = machine.view().Find(stream);
  return router != nullptr ? machine.history().Find(router->sent) : nullptr;
}

RouterReport Rig::ReportOf(StreamId stream) const {
  const RegionId region = routers.at(stream).region;
  const Fleet& fleet = *machine.fleet();
  const std::vector<StreamId> peers = StreamsOf(region);
  const auto place = static_cast<int>(std::find(peers.begin(), peers.end(), stream) - peers.begin());
  const auto share = static_cast<double>(peers.size());
  RouterReport report;
  // Counts are whole: the period is long enough that they are precise.
  constexpr double kPeriod_s = 1000;
  constexpr double kOutcomes_s = 2;  // of these only so many
  report.period_s = kPeriod_s;
  const std::shared_ptr<const RoutingTable> table = Followed(stream);
  if (table != nullptr) report.table = table->version;
  report.epoch_seen_max = report.table.epoch;
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    const double own_rps = demand_rps[region] / share;
    TierCounts counts{.tier = id, .entered = {}, .sent = {}};
    counts.entered[0] = static_cast<std::uint64_t>(std::llround(own_rps * kPeriod_s));
    const auto sent = [&](RegionId target, double fraction) {
      counts.sent.push_back(
          {target, static_cast<std::uint64_t>(std::llround(own_rps * fraction * kPeriod_s))});
    };
    double shed = 0;
    if (table == nullptr) {
      sent(region, 1);
    } else {
      const Row& row = table->tiers[id].at(0, region);
      for (const Route& route : row.routes) sent(route.target, route.fraction);
      shed = row.shed_fraction;
    }
    if (tells_outcomes) {
      counts.own_lost = static_cast<std::uint64_t>(std::llround(own_rps * shed * kOutcomes_s));
      counts.own_done = static_cast<std::uint64_t>(std::llround(own_rps * (1 - shed) * kOutcomes_s));
    }
    const int workers = fleet.tiers[id].regions[region].workers;
    const double service_s = ToDoubleSeconds(fleet.tiers[id].service_mean) * slowness[region];
    const double held_s = kPeriod_s * LoadOf(region, id) * workers / share;
    counts.ran = static_cast<std::uint64_t>(std::llround(held_s / service_s));
    counts.held_s_sum = static_cast<double>(counts.ran) * service_s;
    report.tiers.push_back(std::move(counts));
    const int alive = workers - dead[region];
    for (int w = place; w < workers; w += static_cast<int>(peers.size())) {
      WorkerSeen worker{.name = absl::StrCat(fleet.tiers[id].name, "-w", w),
                        .tier = id,
                        .address = absl::StrCat("10.1.0.", w, ":7500"),
                        .metrics = {}};
      worker.healthy = w < alive;
      worker.busy_s = worker.healthy ? kPeriod_s * LoadOf(region, id) * workers / alive : 0;
      report.workers.push_back(std::move(worker));
    }
  }
  for (const auto& [pair, ms] : trips) {
    if (pair.first == region) report.round_trips.push_back({pair.second, ms});
  }
  return report;
}

void Rig::Second() {
  now += Milliseconds(500);
  if (!silent) {
    for (const auto& [stream, hello] : routers) Send(RouterReported{stream, ReportOf(stream)});
  }
  now += Milliseconds(500);
  Send(Tick{});
}

std::string WhatIsWrong(const RoutingTable& table, const Fleet& fleet) {
  for (const TierTable& rows : table.tiers) {
    const Tier& tier = fleet.tiers[rows.tier()];
    for (std::size_t p = 0; p < rows.priorities(); ++p) {
      for (std::size_t r = 0; r < rows.regions(); ++r) {
        const Row& row = rows.at(static_cast<Priority>(p), RegionId(r));
        const std::string place = absl::StrCat("tier ", tier.name, " priority ", p, " source ", r, ": ");
        double sum = row.shed_fraction;
        if (!(row.shed_fraction >= 0 && row.shed_fraction <= 1)) return place + "shed out of range";
        std::set<std::uint32_t> targets;
        for (const Route& route : row.routes) {
          if (!(route.fraction > 0 && route.fraction <= 1 + 1e-9)) return place + "fraction out of range";
          if (!targets.insert(route.target.value()).second) return place + "target twice";
          if (!MaySend(tier, RegionId(r), route.target)) return place + "a target that may not be";
          sum += route.fraction;
        }
        if (!(std::abs(sum - 1) < 1e-6)) return absl::StrCat(place, "sums to ", sum);
      }
    }
  }
  return "";
}

}  // namespace ringway::controller
