// The machine's state as the replies of the Admin service.
//
// Called on the loop; pure apart from that. Errors: NotFound and InvalidArgument with a sentence for the
// operator.
// Every reply names regions, tiers and priorities; indexes refer to the lists in the same message.
#ifndef RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_
#define RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_

#include "absl/status/statusor.h"
#include "controller/daemon/audit_log.h"
#include "controller/events.h"
#include "controller/machine.h"
#include "controller/tiers/region_status.h"
#include "core/time.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

v1::StatusReply StatusReplyOf(const ControllerMachine& machine, Duration uptime, Time now);
absl::StatusOr<v1::RoutingTable> TableReplyOf(const ControllerMachine& machine,
                                              const v1::GetTableRequest& request);
absl::StatusOr<v1::ExplainReply> ExplainReplyOf(const ControllerMachine& machine,
                                                const v1::ExplainRequest& request, Time now);
// Newest first.
v1::AuditReply AuditReplyOf(const AuditLog& audit, const v1::AuditRequest& request);

v1::RegionStatus Encode(const RegionStatus& status, const Region& region, const Tier& tier);
v1::Shortfall Encode(const NamedShortfall& shortfall);
v1::ActionReply ActionReplyOf(const CommandAnswered& answered);

// The request as a command of the machine. Errors: InvalidArgument.
absl::StatusOr<OperatorCommand> CommandOf(const v1::DrainRegionRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::SetThresholdRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::SetModeRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::PinRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::RollbackRequest& request);
absl::StatusOr<OperatorCommand> CommandOf(const v1::CanaryRequest& request);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_ADMIN_REPLIES_H_
