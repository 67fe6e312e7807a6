#include "controller/orders/order_preview.h"

#include <utility>

#include "controller/orders/room.h"

namespace ringway::controller {

absl::StatusOr<OrderPreview> PreviewOrder(const TierLoops& tiers, const TableHistory& history,
                                          const OperatorCommand& order, TierId shown, const DryRunEdit& edit,
                                          Time now) {
  TierLoops ordered = tiers;
  std::vector<NamedShortfall> no_room;
  const absl::StatusOr<std::string> carried = Carry(now, order, ordered, history, no_room);
  const bool refused = absl::IsFailedPrecondition(carried.status());
  if (!carried.ok() && !refused) return carried.status();
  const TierLoop& was = tiers[shown.index()];
  const TierLoop& is = refused ? was : ordered[shown.index()];
  auto outcome = DryRunBetween(was, is, edit, now);
  if (!outcome.ok()) return outcome.status();
  OrderPreview preview{.refused = refused,
                       .message = refused ? std::string(carried.status().message()) : *carried,
                       .mode = is.mode(),
                       .shortfall = std::move(no_room),
                       .outcome = *std::move(outcome)};
  if (refused) return preview;
  auto shortfall = ShortfallBetween(was, is, edit, now);
  if (!shortfall.ok()) return shortfall.status();
  preview.shortfall = *std::move(shortfall);
  return preview;
}

}  // namespace ringway::controller
