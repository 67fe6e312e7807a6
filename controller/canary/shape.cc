#include "controller/canary/shape.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace ringway::canary {
namespace {

constexpr std::size_t kRegionsNamed = 5;

TierShape TierShapeOf(const Tier& tier, const World& world) {
  TierShape shape{.tier = tier.name,
                  .route = tier.route,
                  .plan_margin = tier.guard.plan_margin,
                  .shed_above = tier.guard.shed_above,
                  .hysteresis = tier.guard.hysteresis,
                  .step_max = tier.guard.step_max,
                  .regions = {}};
  for (RegionId id(0); id != tier.regions.end_id(); id = RegionId(id.index() + 1)) {
    const TierRegion& region = tier.regions[id];
    if (region.workers == 0) continue;
    shape.regions.push_back({.region = world.regions[id].name,
                             .reserve_share = region.reserve_share,
                             .import_cap_share = region.import_cap_share,
                             .overload_threshold = region.overload_threshold});
  }
  return shape;
}

void Apply(const TierShape& shape, const World& world, Tier& tier) {
  tier.route = shape.route;
  tier.guard.plan_margin = shape.plan_margin;
  tier.guard.shed_above = shape.shed_above;
  tier.guard.hysteresis = shape.hysteresis;
  tier.guard.step_max = shape.step_max;
  for (const RegionShape& region : shape.regions) {
    const auto id = world.FindRegion(region.region);
    if (!id || !tier.regions.contains(*id)) continue;
    tier.regions[*id].reserve_share = region.reserve_share;
    tier.regions[*id].import_cap_share = region.import_cap_share;
    tier.regions[*id].overload_threshold = region.overload_threshold;
  }
}

std::string Word(Escalation e) { return e == Escalation::kWhenFull ? "when-full" : "by-load"; }
std::string Word(const std::optional<Isolation>& isolation) {
  static constexpr const char* kWords[] = {"local-first", "fill", "level"};
  return isolation ? kWords[static_cast<std::size_t>(*isolation)] : "auto";
}
std::string Word(RefineMode mode) {
  static constexpr const char* kWords[] = {"off", "swap", "optimal"};
  return kWords[static_cast<std::size_t>(mode)];
}
std::string Word(double value) { return absl::StrCat(value); }
std::string Word(const std::vector<RingSpec>& rings) {
  std::string text;
  for (const RingSpec& ring : rings) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", ring.name, " ", ring.rtt_ms_max, " ms from load ",
                    ring.unlock_load);
  }
  return text.empty() ? "none" : text;
}

class Comparison {
 public:
  explicit Comparison(const std::string& tier) : tier_(tier) {}

  template <class Value>
  void See(std::string_view key, const Value& before, const Value& after) {
    if (before == after) return;
    lines_.push_back(
        absl::StrCat("tier ", tier_, ": ", std::string(key), " ", Word(before), " -> ", Word(after)));
  }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  const std::string& tier_;
  std::vector<std::string> lines_;
};

std::vector<std::string> Changes(const TierShape& before, const TierShape& after) {
  Comparison compare(before.tier);
  const RouteSpec &b = before.route, &a = after.route;
  compare.See("overloadThreshold", b.overload_threshold, a.overload_threshold);
  compare.See("ceilingWait", b.ceiling_wait, a.ceiling_wait);
  compare.See("rings", b.rings, a.rings);
  compare.See("escalation", b.escalation, a.escalation);
  compare.See("isolation", b.isolation, a.isolation);
  compare.See("refine", b.refine, a.refine);
  compare.See("guard.planMargin", before.plan_margin, after.plan_margin);
  compare.See("guard.shedAbove", before.shed_above, after.shed_above);
  compare.See("guard.hysteresis", before.hysteresis, after.hysteresis);
  compare.See("guard.stepMax", before.step_max, after.step_max);
  std::vector<std::string> lines = compare.Take();
  std::size_t more = 0, named = 0;
  for (std::size_t i = 0; i < before.regions.size() && i < after.regions.size(); ++i) {
    const RegionShape &rb = before.regions[i], &ra = after.regions[i];
    if (rb == ra) continue;
    if (++named > kRegionsNamed) {
      ++more;
      continue;
    }
    Comparison region(before.tier);
    region.See(absl::StrCat(rb.region, " reserveShare"), rb.reserve_share, ra.reserve_share);
    region.See(absl::StrCat(rb.region, " importCapShare"), rb.import_cap_share, ra.import_cap_share);
    region.See(absl::StrCat(rb.region, " overloadThreshold"), rb.overload_threshold, ra.overload_threshold);
    for (std::string& line : region.Take()) lines.push_back(std::move(line));
  }
  if (more > 0)
    lines.push_back(absl::StrCat("tier ", before.tier, ": and settings of ", more, " more regions"));
  return lines;
}

int RegionsThatDiffer(const Tier& before, const Tier& after) {
  if (before.regions.size() != after.regions.size()) return 0;  // named already
  int count = 0;
  for (RegionId id(0); id != before.regions.end_id(); id = RegionId(id.index() + 1)) {
    count += before.regions[id].workers != after.regions[id].workers;
  }
  return count;
}

void OtherChangesOf(const Tier& before, const Tier& after, std::vector<std::string>& lines) {
  const auto see = [&](bool same, std::string_view what) {
    if (!same) lines.push_back(absl::StrCat("tier ", after.name, ": ", std::string(what)));
  };
  const int workers = RegionsThatDiffer(before, after);
  see(workers == 0, absl::StrCat("workers of ", workers, workers == 1 ? " region" : " regions"));
  see(before.metrics == after.metrics, "metrics");
  see(before.priorities == after.priorities, "priorities");
  see(before.dispatch == after.dispatch, "dispatch");
  see(before.guard == after.guard, "guard (what is not of the plan's shape)");
  see(before.scaling == after.scaling, "scaling");
  see(before.service_mean == after.service_mean, "serviceMean");
  see(before.deadline == after.deadline, "deadline");
  see(before.residency_forbidden == after.residency_forbidden, "residency");
}

template <class List, class Name>
void Arrivals(const char* kind, const List& before, const List& after, const Name& name,
              std::vector<std::string>& lines) {
  const auto missing = [&](const auto& one, const List& list) {
    return std::none_of(list.begin(), list.end(),
                        [&](const auto& other) { return name(one) == name(other); });
  };
  for (const auto& one : after) {
    if (missing(one, before)) lines.push_back(absl::StrCat(kind, " ", name(one), " is new"));
  }
  for (const auto& one : before) {
    if (missing(one, after)) lines.push_back(absl::StrCat(kind, " ", name(one), " is gone"));
  }
}

}  // namespace

Shape ShapeOf(const Fleet& fleet) {
  Shape shape;
  for (const Tier& tier : fleet.tiers) shape.push_back(TierShapeOf(tier, fleet.world));
  return shape;
}

std::shared_ptr<const Fleet> Shaped(const Fleet& fleet, const Shape& shape) {
  auto shaped = std::make_shared<Fleet>(fleet);
  for (const TierShape& tier : shape) {
    if (const auto id = shaped->FindTier(tier.tier)) Apply(tier, shaped->world, shaped->tiers[*id]);
  }
  return shaped;
}

std::vector<std::string> ShapeChanges(const Fleet& before, const Fleet& after) {
  const Shape from = ShapeOf(before), to = ShapeOf(after);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
    for (std::string& line : Changes(from[i], to[i])) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> TiersReshaped(const Fleet& before, const Fleet& after) {
  const Shape from = ShapeOf(before), to = ShapeOf(after);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
    if (from[i] != to[i]) names.push_back(from[i].tier);
  }
  return names;
}

std::vector<std::string> OtherChanges(const Fleet& before, const Fleet& after) {
  std::vector<std::string> lines;
  Arrivals(
      "region", before.world.regions, after.world.regions, [](const Region& r) { return r.name; }, lines);
  Arrivals(
      "tier", before.tiers, after.tiers, [](const Tier& t) { return t.name; }, lines);
  for (const Tier& tier : after.tiers) {
    const auto id = before.FindTier(tier.name);
    if (id && lines.size() < 100) OtherChangesOf(before.tiers[*id], tier, lines);
  }
  return lines;
}

}  // namespace ringway::canary
