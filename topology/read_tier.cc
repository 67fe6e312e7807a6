#include "topology/read_tier.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "topology/read_world.h"

namespace ringway {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

MetricSpec ReadMetric(const Place& place, Problems& problems) {
  Mapping fields(place, problems);
  MetricSpec metric;
  metric.name = fields.Name("name");
  metric.aggregation =
      static_cast<Aggregation>(fields.Choice("aggregation", 0, {"sum", "mean", "max", "quantile"}));
  metric.quantile = fields.Number("quantile", metric.quantile, {0, 1});
  if (fields.Has("quantile") && metric.aggregation != Aggregation::kQuantile) {
    fields.Report("quantile", "only together with aggregation: quantile");
  }
  metric.capacity = fields.Number("capacity", metric.capacity, {0, kNoLimit, true});
  metric.capacity_per_worker = fields.Choice("capacityPer", 0, {"region", "worker"}) == 1;
  if (metric.capacity_per_worker && metric.aggregation != Aggregation::kSum) {
    fields.Report("capacityPer", "worker only with aggregation: sum; region otherwise");
  }
  metric.promql = fields.Text("promql", "");
  metric.max_age = fields.Span("maxAge", metric.max_age, Milliseconds(100), Hours(1));
  fields.Finish();
  return metric;
}

// What every worker reports by itself.
MetricSpec BusyMetric() {
  MetricSpec metric;
  metric.name = std::string(kBusyMetric);
  metric.capacity_per_worker = true;
  return metric;
}

RingSpec ReadRing(const Place& place, const RingSpec* before, Problems& problems) {
  Mapping fields(place, problems);
  RingSpec ring;
  ring.name = fields.Name("name");
  fields.Require("rttMsMax", "milliseconds");
  ring.rtt_ms_max = fields.Number("rttMsMax", 0, {0, 10'000, true});
  ring.unlock_load = fields.Number("unlockLoad", 0, {0, 10});
  if (before != nullptr && ring.rtt_ms_max > 0 && ring.rtt_ms_max <= before->rtt_ms_max) {
    fields.Report("rttMsMax", absl::StrCat("more than ", before->rtt_ms_max, ", the ring before it"),
                  "rings are listed from near to far");
  }
  if (before != nullptr && ring.unlock_load < before->unlock_load) {
    fields.Report("unlockLoad", absl::StrCat("at least ", before->unlock_load, ", the ring before it"),
                  "a farther ring does not open earlier");
  }
  fields.Finish();
  return ring;
}

template <class Named>
void CheckDistinct(const std::vector<Named>& items, const std::vector<Place>& places, Problems& problems) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i].name.empty() || items[i].name != items[j].name) continue;
      problems.Add({places[i].node->at, absl::StrCat(places[i].path, ".name"),
                    absl::StrCat(Quoted(items[i].name), " a second time"), "a name of its own", ""});
    }
  }
}

std::vector<RegionId> ReadRegionList(Mapping& rule, std::string_view key, const RegionNames& names,
                                     Problems& problems) {
  std::vector<RegionId> ids;
  for (const Place& place : rule.List(key, kRegionsMax)) {
    if (const RegionId id = names.Read(place, problems); id.valid()) ids.push_back(id);
  }
  return ids;
}

}  // namespace

void ReadMetrics(Mapping& spec, Tier& tier, Problems& problems) {
  if (!spec.Has("metrics")) {
    tier.metrics.push_back(BusyMetric());
    return;
  }
  const std::vector<Place> places = spec.List("metrics", kMetricsMax);
  if (places.empty()) spec.Report("metrics", "a list of at least one metric");
  for (const Place& place : places) tier.metrics.push_back(ReadMetric(place, problems));
  CheckDistinct(tier.metrics, places, problems);
}

void ReadPriorities(Mapping& spec, Tier& tier, Problems& problems) {
  const std::vector<Place> places = spec.List("priorities", kMaxPriorities);
  if (places.empty()) {
    if (spec.Has("priorities")) {
      spec.Report("priorities", absl::StrCat("1 to ", kMaxPriorities, " names, most important first"));
    }
    return;
  }
  tier.priorities.clear();
  for (const Place& place : places) {
    std::string name = ReadName(place, problems);
    if (std::find(tier.priorities.begin(), tier.priorities.end(), name) != tier.priorities.end()) {
      problems.Add({place.node->at, place.path, absl::StrCat(Quoted(name), " a second time"),
                    "a name of its own", ""});
    }
    tier.priorities.push_back(std::move(name));
  }
}

void ReadRoute(Mapping& spec, RouteSpec& route, Problems& problems) {
  route.overload_threshold = spec.Number("overloadThreshold", route.overload_threshold, {0, 1, true});
  route.ceiling_wait = spec.Number("ceilingWait", route.ceiling_wait, {0, 100});
  route.escalation = static_cast<Escalation>(
      spec.Choice("escalation", static_cast<std::size_t>(route.escalation), {"when-full", "by-load"}));
  if (const std::size_t said = spec.Choice("isolation", 0, {"auto", "local-first", "fill", "level"})) {
    route.isolation = static_cast<Isolation>(said - 1);
  }
  route.refine = static_cast<RefineMode>(
      spec.Choice("refine", static_cast<std::size_t>(route.refine), {"off", "swap", "optimal"}));
  const std::vector<Place> places = spec.List("rings", kRingsMax);
  for (const Place& place : places) {
    const RingSpec* before = route.rings.empty() ? nullptr : &route.rings.back();
    RingSpec ring = ReadRing(place, before, problems);
    route.rings.push_back(std::move(ring));
  }
  CheckDistinct(route.rings, places, problems);
}

void ReadTierRegions(Mapping& spec, const World& world, Tier& tier, Problems& problems) {
  const RegionNames names(world);
  tier.regions.assign(world.regions.size(), TierRegion());
  if (!spec.Require("regions", "a list of regions with their workers")) return;
  const std::size_t problems_before = problems.all().size();
  IdVector<RegionId, char> seen(world.regions.size(), 0);
  std::int64_t workers = 0;
  for (const Place& place : spec.List("regions", kRegionsMax)) {
    Mapping fields(place, problems);
    TierRegion region;
    fields.Require("workers", "the number of GPU workers");
    region.workers = static_cast<int>(fields.Integer("workers", 0, 0, kWorkersMax));
    region.reserve_share = fields.Number("reserveShare", region.reserve_share, {0, 1});
    region.import_cap_share = fields.Number("importCapShare", region.import_cap_share, {0, 1});
    region.overload_threshold = fields.Number("overloadThreshold", region.overload_threshold, {0, 1, true});
    workers += region.workers;
    RegionId id;
    if (fields.Require("region", "the name of a region of the world")) {
      id = names.Read({fields.Raw("region"), fields.PathOf("region")}, problems);
    }
    fields.Finish();
    if (!id.valid()) continue;
    if (seen[id]) fields.Report("region", "each region once");
    seen[id] = 1;
    tier.regions[id] = region;
  }
  const bool readable = problems.all().size() == problems_before;
  if (workers == 0 && readable) spec.Report("regions", "at least one region with workers above 0");
}

void ReadResidency(Mapping& spec, const World& world, Tier& tier, Problems& problems) {
  const RegionNames names(world);
  const std::size_t regions = world.regions.size();
  IdVector<RegionId, char> ruled(regions, 0);
  for (const Place& place : spec.List("residency", kResidencyRulesMax)) {
    Mapping rule(place, problems);
    rule.Require("from", "a list of source regions");
    const std::vector<RegionId> from = ReadRegionList(rule, "from", names, problems);
    const bool by_only = rule.Has("only");
    if (by_only == rule.Has("forbidden")) rule.Report("only", "exactly one of only and forbidden");
    IdVector<RegionId, char> barred(regions, by_only ? 1 : 0);
    for (const RegionId id : ReadRegionList(rule, "only", names, problems)) barred[id] = 0;
    for (const RegionId id : ReadRegionList(rule, "forbidden", names, problems)) barred[id] = 1;
    rule.Finish();
    tier.residency_forbidden.resize(regions);
    for (const RegionId source : from) {
      if (ruled[source]) {
        rule.Report("from", "each source region in one rule",
                    "merge the rules of " + world.regions[source].name);
        continue;
      }
      ruled[source] = 1;
      for (RegionId target(0); target != barred.end_id(); target = RegionId(target.index() + 1)) {
        if (barred[target] && target != source) tier.residency_forbidden[source].push_back(target);
      }
    }
  }
}

Tier ReadTier(std::string_view name, Mapping& spec, const World& world, Problems& problems) {
  Tier tier;
  tier.name = std::string(name);
  tier.service_mean = spec.Span("serviceMean", tier.service_mean, Milliseconds(1), Hours(24));
  tier.deadline = spec.Span("deadline", tier.deadline, Milliseconds(1), Hours(48));
  ReadMetrics(spec, tier, problems);
  ReadPriorities(spec, tier, problems);
  ReadRoute(spec, tier.route, problems);
  ReadGuard(spec.Child("guard"), tier.guard);
  ReadDispatch(spec.Child("dispatch"), tier.dispatch);
  ReadTierRegions(spec, world, tier, problems);
  ReadScaling(spec, world, tier);
  ReadResidency(spec, world, tier, problems);
  if (tier.deadline < tier.service_mean) {
    spec.Report("deadline", absl::StrCat("at least serviceMean, ", absl::FormatDuration(tier.service_mean)));
  }
  spec.Finish();
  return tier;
}

}  // namespace ringway
