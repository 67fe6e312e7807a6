// One row of a routing table as JSON, the same wherever a row is shown.
//
// {source, priority, shed, routes: [{target, share, reason, ring, unlock_load, rtt_ms}]}; ring and rtt_ms
// only where the target is another region, unlock_load only where a load opened the ring. The order of the
// routes is the row's: home first, then by ring and RTT.
//
// Pure; linear in the routes.
#ifndef RINGWAY_CONTROLLER_SCREEN_ROW_JSON_H_
#define RINGWAY_CONTROLLER_SCREEN_ROW_JSON_H_

#include <string>

#include "core/json.h"
#include "core/table.h"
#include "core/world.h"

namespace ringway::controller {

void WriteRow(const Row& row, RegionId source, const std::string& priority, const World& world,
              JsonWriter& json);
// The list alone, as a value.
void WriteRoutes(const Row& row, RegionId source, const World& world, JsonWriter& json);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_ROW_JSON_H_
