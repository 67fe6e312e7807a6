#include "controller/screen/documents.h"
#include "controller/screen/row_json.h"

namespace ringway::controller {
namespace {

bool StaysHome(const Row& row, RegionId source) {
  return row.shed_fraction == 0 && row.routes.size() == 1 && row.routes[0].target == source &&
         row.routes[0].reason == RouteReason::kHome;
}

}  // namespace

std::string TableDocument(const ScreenView& view) {
  const RoutingTable* table = view.machine.table().get();
  const Fleet& fleet = *view.machine.fleet();
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  if (table == nullptr) {
    json.Key("version").Raw("null");
    json.Key("tiers").BeginArray().End().End();
    return json.text();
  }
  json.Key("epoch").Integer(static_cast<std::int64_t>(table->version.epoch));
  json.Key("version").Integer(static_cast<std::int64_t>(table->version.version));
  json.Key("planned_ms").Integer(ToUnixMillis(view.wall - (view.now - table->planned_at)));
  json.Key("tiers").BeginArray();
  for (const TierTable& tier : table->tiers) {
    const Tier& settings = fleet.tiers[tier.tier()];
    json.BeginObject();
    json.Key("name").Text(settings.name);
    json.Key("rows").BeginArray();
    for (std::size_t p = 0; p < tier.priorities(); ++p) {
      for (RegionId source(0); source.index() < tier.regions(); source = RegionId(source.index() + 1)) {
        const Row& row = tier.at(static_cast<Priority>(p), source);
        if (!StaysHome(row, source)) WriteRow(row, source, settings.priorities[p], fleet.world, json);
      }
    }
    json.End().End();
  }
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
