#include "controller/daemon/admin_replies.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/daemon/build.h"
#include "controller/orders/commands.h"
#include "controller/orders/room.h"
#include "controller/tiers/region_status.h"
#include "controller/wire/state_codec.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

constexpr std::uint32_t kAuditDefault = 50;
constexpr int kFindingsShown = 200;
constexpr std::size_t kTextBytesMax = 1000;

void AddOrders(const TierLoop& loop, Time now, v1::TierStatus& out) {
  for (RegionId id(0); id != loop.fleet().world.regions.end_id(); id = RegionId(id.index() + 1)) {
    v1::RegionStatus& region = *out.mutable_regions(static_cast<int>(id.index()));
    region.set_overload_threshold(OverloadThreshold(loop.tier(), id));
    region.set_drain_goal(loop.region(id).drain.goal);
  }
  // The end as a date of the wall clock, which may have been set since the order was given.
  const Time wall = runtime::WallNow();
  for (const PendingOrder& order : loop.orders().Pending(loop.fleet(), loop.tier())) {
    const Duration left = order.term.until - now;
    v1::TimedOrder* timed = out.add_timed();
    timed->set_region(order.region);
    timed->set_what(order.what);
    timed->set_then(order.then);
    timed->set_until_unix_us(ToUnixMicros(wall + left));
    timed->set_left_s(ToDoubleSeconds(left));
    timed->set_who(order.term.who);
  }
}

std::string FindingText(const planner::Finding& finding, const Tier& tier, const World& world) {
  return absl::StrCat(tier.name, finding.region.valid() ? " " + world.regions[finding.region].name : "", ": ",
                      std::string(planner::FindingKindName(finding.kind)), ": ", finding.detail);
}

std::vector<std::string> FindingsOf(const TierLoop& loop, std::optional<RegionId> region) {
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<planner::Finding>& findings) {
    for (const planner::Finding& finding : findings) {
      if (region && finding.region.valid() && finding.region != *region) continue;
      lines.push_back(FindingText(finding, loop.tier(), loop.fleet().world));
    }
  };
  add(loop.findings());
  if (loop.plan() != nullptr) add(loop.plan()->findings);
  return lines;
}

void NameLeaders(const LeaderRegistry::Leaders& leaders, TierId tier, v1::TierStatus& out) {
  for (RegionId id(0); id != leaders.end_id(); id = RegionId(id.index() + 1)) {
    for (const LeaderEntry& leader : leaders[id]) {
      if (leader.tier != tier || leader.router.empty()) continue;
      v1::RegionStatus& region = *out.mutable_regions(static_cast<int>(id.index()));
      region.set_leader(leader.router);
      region.set_leader_epoch(leader.fence.leader_epoch);
      region.set_leader_appointment(leader.fence.appointment);
    }
  }
}

v1::TierStatus TierStatusOf(const TierLoop& loop, Time now) {
  v1::TierStatus out;
  out.set_tier(loop.tier().name);
  out.set_mode(std::string(TierModeName(loop.mode())));
  out.set_overload_threshold(loop.tier().route.overload_threshold);
  for (const RingSpec& ring : loop.tier().route.rings) out.add_rings(ring.name);
  for (const std::string& priority : loop.tier().priorities) out.add_priorities(priority);
  const World& world = loop.fleet().world;
  const TierSnapshot snapshot = loop.Unpinned(now);
  double demand_rps = 0, home_rps = 0, shed_rps = 0;
  for (RegionId id(0); id != world.regions.end_id(); id = RegionId(id.index() + 1)) {
    const RegionStatus status =
        StatusUnder(loop, snapshot, loop.plan().get(), loop.in_force().get(), id, now);
    demand_rps += status.demand_rps;
    shed_rps += status.demand_rps * status.shed_share;
    home_rps += status.demand_rps * (1 - status.exported_share - status.shed_share);
    *out.add_regions() = Encode(status, world.regions[id], loop.tier());
  }
  AddOrders(loop, now, out);
  out.set_home_share(demand_rps > 0 ? home_rps / demand_rps : 1);
  out.set_shed_rps(shed_rps);
  if (loop.plan() != nullptr) {
    out.set_rtt_cost(loop.plan()->facts.rtt_cost);
    out.set_rtt_cost_optimal(loop.plan()->facts.rtt_cost_optimal);
  }
  return out;
}

std::uint64_t Whole(double count) { return static_cast<std::uint64_t>(std::llround(count)); }

v1::CanaryStatus CanaryStatusOf(const canary::Trial& trial) {
  const canary::TrialState& state = trial.state();
  v1::CanaryStatus out;
  out.set_phase(std::string(canary::PhaseName(state.phase)));
  out.set_id(state.id);
  out.set_reason(state.reason);
  for (const std::string& change : state.changes) out.add_changes(change);
  out.set_share(state.spec.share);
  out.set_period_s(ToDoubleSeconds(state.spec.period));
  out.set_elapsed_s(state.elapsed_s);
  for (const std::string& router : state.chosen) out.add_chosen(router);
  for (const auto& [tier, evidence] : state.evidence) {
    const canary::Evidence::State& seen = evidence.state();
    v1::CanaryTier& figures = *out.add_tiers();
    figures.set_tier(tier);
    figures.set_judged_s(seen.judged_s);
    figures.set_before_done(Whole(seen.before.done));
    figures.set_before_lost(Whole(seen.before.lost));
    figures.set_during_done(Whole(seen.during.done));
    figures.set_during_lost(Whole(seen.during.lost));
    figures.set_chosen_done(Whole(seen.chosen.done));
    figures.set_chosen_lost(Whole(seen.chosen.lost));
    figures.set_rest_done(Whole(seen.rest.done));
    figures.set_rest_lost(Whole(seen.rest.lost));
    figures.set_expected_lost(seen.expected_lost);
  }
  out.set_table_epoch(state.table.epoch);
  out.set_table_version(state.table.version);
  out.set_waits_for(trial.waits_for());
  return out;
}

absl::Status CheckTexts(const OperatorCommand& command) {
  if (command.who.empty()) {
    return absl::InvalidArgumentError("by.who is empty: say who asks, it goes into the audit log");
  }
  if (command.who.size() > kTextBytesMax || command.why.size() > kTextBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("by.who and by.why have at most ", kTextBytesMax, " bytes"));
  }
  return absl::OkStatus();
}

// How long an order counts, from a request; zero: until it is changed. The machine checks the bounds.
absl::StatusOr<Duration> LastsOf(double for_s) {
  if (!std::isfinite(for_s) || for_s < 0) {
    return absl::InvalidArgumentError(absl::StrCat("for_s is ", for_s, ": seconds from 0 are allowed"));
  }
  return Trunc(Seconds(for_s), Nanoseconds(1));
}

template <class What>
absl::StatusOr<OperatorCommand> Command(const v1::Operator& by, double for_s, What what) {
  OperatorCommand command{.request = 0, .who = by.who(), .why = by.why(), .what = std::move(what)};
  const auto lasts = LastsOf(for_s);
  if (!lasts.ok()) return lasts.status();
  command.lasts = *lasts;
  if (absl::Status s = CheckTexts(command); !s.ok()) return s;
  return command;
}

}  // namespace

v1::RegionStatus Encode(const RegionStatus& status, const Region& region, const Tier& tier) {
  v1::RegionStatus out;
  out.set_region(region.name);
  if (region.title != region.name) out.set_title(region.title);
  out.set_workers(static_cast<std::uint32_t>(status.workers));
  out.set_workers_seen(static_cast<std::uint32_t>(status.workers_seen));
  if (status.workers_wanted) out.set_workers_wanted(static_cast<std::uint32_t>(*status.workers_wanted));
  out.set_load(status.load);
  out.set_planned_load(status.planned_load);
  out.set_home_load(status.home_load);
  out.set_demand_rps(status.demand_rps);
  for (std::size_t p = 0; p < tier.priorities.size(); ++p) {
    out.add_demand_by_priority_rps(status.demand_by_priority_rps[p]);
  }
  out.set_served_rps(status.served_rps);
  out.set_exported_share(status.exported_share);
  out.set_load_cost(status.load_cost);
  out.set_load_cost_low(status.load_cost_low);
  out.set_load_cost_high(status.load_cost_high);
  out.set_health(std::string(InputHealthName(status.health)));
  out.set_drain_share(status.drain_share);
  out.set_pinned(status.pinned);
  return out;
}

v1::Shortfall Encode(const NamedShortfall& shortfall) {
  v1::Shortfall out;
  out.set_tier(shortfall.tier);
  out.set_region(shortfall.region);
  out.set_over_rps(shortfall.over_rps);
  out.set_refused_rps(shortfall.refused_rps);
  return out;
}

v1::ActionReply ActionReplyOf(const CommandAnswered& answered) {
  v1::ActionReply reply;
  reply.set_done(answered.done);
  reply.set_message(answered.message);
  for (const NamedShortfall& here : answered.shortfall) *reply.add_shortfall() = Encode(here);
  return reply;
}

v1::StatusReply StatusReplyOf(const ControllerMachine& machine, Duration uptime, Time now) {
  v1::StatusReply reply;
  reply.set_controller(machine.settings().name);
  reply.set_build(kBuild);
  reply.set_world(machine.fleet()->world.name);
  reply.set_epoch(machine.epoch());
  reply.set_version(machine.table() != nullptr ? machine.table()->version.version : 0);
  reply.set_uptime_s(ToDoubleSeconds(uptime));
  reply.set_epoch_period_s(ToDoubleSeconds(machine.settings().epoch_period));
  for (const auto& [name, router] : machine.view().routers()) {
    v1::RouterStatus* out = reply.add_routers();
    out->set_name(name);
    out->set_region(machine.fleet()->world.regions[router.hello.region].name);
    out->set_address(router.hello.address);
    const bool reported = router.reported_at != InfinitePast();
    out->set_report_age_s(reported ? ToDoubleSeconds(now - router.reported_at) : -1);
    out->set_table_epoch(router.active.epoch);
    out->set_table_version(router.active.version);
  }
  for (const TierLoop& loop : machine.tiers()) {
    *reply.add_tiers() = TierStatusOf(loop, now);
    NameLeaders(machine.leaders(), loop.id(), *reply.mutable_tiers()->rbegin());
    for (std::string& line : FindingsOf(loop, std::nullopt)) {
      if (reply.findings_size() < kFindingsShown) reply.add_findings(std::move(line));
    }
  }
  if (!machine.trial().state().in_force.empty()) *reply.mutable_canary() = CanaryStatusOf(machine.trial());
  const Fleet& fleet = *machine.fleet();
  const auto corrected = machine.measured_rtt().InUse(machine.loaded_fleet()->world.rtt, fleet.world.rtt);
  if (!corrected.empty()) {
    reply.add_findings(
        absl::StrCat("round trips are measured to be others than the topology says, and used: ",
                     DescribeCorrections(corrected, fleet.world)));
  }
  return reply;
}

absl::StatusOr<v1::RoutingTable> TableReplyOf(const ControllerMachine& machine,
                                              const v1::GetTableRequest& request) {
  if (machine.table() == nullptr) {
    return absl::FailedPreconditionError("no table is in force yet: the regions are still being heard of");
  }
  v1::RoutingTable table = EncodeWholeTable(*machine.table(), *machine.fleet());
  if (request.tier().empty()) return table;
  const auto tier = FindTier(*machine.fleet(), request.tier());
  if (!tier.ok()) return tier.status();
  v1::TierTable only = table.tiers(static_cast<int>(tier->index()));
  table.clear_tiers();
  *table.add_tiers() = std::move(only);
  return table;
}

absl::StatusOr<v1::ExplainReply> ExplainReplyOf(const ControllerMachine& machine,
                                                const v1::ExplainRequest& request, Time now) {
  const auto tier = FindTier(*machine.fleet(), request.tier());
  if (!tier.ok()) return tier.status();
  const auto region = FindRegion(*machine.fleet(), request.region());
  if (!region.ok()) return region.status();
  const TierLoop& loop = machine.tiers()[tier->index()];
  v1::ExplainReply reply;
  *reply.mutable_region() =
      Encode(StatusOf(loop, *region, now), machine.fleet()->world.regions[*region], loop.tier());
  for (std::string& line : ExplainRegion(loop, *region, now)) reply.add_lines(std::move(line));
  for (std::string& line : FindingsOf(loop, *region)) reply.add_findings(std::move(line));
  if (machine.table() == nullptr) return reply;
  v1::GetTableRequest table;
  table.set_tier(loop.tier().name);
  *reply.mutable_table() = *TableReplyOf(machine, table);
  for (std::size_t p = 0; p < loop.tier().priorities.size(); ++p) {
    const auto priority = static_cast<Priority>(p);
    wire::EncodeRow(machine.table()->tiers[*tier].at(priority, *region), priority, *region, reply.add_rows());
  }
  return reply;
}

v1::AuditReply AuditReplyOf(const AuditLog& audit, const v1::AuditRequest& request) {
  v1::AuditReply reply;
  const std::uint32_t limit = request.limit() > 0 ? request.limit() : kAuditDefault;
  for (auto entry = audit.entries().rbegin(); entry != audit.entries().rend(); ++entry) {
    if (reply.entries_size() >= static_cast<int>(std::min<std::uint32_t>(limit, AuditLog::kKept))) break;
    v1::AuditEntry* out = reply.add_entries();
    out->set_at_unix_us(ToUnixMicros(entry->at));
    out->set_who(entry->who);
    out->set_why(entry->why);
    out->set_action(entry->action);
    out->set_order(entry->order);
  }
  return reply;
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::DrainRegionRequest& request) {
  return Command(request.by(), request.for_s(),
                 DrainCommand{.region = request.region(),
                              .tier = request.tier(),
                              .drain = request.drain(),
                              .share = request.has_share() ? request.share() : 1,
                              .check_room = !request.force()});
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::SetThresholdRequest& request) {
  return Command(request.by(), request.for_s(),
                 ThresholdCommand{.tier = request.tier(),
                                  .overload_threshold = request.overload_threshold(),
                                  .region = request.region(),
                                  .clear = request.clear()});
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::SetModeRequest& request) {
  const auto mode = ParseTierMode(request.mode());
  if (!mode) {
    return absl::InvalidArgumentError(
        absl::StrCat("mode is '", request.mode(), "': active, observe and frozen are allowed"));
  }
  return Command(request.by(), request.for_s(), ModeCommand{request.tier(), *mode});
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::PinRequest& request) {
  if (request.row().priority() >= kMaxPriorities) {
    return absl::InvalidArgumentError(absl::StrCat("row.priority is ", request.row().priority(), ": 0 to ",
                                                   kMaxPriorities - 1, " are allowed"));
  }
  PinCommand pin{.tier = request.tier(),
                 .region = request.region(),
                 .pin = request.pin(),
                 .priority = static_cast<Priority>(request.row().priority()),
                 .routes = {},
                 .shed_fraction = request.row().shed_fraction()};
  for (const v1::Route& route : request.row().routes()) {
    if (static_cast<int>(route.target()) >= request.regions_size()) {
      return absl::InvalidArgumentError(absl::StrCat("row.routes: target ", route.target(),
                                                     " is not an index into `regions`, which has ",
                                                     request.regions_size(), " names"));
    }
    pin.routes.push_back({request.regions(static_cast<int>(route.target())), route.fraction()});
  }
  return Command(request.by(), request.for_s(), std::move(pin));
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::RollbackRequest& request) {
  const bool by_version = request.epoch() != 0 || request.version() != 0;
  if (by_version == (request.at_unix_us() != 0)) {
    return absl::InvalidArgumentError("name the table either by epoch and version or by at_unix_us");
  }
  return Command(request.by(), request.for_s(),
                 RollbackCommand{.tier = request.tier(), .version = {request.epoch(), request.version()}});
}

absl::StatusOr<OperatorCommand> CommandOf(const v1::CanaryRequest& request) {
  return Command(request.by(), 0, CanaryCommand{request.promote()});
}

}  // namespace ringway::controller
