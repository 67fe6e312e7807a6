#include "topology/topology_text.h"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/absl_view.h"
#include "topology/envelope.h"
#include "topology/topology.h"

namespace ringway {
namespace {

std::string Digits(double value) { return absl::StrFormat("%.17g", value); }
std::string Digits(float value) { return absl::StrFormat("%.9g", value); }
std::string SpanText(Duration span) { return absl::FormatDuration(span); }  // exact
std::string_view FlagText(bool flag) { return flag ? "true" : "false"; }
std::string QuotedText(std::string_view text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(AbslView(text)), "\"");
}

// Lines of a mapping: `key: value` at a depth.
class Lines {
 public:
  Lines(std::string& out, std::size_t depth) : out_(out), depth_(depth) {}
  void Raw(std::string_view key, std::string_view value) {
    Line(absl::StrCat(AbslView(key), ":", value.empty() ? "" : " ", AbslView(value)));
  }
  void Add(std::string_view key, double value) { Raw(key, Digits(value)); }
  void Add(std::string_view key, Duration value) { Raw(key, SpanText(value)); }
  void Add(std::string_view key, bool value) { Raw(key, FlagText(value)); }
  void Add(std::string_view key, int value) { Raw(key, absl::StrCat(value)); }
  void Add(std::string_view key, std::size_t value) { Raw(key, absl::StrCat(value)); }
  // An item of the list whose key was written last.
  void Item(const std::vector<std::string>& fields) {
    Line(absl::StrCat("- {", absl::StrJoin(fields, ", "), "}"));
  }
  void Row(const std::vector<std::string>& cells) {
    Line(absl::StrCat("- [", absl::StrJoin(cells, ", "), "]"));
  }
  Lines Child(std::string_view key) {
    Raw(key, "");
    return {out_, depth_ + 1};
  }

 private:
  void Line(const std::string& text) { absl::StrAppend(&out_, std::string(2 * depth_, ' '), text, "\n"); }
  std::string& out_;
  std::size_t depth_;
};

std::string Field(std::string_view key, std::string_view value) {
  return absl::StrCat(AbslView(key), ": ", AbslView(value));
}

void Begin(std::string& out, std::string_view kind, const std::string& name) {
  absl::StrAppend(&out, "apiVersion: ", AbslView(kApiVersion), "\nkind: ", AbslView(kind),
                  "\nmetadata:\n  name: ", QuotedText(name), "\nspec:\n");
}

std::string OffsetText(int minutes) {
  const int size = std::abs(minutes);
  return absl::StrFormat("\"%c%02d:%02d\"", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

void WriteRtt(const RttMatrix& rtt, Lines spec) {
  Lines lines = spec.Child("rtt");
  lines.Raw("matrixMs", "");
  for (RegionId from(0); from.index() < rtt.regions(); from = RegionId(from.index() + 1)) {
    std::vector<std::string> row;
    for (RegionId to(0); to.index() < rtt.regions(); to = RegionId(to.index() + 1)) {
      row.push_back(rtt.estimated(from, to) ? "~" : Digits(static_cast<float>(rtt.ms(from, to))));
    }
    lines.Row(row);
  }
}

void WriteWorld(const Fleet& fleet, std::string& out) {
  Begin(out, "World", fleet.world.name);
  Lines spec(out, 1);
  if (fleet.canary) {
    const auto& [share, period] = *fleet.canary;
    Lines canary = spec.Child("canary");
    canary.Add("share", share);
    canary.Add("for", period);
  }
  spec.Raw("regions", "");
  for (const Region& region : fleet.world.regions) {
    const auto& [name, title, latitude, longitude, offset, population] = region;
    spec.Item({Field("name", QuotedText(name)), Field("title", QuotedText(title)),
               Field("coordinates", absl::StrCat("{latitudeDeg: ", Digits(latitude),
                                                 ", longitudeDeg: ", Digits(longitude), "}")),
               Field("utcOffset", OffsetText(offset)), Field("populationShare", Digits(population))});
  }
  WriteRtt(fleet.world.rtt, spec);
}

void WriteMetrics(const std::vector<MetricSpec>& metrics, Lines& spec) {
  constexpr std::string_view kAggregations[] = {"sum", "mean", "max", "quantile"};
  spec.Raw("metrics", "");
  for (const MetricSpec& metric : metrics) {
    const auto& [name, aggregation, quantile, capacity, per_worker, promql, max_age] = metric;
    std::vector<std::string> fields = {
        Field("name", QuotedText(name)),
        Field("aggregation", kAggregations[static_cast<std::size_t>(aggregation)]),
        Field("capacity", Digits(capacity)),
        Field("capacityPer", per_worker ? "worker" : "region"),
        Field("promql", QuotedText(promql)),
        Field("maxAge", SpanText(max_age))};
    if (aggregation == Aggregation::kQuantile) fields.push_back(Field("quantile", Digits(quantile)));
    spec.Item(fields);
  }
}

void WriteRoute(const RouteSpec& route, Lines& spec) {
  constexpr std::string_view kEscalations[] = {"when-full", "by-load"};
  constexpr std::string_view kIsolations[] = {"local-first", "fill", "level"};
  constexpr std::string_view kRefinements[] = {"off", "swap", "optimal"};
  const auto& [threshold, ceiling_wait, rings, escalation, isolation, refine] = route;
  spec.Add("overloadThreshold", threshold);
  spec.Add("ceilingWait", ceiling_wait);
  spec.Raw("escalation", kEscalations[static_cast<std::size_t>(escalation)]);
  spec.Raw("isolation", isolation ? kIsolations[static_cast<std::size_t>(*isolation)] : "auto");
  spec.Raw("refine", kRefinements[static_cast<std::size_t>(refine)]);
  spec.Raw("rings", rings.empty() ? "[]" : "");
  for (const RingSpec& ring : rings) {
    const auto& [name, rtt_ms_max, unlock_load] = ring;
    spec.Item({Field("name", QuotedText(name)), Field("rttMsMax", Digits(rtt_ms_max)),
               Field("unlockLoad", Digits(unlock_load))});
  }
}

void WriteGuard(const GuardSpec& guard, Lines lines) {
  const auto& [plan_margin, shed_above, clamp_low, clamp_high, refuted_at, hysteresis, step_max, jump_max,
               confirmations, stale_after, missing_after, drain_pace] = guard;
  lines.Add("planMargin", plan_margin);
  lines.Add("shedAbove", shed_above);
  lines.Add("costClampLow", clamp_low);
  lines.Add("costClampHigh", clamp_high);
  lines.Add("refutedAt", refuted_at);
  lines.Add("hysteresis", hysteresis);
  lines.Add("stepMax", step_max);
  lines.Add("jumpMax", jump_max);
  lines.Add("jumpConfirmations", confirmations);
  lines.Add("staleAfter", stale_after);
  lines.Add("missingAfter", missing_after);
  lines.Add("drainPace", drain_pace);
}

void WriteDispatch(const DispatchSpec& dispatch, Lines lines) {
  const auto& [mode, probes, attempts, delay, backoff, budget, spill, waiting] = dispatch;
  lines.Raw("mode", mode == DispatchMode::kLedger ? "ledger" : "probe");
  lines.Add("probesPerRound", probes);
  lines.Add("offersMax", attempts);
  lines.Add("waitingMax", waiting);

  const auto& [busy_min, share_max, span] = delay;
  Lines delays = lines.Child("delay");
  delays.Add("busyMin", busy_min);
  delays.Add("shareMax", share_max);
  delays.Add("span", span);

  const auto& [base, multiplier, cap, jitter] = backoff;
  Lines backoffs = lines.Child("backoff");
  backoffs.Add("base", base);
  backoffs.Add("multiplier", multiplier);
  backoffs.Add("capOfService", cap);
  backoffs.Add("fullJitter", jitter);

  const auto& [budget_share, floor] = budget;
  Lines budgets = lines.Child("retryBudget");
  budgets.Add("share", budget_share);
  budgets.Add("floorPerSecond", floor);

  const auto& [idle_hints, spill_share, keep, wait_min, fade, refused_cost] = spill;
  Lines spills = lines.Child("spill");
  spills.Add("idleHints", idle_hints);
  spills.Add("share", spill_share);
  spills.Add("keep", keep);
  spills.Add("waitMin", wait_min);
  spills.Add("fade", fade);
  spills.Add("refusedCost", refused_cost);
}

void WriteScaling(const ScalingSpec& scaling, Lines lines) {
  const auto& [risk, wait_target, start_up, stable_for, workers_min] = scaling;
  lines.Add("risk", risk);
  lines.Add("waitTarget", wait_target);
  lines.Add("startUp", start_up);
  lines.Add("stableFor", stable_for);
  lines.Add("minWorkers", workers_min);
}

void WriteTierRegions(const World& world, const IdVector<RegionId, TierRegion>& regions, Lines& spec) {
  spec.Raw("regions", "");
  for (RegionId id(0); id != regions.end_id(); id = RegionId(id.index() + 1)) {
    const auto& [workers, reserve_share, import_cap_share, threshold] = regions[id];
    std::vector<std::string> fields = {
        Field("region", QuotedText(world.regions[id].name)), Field("workers", absl::StrCat(workers)),
        Field("reserveShare", Digits(reserve_share)), Field("importCapShare", Digits(import_cap_share))};
    if (threshold > 0) fields.push_back(Field("overloadThreshold", Digits(threshold)));
    spec.Item(fields);
  }
}

void WriteResidency(const World& world, const IdVector<RegionId, std::vector<RegionId>>& forbidden,
                    Lines& spec) {
  spec.Raw("residency", "");
  for (RegionId id(0); id != forbidden.end_id(); id = RegionId(id.index() + 1)) {
    if (forbidden[id].empty()) continue;
    std::vector<std::string> names;
    for (const RegionId target : forbidden[id]) names.push_back(QuotedText(world.regions[target].name));
    spec.Item({Field("from", absl::StrCat("[", QuotedText(world.regions[id].name), "]")),
               Field("forbidden", absl::StrCat("[", absl::StrJoin(names, ", "), "]"))});
  }
}

void WriteTier(const World& world, const Tier& tier, std::string& out) {
  const auto& [name, metrics, priorities, route, guard, dispatch, scaling, service_mean, deadline, regions,
               forbidden] = tier;
  absl::StrAppend(&out, "---\n");
  Begin(out, "Tier", name);
  Lines spec(out, 1);
  spec.Add("serviceMean", service_mean);
  spec.Add("deadline", deadline);
  WriteMetrics(metrics, spec);
  std::vector<std::string> named;
  for (const std::string& priority : priorities) named.push_back(QuotedText(priority));
  spec.Raw("priorities", absl::StrCat("[", absl::StrJoin(named, ", "), "]"));
  WriteRoute(route, spec);
  WriteGuard(guard, spec.Child("guard"));
  WriteDispatch(dispatch, spec.Child("dispatch"));
  if (scaling) WriteScaling(*scaling, spec.Child("scaling"));
  WriteTierRegions(world, regions, spec);
  WriteResidency(world, forbidden, spec);
}

std::string Written(const Fleet& fleet) {
  std::string text;
  WriteWorld(fleet, text);
  for (const Tier& tier : fleet.tiers) WriteTier(fleet.world, tier, text);
  return text;
}

}  // namespace

absl::StatusOr<std::string> TopologyText(const Fleet& fleet) {
  std::string text = Written(fleet);
  const absl::StatusOr<Topology> read = ParseTopology(text, "the fleet as a topology file");
  if (!read.ok()) return read.status();
  Fleet again = *read->fleet;
  for (std::size_t i = 0; i < again.world.regions.size(); ++i) {
    const double share = fleet.world.regions[RegionId(i)].population_share;
    again.world.regions[RegionId(i)].population_share = share;
  }
  if (Written(again) != text)
    return absl::InvalidArgumentError("a topology file cannot say all that this fleet has");
  return text;
}

}  // namespace ringway
