#include "controller/screen/dry_run_document.h"

#include "controller/orders/commands.h"
#include "controller/screen/row_json.h"

namespace ringway::controller {
namespace {

void WriteRegions(const DryRunOutcome& outcome, const World& world, JsonWriter& json) {
  json.Key("regions").BeginArray();
  for (RegionId id(0); id != outcome.after.end_id(); id = RegionId(id.index() + 1)) {
    const RegionStatus& before = outcome.before[id];
    const RegionStatus& after = outcome.after[id];
    json.BeginObject();
    json.Key("name").Text(world.regions[id].name);
    json.Key("demand").Number(after.demand_rps);
    json.Key("home").Number(after.home_load);
    json.Key("before").Number(before.planned_load);
    json.Key("after").Number(after.planned_load);
    json.Key("away_before").Number(before.exported_share);
    json.Key("away_after").Number(after.exported_share);
    json.Key("shed_before").Number(before.shed_share);
    json.Key("shed_after").Number(after.shed_share);
    json.End();
  }
  json.End();
}

void WriteChange(const Row* was, const Row& is, RegionId source, const std::string& priority,
                 const World& world, JsonWriter& json) {
  json.BeginObject();
  json.Key("source").Text(world.regions[source].name);
  json.Key("priority").Text(priority);
  json.Key("shed_before").Number(was != nullptr ? was->shed_fraction : 0);
  json.Key("shed_after").Number(is.shed_fraction);
  json.Key("before");
  WriteRoutes(was != nullptr ? *was : Row(), source, world, json);
  json.Key("after");
  WriteRoutes(is, source, world, json);
  json.End();
}

void WriteChanges(const TierLoop& loop, const TierTable& after, JsonWriter& json) {
  const World& world = loop.fleet().world;
  json.Key("rows").BeginArray();
  for (std::size_t p = 0; p < after.priorities(); ++p) {
    for (RegionId source(0); source != world.regions.end_id(); source = RegionId(source.index() + 1)) {
      const auto priority = static_cast<Priority>(p);
      const Row& is = after.at(priority, source);
      const Row* was = loop.in_force() != nullptr ? &loop.in_force()->at(priority, source) : nullptr;
      if (was != nullptr &&
          DescribeRow(*was, source, world, loop.tier()) == DescribeRow(is, source, world, loop.tier()))
        continue;
      WriteChange(was, is, source, loop.tier().priorities[p], world, json);
    }
  }
  json.End();
}

}  // namespace

absl::StatusOr<std::string> DryRunDocument(const ScreenView& view, std::string_view tier,
                                           const DryRunEdit& edit) {
  const Fleet& fleet = *view.machine.fleet();
  const auto id = FindTier(fleet, tier);
  if (!id.ok()) return id.status();
  const TierLoop& loop = view.machine.tiers()[id->index()];
  const auto outcome = DryRun(loop, edit, view.now);
  if (!outcome.ok()) return outcome.status();
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("tier").Text(loop.tier().name);
  json.Key("threshold_before").Number(loop.tier().route.overload_threshold);
  json.Key("threshold_after").Number(edit.overload_threshold.value_or(loop.tier().route.overload_threshold));
  WriteRegions(*outcome, fleet.world, json);
  WriteChanges(loop, outcome->table, json);
  json.Key("changes").Texts(outcome->changes);
  json.End();
  return json.text();
}

}  // namespace ringway::controller
