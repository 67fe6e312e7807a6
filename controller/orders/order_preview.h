// What would an order do: it is carried out on a copy of the tiers, and what they would settle on is compared
// with what is in force.
//
// The copy obeys with the code of the order itself (commands.h), so the two cannot differ: an order that
// would be refused is refused here with the same sentence. The table is the one that the loop would come to
// while its inputs stay as they are; paces and step limits lie between (dry_run.h). Of a tier that does not
// follow its plan afterwards the table in force stays, after a rollback the earlier one.
//
// Pure; the tiers are only read. A copy of all tiers, four Solves and as many Planner constructions.
#ifndef RINGWAY_CONTROLLER_ORDERS_ORDER_PREVIEW_H_
#define RINGWAY_CONTROLLER_ORDERS_ORDER_PREVIEW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/orders/commands.h"
#include "controller/orders/dry_run.h"
#include "core/time.h"

namespace ringway::controller {

struct OrderPreview {
  bool refused = false;               // it has no room: the outcome is as it is without the order
  std::string message = {};           // what the operator would be answered
  TierMode mode = TierMode::kActive;  // of the tier afterwards
  std::vector<NamedShortfall> shortfall = {};
  DryRunOutcome outcome = {};
};

// Of the tier `shown`; `edit` comes on top. Errors: those of Carry but for the lack of room, and of DryRun.
absl::StatusOr<OrderPreview> PreviewOrder(const TierLoops& tiers, const TableHistory& history,
                                          const OperatorCommand& order, TierId shown, const DryRunEdit& edit,
                                          Time now);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_ORDERS_ORDER_PREVIEW_H_
