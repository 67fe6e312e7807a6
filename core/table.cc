#include "core/table.h"

namespace ringway {

std::string_view RouteReasonName(RouteReason reason) {
  switch (reason) {
    case RouteReason::kHome:
      return "home";
    case RouteReason::kOverload:
      return "overload";
    case RouteReason::kDisplaced:
      return "displaced";
    case RouteReason::kDrain:
      return "drain";
    case RouteReason::kNoWorkers:
      return "no-workers";
    case RouteReason::kLevel:
      return "level";
    case RouteReason::kPinned:
      return "pinned";
  }
  return "unknown";
}

TierTable HomeTable(TierId tier, std::size_t regions, std::size_t priorities) {
  TierTable table(tier, regions, priorities);
  for (std::size_t p = 0; p < priorities; ++p) {
    for (std::size_t r = 0; r < regions; ++r) {
      table.at(static_cast<Priority>(p), RegionId(r))
          .routes.push_back({.target = RegionId(r), .fraction = 1});
    }
  }
  return table;
}

}  // namespace ringway
