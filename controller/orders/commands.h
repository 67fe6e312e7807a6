// What operators ask for, checked and carried out on the tiers.
//
// A command is done as a whole or refused with a sentence that says what was found, what is allowed and how
// to go on. The sentence of a command that was done says what happens now. The caller writes the audit entry
// and saves the state. An order may have a term, after which it reverts by itself (timed.h). A drain asks for
// room first, where it is told to (room.h).
//
// Pure; O(regions x tiers).
#ifndef RINGWAY_CONTROLLER_ORDERS_COMMANDS_H_
#define RINGWAY_CONTROLLER_ORDERS_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/events.h"
#include "controller/tiers/table_history.h"
#include "controller/tiers/tier_loop.h"
#include "core/time.h"

namespace ringway::controller {

using TierLoops = std::vector<TierLoop>;  // by TierId

// Errors: NotFound (no such tier, region or table), InvalidArgument; FailedPrecondition: a drain has no room,
// and `shortfall` says where.
absl::StatusOr<std::string> Carry(Time now, const OperatorCommand& command, TierLoops& tiers,
                                  const TableHistory& history, std::vector<NamedShortfall>& shortfall);

// One line for the audit log, whether the command was done or not.
std::string Describe(const OperatorCommand& command);

// The tier that it names; empty: it is of all tiers, or of the only one.
std::string TierOf(const OperatorCommand& command);

// "tier 'x' does not exist; there are: a, b". An empty name finds the only tier.
absl::StatusOr<TierId> FindTier(const Fleet& fleet, std::string_view name);
absl::StatusOr<RegionId> FindRegion(const Fleet& fleet, std::string_view name);

// The row that a pin stands for. Errors: as Carry.
absl::StatusOr<Row> PinnedRow(const Fleet& fleet, const Tier& tier, RegionId source,
                              const std::vector<PinnedRoute>& routes, double shed_fraction);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_ORDERS_COMMANDS_H_
