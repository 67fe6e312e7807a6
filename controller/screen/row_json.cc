#include "controller/screen/row_json.h"

#include "controller/planner/rows.h"

namespace ringway::controller {

void WriteRoutes(const Row& row, RegionId source, const World& world, JsonWriter& json) {
  json.BeginArray();
  for (const Route& route : row.routes) {
    json.BeginObject();
    json.Key("target").Text(world.regions[route.target].name);
    json.Key("share").Number(route.fraction);
    json.Key("reason").Text(RouteReasonName(route.reason));
    if (route.target != source) {
      json.Key("ring").Integer(route.ring);
      if (planner::OpenedByLoad(route.reason)) json.Key("unlock_load").Number(route.unlock_load);
      json.Key("rtt_ms").Number(world.rtt.ms(source, route.target));
    }
    json.End();
  }
  json.End();
}

void WriteRow(const Row& row, RegionId source, const std::string& priority, const World& world,
              JsonWriter& json) {
  json.BeginObject();
  json.Key("source").Text(world.regions[source].name);
  json.Key("priority").Text(priority);
  json.Key("shed").Number(row.shed_fraction);
  json.Key("routes");
  WriteRoutes(row, source, world, json);
  json.End();
}

}  // namespace ringway::controller
