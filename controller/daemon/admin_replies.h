// The machine's state as the replies of the Admin service.
//
// Called on the loop; pure apart from that. Errors: NotFound and InvalidArgument with a sentence for the
// operator.
// Every reply names regions, tiers and priorities; indexes refer to the lists in the same message.
#ifndef RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_
#define RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/daemon/audit_log.h"
#include "controller/dry_run.h"
#include "controller/events.h"
#include "controller/machine.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

v1::StatusReply StatusReplyOf(const ControllerMachine& machine, absl::Duration uptime, absl::Time now);
absl::StatusOr<v1::RoutingTable> TableReplyOf(const ControllerMachine& machine,
                                              const v1::GetTableRequest& request);
absl::StatusOr<v1::ExplainReply> ExplainReplyOf(const ControllerMachine& machine,
                                                const v1::ExplainRequest& request, absl::Time now);
// `order`: that of the request, with the table that it names.
absl::StatusOr<v1::DryRunReply> DryRunReplyOf(const ControllerMachine& machine,
                                              const v1::DryRunRequest& request,
                                              const std::optional<OperatorCommand>& order, absl::Time now);
// Newest first.
v1::AuditReply AuditReplyOf(const AuditLog& audit, const v1::AuditRequest& request);

v1::Shortfall Encode(const NamedShortfall& shortfall);
v1::ActionReply ActionReplyOf(const CommandAnswered& answered);

// What a dry run is asked to change.
DryRunEdit EditOf(const v1::DryRunRequest& request);
// The order that a dry run is asked about; none: it is of settings alone. Errors: InvalidArgument.
absl::StatusOr<std::optional<OperatorCommand>> OrderOf(const v1::DryRunRequest& request);

// The request as a command of the machine. Errors: InvalidArgument.
absl::StatusOr<OperatorCommand> CommandOf(const v1::DrainRegionRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::SetThresholdRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::SetModeRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::PinRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::RollbackRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::CanaryRequest& request);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_
