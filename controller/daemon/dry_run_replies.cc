#include "controller/daemon/dry_run_replies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controller/daemon/admin_replies.h"
#include "controller/orders/commands.h"
#include "controller/orders/order_preview.h"
#include "controller/orders/room.h"
#include "controller/wire/state_codec.h"
#include "proto/table_codec.h"

namespace ringway::controller {

DryRunEdit EditOf(const v1::DryRunRequest& request) {
  DryRunEdit edit;
  if (request.has_overload_threshold()) edit.overload_threshold = request.overload_threshold();
  for (const std::string& region : request.drain()) edit.drain.emplace_back(region, 1.0);
  edit.drain.insert(edit.drain.end(), request.drain_share().begin(), request.drain_share().end());
  std::sort(edit.drain.begin(), edit.drain.end());
  for (const auto& [region, factor] : request.demand_scale()) edit.demand_scale.emplace_back(region, factor);
  std::sort(edit.demand_scale.begin(), edit.demand_scale.end());
  return edit;
}

namespace {

// Without an order: the settings alone, whatever mode the tier is in.
absl::StatusOr<OrderPreview> WithoutOrder(const TierLoop& loop, const DryRunEdit& edit, Time now) {
  auto outcome = DryRun(loop, edit, now);
  if (!outcome.ok()) return outcome.status();
  auto shortfall = ShortfallOf(loop, edit, now);
  if (!shortfall.ok()) return shortfall.status();
  return OrderPreview{
      .mode = loop.mode(), .shortfall = *std::move(shortfall), .outcome = *std::move(outcome)};
}

}  // namespace

absl::StatusOr<std::optional<OperatorCommand>> OrderOf(const v1::DryRunRequest& request) {
  const auto read = [](auto order) -> absl::StatusOr<std::optional<OperatorCommand>> {
    // A question goes into no audit log, so nobody has to sign it.
    if (order.by().who().empty()) order.mutable_by()->set_who("somebody who asks");
    auto command = CommandOf(order);
    if (!command.ok()) return command.status();
    return std::optional<OperatorCommand>(*std::move(command));
  };
  switch (request.order_case()) {
    case v1::DryRunRequest::kDrainOrder:
      return read(request.drain_order());
    case v1::DryRunRequest::kThresholdOrder:
      return read(request.threshold_order());
    case v1::DryRunRequest::kModeOrder:
      return read(request.mode_order());
    case v1::DryRunRequest::kPinOrder:
      return read(request.pin_order());
    case v1::DryRunRequest::kRollbackOrder:
      return read(request.rollback_order());
    case v1::DryRunRequest::ORDER_NOT_SET:
      break;
  }
  return std::optional<OperatorCommand>();
}

absl::StatusOr<v1::DryRunReply> DryRunReplyOf(const ControllerMachine& machine,
                                              const v1::DryRunRequest& request,
                                              const std::optional<OperatorCommand>& order, Time now) {
  const std::string named = request.tier().empty() && order ? TierOf(*order) : request.tier();
  const auto tier = FindTier(*machine.fleet(), named);
  if (!tier.ok()) return tier.status();
  const auto preview =
      order ? PreviewOrder(machine.tiers(), machine.history(), *order, *tier, EditOf(request), now)
            : WithoutOrder(machine.tiers()[tier->index()], EditOf(request), now);
  if (!preview.ok()) return preview.status();
  const DryRunOutcome& outcome = preview->outcome;

  v1::DryRunReply reply;
  reply.set_refused(preview->refused);
  reply.set_message(preview->message);
  reply.set_mode(std::string(TierModeName(preview->mode)));
  for (const NamedShortfall& here : preview->shortfall) *reply.add_shortfall() = Encode(here);
  const Fleet& fleet = *machine.fleet();
  RoutingTable table;
  if (machine.table() != nullptr) table.version = machine.table()->version;
  table.planned_at = now;
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    table.tiers.push_back(TierTable(id, 0, 0));
  }
  table.tiers[*tier] = outcome.table;
  v1::RoutingTable whole = EncodeWholeTable(table, fleet);
  v1::TierTable only = whole.tiers(static_cast<int>(tier->index()));
  whole.clear_tiers();
  *whole.add_tiers() = std::move(only);
  *reply.mutable_table() = std::move(whole);
  for (RegionId id(0); id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    *reply.add_before() = Encode(outcome.before[id], fleet.world.regions[id], fleet.tiers[*tier]);
    *reply.add_after() = Encode(outcome.after[id], fleet.world.regions[id], fleet.tiers[*tier]);
  }
  for (const std::string& change : outcome.changes) reply.add_changes(change);
  return reply;
}

}  // namespace ringway::controller
