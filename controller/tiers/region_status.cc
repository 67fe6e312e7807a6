#include "controller/tiers/region_status.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/planner/rows.h"
#include "core/absl_view.h"

namespace ringway::controller {
namespace {

std::string Percent(double share) { return absl::StrFormat("%.1f%%", share * 100); }

void AddTraffic(const TierTable& table, const RegionLoad& load, RegionId source, std::size_t priorities,
                RegionStatus& status) {
  double away_rps = 0, shed_rps = 0;
  for (std::size_t p = 0; p < priorities; ++p) {
    const Row& row = table.at(static_cast<Priority>(p), source);
    shed_rps += load.demand_rps[p] * row.shed_fraction;
    for (const Route& route : row.routes) {
      if (route.target != source) away_rps += load.demand_rps[p] * route.fraction;
    }
  }
  if (status.demand_rps <= 0) return;
  status.exported_share = away_rps / status.demand_rps;
  status.shed_share = shed_rps / status.demand_rps;
}

double At(const IdVector<RegionId, double>& values, RegionId region) {
  return values.contains(region) ? values[region] : 0;
}

}  // namespace

std::string_view InputHealthName(InputHealth health) {
  switch (health) {
    case InputHealth::kFresh:
      return "fresh";
    case InputHealth::kStale:
      return "stale";
    case InputHealth::kMissing:
      return "missing";
  }
  return "unknown";
}

RegionStatus StatusUnder(const TierLoop& loop, const TierSnapshot& snapshot, const planner::Plan* plan,
                         const TierTable* table, RegionId region, Time now) {
  const RegionLoad& load = snapshot.regions[region];
  RegionStatus status{.workers = loop.tier().regions[region].workers,
                      .workers_seen = loop.region(region).traffic.alive,
                      .workers_wanted = std::nullopt,
                      .load = load.measured_load,
                      .served_rps = loop.arriving_rps()[region],
                      .load_cost = load.load_cost,
                      .load_cost_low = load.load_cost_low,
                      .load_cost_high = load.load_cost_high,
                      .health = load.health,
                      .drain_share = loop.DrainShare(region, now)};
  if (loop.scaler() && status.workers > 0 && loop.scaler()->wanted()[region].known) {
    status.workers_wanted = loop.scaler()->wanted()[region].workers;
  }
  for (const auto& [key, row] : loop.pins()) status.pinned = status.pinned || key.first == region;
  status.demand_by_priority_rps = load.demand_rps;
  for (const double rps : load.demand_rps) status.demand_rps += rps;
  if (plan != nullptr) {
    status.planned_load = At(plan->facts.planned_load, region);
    status.home_load = At(plan->facts.home_load, region);
  }
  if (table != nullptr) AddTraffic(*table, load, region, loop.tier().priorities.size(), status);
  return status;
}

RegionStatus StatusOf(const TierLoop& loop, RegionId region, Time now) {
  const TierSnapshot snapshot = loop.Unpinned(now);
  return StatusUnder(loop, snapshot, loop.plan().get(), loop.in_force().get(), region, now);
}

std::string DescribeRow(const Row& row, RegionId source, const World& world, const Tier& tier) {
  std::string text;
  for (const Route& route : row.routes) {
    if (!text.empty()) text += ", ";
    const std::string target = route.target == source ? "home" : world.regions[route.target].name;
    absl::StrAppend(&text, Percent(route.fraction), " ", target);
    if (route.target == source && route.reason == RouteReason::kHome) continue;
    absl::StrAppend(&text, " (", AbslView(RouteReasonName(route.reason)));
    if (route.target != source) {
      const auto ring = static_cast<std::size_t>(std::max(int{route.ring}, 0));
      if (ring < tier.route.rings.size()) absl::StrAppend(&text, ", ring ", tier.route.rings[ring].name);
      absl::StrAppendFormat(&text, ", %.0f ms", world.rtt.ms(source, route.target));
      if (planner::OpenedByLoad(route.reason)) {
        absl::StrAppendFormat(&text, ", home load %.2f", route.unlock_load);
      }
    }
    text += ")";
  }
  if (row.shed_fraction > 0) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Percent(row.shed_fraction), " shed");
  }
  return text;
}

std::vector<std::string> ExplainRegion(const TierLoop& loop, RegionId region, Time now) {
  const RegionStatus status = StatusOf(loop, region, now);
  const World& world = loop.fleet().world;
  std::vector<std::string> lines;
  lines.push_back(absl::StrFormat(
      "%s: load %.2f of a threshold of %.2f; with all its traffic at home it would be %.2f, planned %.2f",
      world.regions[region].name, status.load, OverloadThreshold(loop.tier(), region), status.home_load,
      status.planned_load));
  lines.push_back(absl::StrFormat("%d of %d workers are alive, inputs are %s, demand is %.2f requests/s",
                                  status.workers_seen, status.workers,
                                  AbslView(InputHealthName(status.health)), status.demand_rps));
  if (loop.scaler() && status.workers > 0) lines.push_back(loop.scaler()->Explain(region));
  lines.push_back(absl::StrFormat("one request/s costs %.4f load (between %.4f and %.4f)", status.load_cost,
                                  status.load_cost_low, status.load_cost_high));
  if (const DrainRamp& drain = loop.region(region).drain; drain.goal > 0 || status.drain_share > 0) {
    lines.push_back(
        drain.goal == 0
            ? absl::StrFormat("an operator brings it back: %s drained now", Percent(status.drain_share))
            : absl::StrFormat("an operator drains %s of it: %s drained now",
                              drain.goal < 1 ? Percent(drain.goal) : "all", Percent(status.drain_share)));
  }
  for (const PendingOrder& order : loop.orders().Pending(loop.fleet(), loop.tier())) {
    if (!order.region.empty() && order.region != world.regions[region].name) continue;
    lines.push_back(absl::StrCat(order.what, ", by ", order.term.who, ", for another ",
                                 absl::FormatDuration(Trunc(order.term.until - now, Seconds(1))),
                                 "; then: ", order.then));
  }
  if (loop.mode() != TierMode::kActive) {
    lines.push_back(
        absl::StrCat("the tier is ", AbslView(TierModeName(loop.mode())), ": the table stays as it is"));
  }
  if (!loop.seen_a_worker()) {
    lines.push_back("no worker of the tier has been seen since the start: nothing is planned until one is");
  }
  if (loop.in_force() == nullptr) {
    lines.push_back("no table is in force yet");
    return lines;
  }
  for (std::size_t p = 0; p < loop.tier().priorities.size(); ++p) {
    const auto priority = static_cast<Priority>(p);
    lines.push_back(
        absl::StrCat("priority ", loop.tier().priorities[p], ": ",
                     DescribeRow(loop.in_force()->at(priority, region), region, world, loop.tier()),
                     loop.pins().count({region, priority}) > 0 ? " [pinned]" : ""));
  }
  return lines;
}

}  // namespace ringway::controller
