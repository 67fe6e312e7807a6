#include "controller/dry_run.h"

#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "controller/commands.h"

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

}  // namespace

absl::StatusOr<SettledPlan> Settle(const TierLoop& loop, const DryRunEdit& edit, absl::Time now) {
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

absl::StatusOr<DryRunOutcome> DryRun(const TierLoop& loop, const DryRunEdit& edit, absl::Time now) {
  const auto settled = Settle(loop, edit, now);
  if (!settled.ok()) return settled.status();
  const TierSnapshot whole = loop.Unpinned(now);
  DryRunOutcome outcome{.table = settled->plan.table, .before = {}, .after = {}, .changes = {}};
  for (const auto& [key, row] : loop.pins()) outcome.table.at(key.second, key.first) = row;
  for (RegionId id(0); id != whole.regions.end_id(); id = RegionId(id.index() + 1)) {
    outcome.before.push_back(StatusUnder(loop, whole, loop.plan().get(), loop.in_force().get(), id, now));
    outcome.after.push_back(StatusUnder(loop, settled->snapshot, &settled->plan, &outcome.table, id, now));
  }
  outcome.changes = Changes(loop, outcome.table);
  return outcome;
}

}  // namespace ringway::controller
