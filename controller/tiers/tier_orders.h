// What operators have ordered of one tier, for good or for a while: mode, thresholds, drains, pins.
//
// The loop of the tier obeys what counts now (tier_loop.h); here is only what was ordered, and when it ends.
// Each can say itself in words, because whoever looks at a timed order wants to know what will be then.
//
// Plain values in ids of one fleet; time is an argument. Bounds: one of each a tier, region, and pair of
// region and priority. Expire and Pending are linear in them.
#ifndef RINGWAY_CONTROLLER_TIERS_TIER_ORDERS_H_
#define RINGWAY_CONTROLLER_TIERS_TIER_ORDERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/tiers/timed.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/table.h"
#include "core/time.h"

namespace ringway::controller {

enum class TierMode : std::uint8_t {
  kActive,   // plan and push
  kObserve,  // plan and show; the table in force stays
  kFrozen,   // the table in force stays, as after a rollback
};
std::string_view TierModeName(TierMode mode);
std::optional<TierMode> ParseTierMode(std::string_view name);

using PinKey = std::pair<RegionId, Priority>;

// A timed order in words.
struct PendingOrder {
  std::string region;  // empty: of the whole tier
  std::string what;    // "drained by 50 %"
  std::string then;    // what counts again: "serves fully"
  Term term;
};

struct TierOrders {
  Timed<TierMode> mode;
  Timed<std::optional<double>> threshold;  // none: the topology's
  IdVector<RegionId, Timed<std::optional<double>>>
      thresholds;                                    // of a region; none: the topology's, else the tier's
  IdVector<RegionId, Timed<double>> drains;          // share that is taken out of use
  std::map<PinKey, Timed<std::optional<Row>>> pins;  // none: the plan's

  // Those whose term goes on.
  std::vector<PendingOrder> Pending(const Fleet& fleet, const Tier& tier) const;
  // Ends what is over; what ended, in words.
  std::vector<PendingOrder> Expire(Time now, const Fleet& fleet, const Tier& tier);
  friend bool operator==(const TierOrders&, const TierOrders&) = default;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TIER_ORDERS_H_
