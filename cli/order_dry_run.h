// --dry-run of an order: what it would do, without giving it.
//
// The controller carries the very request out on paper and plans with it (DryRun of the Admin service), so
// the answer is what the order would lead to, its refusal included. A drain of all tiers is shown tier by
// tier. Exit code: 0, or 1 where the order would be refused.
//
// Threads: one owner; blocks for a few calls.
#ifndef RINGWAY_CLI_ORDER_DRY_RUN_H_
#define RINGWAY_CLI_ORDER_DRY_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/operator_action.h"

namespace ringway::cli {

struct DryRunChoice {
  bool wanted = false;
  bool all = false;  // also rows for which nobody asks now
};

// Adds --dry-run and --all.
std::shared_ptr<const DryRunChoice> AddDryRunOption(flags::Command command);

inline void PutOrder(const v1::DrainRegionRequest& order, v1::DryRunRequest& asked) {
  *asked.mutable_drain_order() = order;
}
inline void PutOrder(const v1::SetThresholdRequest& order, v1::DryRunRequest& asked) {
  *asked.mutable_threshold_order() = order;
}
inline void PutOrder(const v1::SetModeRequest& order, v1::DryRunRequest& asked) {
  *asked.mutable_mode_order() = order;
}
inline void PutOrder(const v1::PinRequest& order, v1::DryRunRequest& asked) {
  *asked.mutable_pin_order() = order;
}
inline void PutOrder(const v1::RollbackRequest& order, v1::DryRunRequest& asked) {
  *asked.mutable_rollback_order() = order;
}

// Asks and prints; `names` could be misspelt.
int ShowDryRun(Session& session, v1::DryRunRequest asked, const std::vector<std::string>& names, bool all);

// The order itself, or what it would do.
template <class Request>
int RunOrder(Session& session,
             grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, v1::ActionReply*),
             const Request& request, const DryRunChoice& dry) {
  if (!dry.wanted) return RunAction(session, method, request);
  v1::DryRunRequest asked;
  PutOrder(request, asked);
  asked.set_tier(request.tier());
  return ShowDryRun(session, std::move(asked), NamesIn(request), dry.all);
}

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ORDER_DRY_RUN_H_
