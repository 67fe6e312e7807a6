// The Admin service's DryRun as values: what it is asked to change, and what it answers.
//
// A dry run is of settings (what whatif asks), of an order that is only asked about, or of both. It has a
// call of its own and no flag on the orders: a controller that does not know the order in the question leaves
// it out and answers without a message, so it can never carry it out.
//
// Called on the loop; pure apart from that. Errors: NotFound and InvalidArgument with a sentence for the
// operator.
#ifndef RINGWAY_CONTROLLER_DAEMON_DRY_RUN_REPLIES_H_
#define RINGWAY_CONTROLLER_DAEMON_DRY_RUN_REPLIES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "controller/events.h"
#include "controller/machine.h"
#include "controller/orders/dry_run.h"
#include "core/time.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

// What a dry run is asked to change.
DryRunEdit EditOf(const v1::DryRunRequest& request);
// The order that a dry run is asked about; none: it is of settings alone. Errors: InvalidArgument.
absl::StatusOr<std::optional<OperatorCommand>> OrderOf(const v1::DryRunRequest& request);

// `order`: that of the request, with the table that it names.
absl::StatusOr<v1::DryRunReply> DryRunReplyOf(const ControllerMachine& machine,
                                              const v1::DryRunRequest& request,
                                              const std::optional<OperatorCommand>& order, Time now);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_DRY_RUN_REPLIES_H_
