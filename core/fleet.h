// The world and its tiers together: what a topology file describes and what a controller tells its routers.
//
// Built by topology/ from YAML, or by proto/ from a FleetMap (which carries the subset that routing needs);
// never edited in place. Ids of regions index world.regions and every per-region vector of each tier; ids of
// tiers index `tiers`. Threads: immutable once published (shared_ptr<const Fleet>).
#ifndef RINGWAY_CORE_FLEET_H_
#define RINGWAY_CORE_FLEET_H_

#include <optional>
#include <string_view>

#include "core/ids.h"
#include "core/tier.h"
#include "core/time.h"
#include "core/world.h"

namespace ringway {

// Settings that shape tables go to a share of the routers first (controller/canary/).
struct CanarySpec {
  double share = 0.1;             // of the routers of each region, one at least
  Duration period = Minutes(10);  // for which they are compared with the others
  friend bool operator==(const CanarySpec&, const CanarySpec&) = default;
};

struct Fleet {
  World world;
  IdVector<TierId, Tier> tiers;
  std::optional<CanarySpec> canary;  // none: a new file is in force everywhere at once

  // Linear; for the edges.
  std::optional<TierId> FindTier(std::string_view tier_name) const {
    for (TierId id(0); id != tiers.end_id(); id = TierId(id.index() + 1)) {
      if (tiers[id].name == tier_name) return id;
    }
    return std::nullopt;
  }
};

}  // namespace ringway

#endif  // RINGWAY_CORE_FLEET_H_
