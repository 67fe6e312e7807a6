#include "core/table.h"

namespace ringway {

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
