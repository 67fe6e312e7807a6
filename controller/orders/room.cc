#include "controller/orders/room.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kNamed = 6;  // regions in a sentence

struct Over {
  double over_rps = 0;
  double refused_rps = 0;
};

IdVector<RegionId, Over> OverOf(const SettledPlan& settled) {
  IdVector<RegionId, Over> over(settled.snapshot.regions.size());
  const Tier& tier = *settled.tier;
  for (RegionId id(0); id != over.end_id(); id = RegionId(id.index() + 1)) {
    const RegionLoad& load = settled.snapshot.regions[id];
    const double planned =
        settled.plan.facts.planned_load.contains(id) ? settled.plan.facts.planned_load[id] : 0;
    const double cost = load.load_cost > 0 ? load.load_cost : 0;
    if (cost > 0) {
      over[id].over_rps = std::max(0.0, planned - OverloadThreshold(tier, id) * load.usable_share) / cost;
    }
    for (std::size_t p = 0; p < tier.priorities.size(); ++p) {
      over[id].refused_rps +=
          load.demand_rps[p] * settled.plan.table.at(static_cast<Priority>(p), id).shed_fraction;
    }
  }
  return over;
}

}  // namespace

absl::StatusOr<std::vector<NamedShortfall>> ShortfallOf(const TierLoop& loop, const DryRunEdit& edit,
                                                        Time now) {
  return ShortfallBetween(loop, loop, edit, now);
}

absl::StatusOr<std::vector<NamedShortfall>> ShortfallBetween(const TierLoop& loop, const TierLoop& ordered,
                                                             const DryRunEdit& edit, Time now) {
  const auto before = Settle(loop, DryRunEdit(), now);
  if (!before.ok()) return before.status();
  const auto after = Settle(ordered, edit, now);
  if (!after.ok()) return after.status();
  const IdVector<RegionId, Over> was = OverOf(*before), is = OverOf(*after);
  const double noise = std::max(1e-6, kShortfallShare * after->plan.facts.demand_rps);
  std::vector<NamedShortfall> shortfall;
  double total = 0;
  for (RegionId id(0); id != is.end_id(); id = RegionId(id.index() + 1)) {
    NamedShortfall here{.tier = loop.tier().name, .region = loop.fleet().world.regions[id].name};
    here.over_rps = is[id].over_rps - was[id].over_rps;
    here.refused_rps = is[id].refused_rps - was[id].refused_rps;
    total += here.over_rps + here.refused_rps;
    here.over_rps = std::max(0.0, here.over_rps);
    here.refused_rps = std::max(0.0, here.refused_rps);
    if (here.over_rps + here.refused_rps > noise) shortfall.push_back(std::move(here));
  }
  // What only moves from one full region to another is not new.
  if (total <= noise) return std::vector<NamedShortfall>();
  std::stable_sort(shortfall.begin(), shortfall.end(), [](const NamedShortfall& a, const NamedShortfall& b) {
    return a.over_rps + a.refused_rps > b.over_rps + b.refused_rps;
  });
  return shortfall;
}

std::string Describe(const std::vector<NamedShortfall>& shortfall) {
  double total = 0;
  std::vector<std::string> parts;
  std::string tier;
  for (const NamedShortfall& here : shortfall) {
    total += here.over_rps + here.refused_rps;
    if (parts.size() == kNamed) continue;
    const std::string of_tier = here.tier == tier ? "" : absl::StrCat("tier ", here.tier, ": ");
    tier = here.tier;
    if (here.over_rps > 0) {
      parts.push_back(
          absl::StrFormat("%s%s %.2f/s above its overload threshold", of_tier, here.region, here.over_rps));
    }
    if (here.refused_rps > 0) {
      parts.push_back(absl::StrFormat("%s%s %.2f/s shed", here.over_rps > 0 ? "" : of_tier, here.region,
                                      here.refused_rps));
    }
  }
  return absl::StrFormat("%.2f requests/s would not fit: %s%s", total, absl::StrJoin(parts, ", "),
                         shortfall.size() > kNamed ? ", and more" : "");
}

}  // namespace ringway::controller
