#include "bench/loop/calm.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "bench/loop/worlds.h"
#include "sim/simulation.h"

namespace ringway::bench {
namespace {

constexpr double kCalmLoad = 0.72;
constexpr double kAnewS = 340;  // rates are measured anew for five minutes
constexpr double kEventAtS = 400;
constexpr double kEventLastsS = 120;

// New tables as the first router gets them, and what they move.
class Tables : public sim::Observer {
 public:
  Tables(const sim::Scenario& scenario, double from_s)
      : rps_(scenario.fleet->world.regions.size()), from_(UnixEpoch() + Seconds(from_s)) {
    for (const sim::DemandSpec& demand : scenario.demand) {
      rps_[demand.region] += sim::MeanRateRps(demand.law);
      total_rps_ += sim::MeanRateRps(demand.law);
    }
  }
  void OnTableActive(Time now, RouterId router, const RoutingTable& table) override {
    if (router != RouterId(0)) return;
    const TierTable& rows = table.tiers[kLoopTier];
    if (before_ && now >= from_) {
      ++tables;
      for (RegionId id(0); id != rps_.end_id(); id = RegionId(id.index() + 1)) {
        moved_share += Moved(before_->at(0, id), rows.at(0, id)) * rps_[id] / total_rps_;
      }
    }
    before_ = rows;
  }
  int tables = 0;
  double moved_share = 0;

 private:
  static double Fraction(const Row& row, RegionId target) {
    for (const Route& route : row.routes) {
      if (route.target == target) return route.fraction;
    }
    return 0;
  }
  static double Moved(const Row& from, const Row& to) {
    double moved = 0;
    for (const Route& route : to.routes) {
      moved += std::max(0.0, route.fraction - Fraction(from, route.target));
    }
    return moved + std::max(0.0, to.shed_fraction - from.shed_fraction);
  }
  IdVector<RegionId, double> rps_;
  double total_rps_ = 0;
  Time from_;
  std::optional<TierTable> before_;
};

// Jobs submitted while the event lasts.
class EventWaits : public sim::Observer {
 public:
  void OnEnded(Time now, const sim::Ending& ending) override {
    const double submitted_s = ToDoubleSeconds(now - ending.latency - UnixEpoch());
    if (submitted_s < kEventAtS || submitted_s >= kEventAtS + kEventLastsS) return;
    ++ended;
    if (ending.outcome != Outcome::kDone) return;
    ++served;
    sum_s += ToDoubleSeconds(ending.wait);
  }
  double mean_s() const { return served > 0 ? sum_s / served : 0; }
  double served_share() const { return ended > 0 ? served / ended : 0; }
  double sum_s = 0;
  double served = 0, ended = 0;
};

RegionId Biggest(const Fleet& fleet) {
  const auto& regions = fleet.tiers[kLoopTier].regions;
  RegionId biggest(0);
  for (RegionId id(0); id != regions.end_id(); id = RegionId(id.index() + 1)) {
    if (regions[id].workers > regions[biggest].workers) biggest = id;
  }
  return biggest;
}

void JudgeRest(const std::shared_ptr<const Fleet>& fleet, double gaps_cv, bool quick, bool brief,
               std::vector<Claim>& claims) {
  const double lasts_s = quick ? 300 : 900;
  const std::shared_ptr<sim::Scenario> scenario = Scene(fleet, {.load = kCalmLoad,
                                                                .gaps_cv = gaps_cv,
                                                                .skew = 0,
                                                                .seed = 13,
                                                                .duration_s = kAnewS + lasts_s,
                                                                .warmup_s = kAnewS});
  Tables tables(*scenario, kAnewS);
  sim::Simulation simulation(scenario);
  simulation.Watch(&tables);
  simulation.Run();
  const std::string cell =
      absl::StrFormat("calm.%s.%s", fleet->world.name, gaps_cv > 1 ? "gamma2" : "poisson");
  const double rounds = lasts_s / scenario->epoch_period_s;
  if (!brief) std::printf("      %-28s %d tables in %.0f s\n", cell.c_str(), tables.tables, lasts_s);
  claims.push_back(AtMost(cell + ".churn", 100 * tables.moved_share / rounds, 0.1, "% a round"));
  claims.push_back(AtMost(cell + ".tables", 60 * tables.tables / lasts_s, gaps_cv > 1 ? 3 : 1, "a minute"));
}

EventWaits Suffer(const std::shared_ptr<const Fleet>& fleet, const sim::Fault& fault, bool controller) {
  const std::shared_ptr<sim::Scenario> scenario = Scene(
      fleet,
      {.load = 0.6, .skew = 0, .seed = 13, .duration_s = kEventAtS + kEventLastsS + 30, .warmup_s = 100});
  scenario->controller = controller;
  scenario->steps.push_back({.at_s = kEventAtS, .lasts_s = kEventLastsS, .fault = fault});
  EventWaits waits;
  sim::Simulation simulation(scenario);
  simulation.Watch(&waits);
  simulation.Run();
  return waits;
}

void JudgeEvents(const std::shared_ptr<const Fleet>& fleet, bool brief, std::vector<Claim>& claims) {
  const RegionId biggest = Biggest(*fleet);
  const std::pair<const char*, sim::Fault> events[] = {{"step", sim::ScaleDemand{{biggest}, 1.8}},
                                                       {"slow", sim::SlowWorkers{{biggest}, 1, 2}},
                                                       {"loss", sim::KillRegion{{biggest}}}};
  for (const auto& [name, fault] : events) {
    const EventWaits with = Suffer(fleet, fault, true), without = Suffer(fleet, fault, false);
    const std::string cell = absl::StrFormat("%s.%s", name, fleet->world.name);
    if (!brief) {
      std::printf("      %-28s waits %.1f ms, served %.5f; no controller: %.1f ms, %.5f\n", cell.c_str(),
                  1e3 * with.mean_s(), with.served_share(), 1e3 * without.mean_s(), without.served_share());
    }
    claims.push_back(AtMost(cell + ".wait", 1e3 * with.mean_s(), 1.2e3 * without.mean_s() + 5, "ms"));
    claims.push_back(AtLeast(cell + ".served", with.served_share(), without.served_share() - 1e-3));
  }
}

}  // namespace

bool JudgeCalm(bool quick, bool brief, std::vector<Claim>& claims) {
  std::vector<std::shared_ptr<const Fleet>> worlds = {Shipped("aws"), Generate({"mix60", 60, 3, 40, 101})};
  if (!quick) {
    worlds.push_back(Shipped("azure"));
    worlds.push_back(Generate({"mix100", 100, 3, 400, 103}));
    worlds.push_back(Generate({"mix200", 200, 3, 100, 105}));
  }
  for (const std::shared_ptr<const Fleet>& fleet : worlds) {
    if (fleet == nullptr) return false;
    for (const double gaps_cv : {1.0, 2.0}) JudgeRest(fleet, gaps_cv, quick, brief, claims);
  }
  JudgeEvents(worlds[1], brief, claims);
  if (!quick) JudgeEvents(worlds[3], brief, claims);
  return true;
}

}  // namespace ringway::bench
