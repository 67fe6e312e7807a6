#include "controller/orders/dry_run.h"

#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "controller/orders/commands.h"

namespace ringway::controller {
namespace {

constexpr double kScaleMax = 1e6;

absl::Status Edit(const DryRunEdit& edit, const Fleet& fleet, TierSnapshot& snapshot) {
  for (const auto& [name, factor] : edit.demand_scale) {
    auto region = FindRegion(fleet, name);
    if (!region.ok()) return region.status();
    if (!(factor >= 0 && factor <= kScaleMax)) {
      return absl::InvalidArgumentError(
          absl::StrCat("demand_scale of ", name, " is ", factor, ": 0 to ", kScaleMax, " is allowed"));
    }
    for (double& rps : snapshot.regions[*region].demand_rps) rps *= factor;
  }
  return absl::OkStatus();
}

void SetPins(const TierLoop& loop, TierTable& table) {
  for (const auto& [key, row] : loop.pins()) table.at(key.second, key.first) = row;
}

// The loads of a table that no plan was made for.
IdVector<RegionId, double> LoadsUnder(const TierTable& table, const TierSnapshot& snapshot) {
  IdVector<RegionId, double> loads;
  for (const RegionLoad& region : snapshot.regions) loads.push_back(region.background_load);
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    for (RegionId source(0); source != loads.end_id(); source = RegionId(source.index() + 1)) {
      const double rps = snapshot.regions[source].demand_rps[p];
      for (const Route& route : table.at(static_cast<Priority>(p), source).routes) {
        loads[route.target] += snapshot.regions[route.target].load_cost * rps * route.fraction;
      }
    }
  }
  return loads;
}

std::vector<std::string> Changes(const TierLoop& loop, const TierTable& after) {
  std::vector<std::string> changes;
  if (loop.in_force() == nullptr) return changes;
  const World& world = loop.fleet().world;
  for (std::size_t p = 0; p < after.priorities(); ++p) {
    for (RegionId source(0); source != world.regions.end_id(); source = RegionId(source.index() + 1)) {
      const auto priority = static_cast<Priority>(p);
      const std::string was = DescribeRow(loop.in_force()->at(priority, source), source, world, loop.tier());
      const std::string is = DescribeRow(after.at(priority, source), source, world, loop.tier());
      if (was == is) continue;
      changes.push_back(
          absl::StrCat(world.regions[source].name, ", ", loop.tier().priorities[p], ": ", was, " -> ", is));
    }
  }
  return changes;
}

// What is in force of `was` against the plan of `is`.
DryRunOutcome Compare(const TierLoop& was, const TierLoop& is, const SettledPlan& settled, Time now) {
  const TierSnapshot whole = was.Unpinned(now);
  DryRunOutcome outcome{.table = settled.plan.table, .before = {}, .after = {}, .changes = {}};
  for (RegionId id(0); id != whole.regions.end_id(); id = RegionId(id.index() + 1)) {
    outcome.before.push_back(StatusUnder(was, whole, was.plan().get(), was.in_force().get(), id, now));
    outcome.after.push_back(StatusUnder(is, settled.snapshot, &settled.plan, &outcome.table, id, now));
  }
  outcome.changes = Changes(was, outcome.table);
  return outcome;
}

}  // namespace

absl::StatusOr<SettledPlan> Settle(const TierLoop& loop, const DryRunEdit& edit, Time now) {
  auto tier = std::make_shared<Tier>(loop.tier());
  if (edit.overload_threshold) {
    const double threshold = *edit.overload_threshold;
    if (!(threshold > 0 && threshold <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("overload_threshold is ", threshold, ": above 0 and up to 1 is allowed"));
    }
    tier->route.overload_threshold = threshold;
  }
  IdVector<RegionId, double> drained;
  for (const Timed<double>& order : loop.orders().drains) drained.push_back(order.now());
  for (const auto& [name, share] : edit.drain) {
    auto region = FindRegion(loop.fleet(), name);
    if (!region.ok()) return region.status();
    if (!(share >= 0 && share <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("drain of ", name, " is ", share, ": 0 to 1 is allowed"));
    }
    drained[*region] = share;
  }
  SettledPlan settled{.tier = tier, .snapshot = loop.UnpinnedWith(now, drained), .plan = {}};
  if (absl::Status s = Edit(edit, loop.fleet(), settled.snapshot); !s.ok()) return s;
  TierSnapshot snapshot = settled.snapshot;
  snapshot.previous = nullptr;
  loop.SetPinnedAside(snapshot);
  settled.plan = planner::Planner(loop.shared_world(), tier).Solve(snapshot);
  return settled;
}

absl::StatusOr<DryRunOutcome> DryRun(const TierLoop& loop, const DryRunEdit& edit, Time now) {
  auto settled = Settle(loop, edit, now);
  if (!settled.ok()) return settled.status();
  SetPins(loop, settled->plan.table);
  return Compare(loop, loop, *settled, now);
}

absl::StatusOr<DryRunOutcome> DryRunBetween(const TierLoop& was, const TierLoop& is, const DryRunEdit& edit,
                                            Time now) {
  auto settled = Settle(is, edit, now);
  if (!settled.ok()) return settled.status();
  planner::Plan& plan = settled->plan;
  if (is.mode() == TierMode::kActive && is.seen_a_worker()) {
    SetPins(is, plan.table);
  } else {
    plan.table = is.in_force() != nullptr
                     ? *is.in_force()
                     : HomeTable(is.id(), is.fleet().world.regions.size(), is.tier().priorities.size());
    plan.facts.planned_load = LoadsUnder(plan.table, settled->snapshot);
  }
  return Compare(was, is, *settled, now);
}

}  // namespace ringway::controller
