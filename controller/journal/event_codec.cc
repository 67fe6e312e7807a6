#include "controller/journal/event_codec.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/orders/commands.h"
#include "controller/wire/past_table.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

struct CommandEncoder {
  const Fleet& fleet;
  v1::CommandRecord& out;
  void operator()(const DrainCommand& c) const {
    out.mutable_drain()->set_region(c.region);
    out.mutable_drain()->set_tier(c.tier);
    out.mutable_drain()->set_drain(c.drain);
    if (c.share != 1) out.mutable_drain()->set_share(c.share);
    out.mutable_drain()->set_check_room(c.check_room);
  }
  void operator()(const ThresholdCommand& c) const {
    out.mutable_threshold()->set_tier(c.tier);
    out.mutable_threshold()->set_overload_threshold(c.overload_threshold);
    out.mutable_threshold()->set_region(c.region);
    out.mutable_threshold()->set_clear(c.clear);
  }
  void operator()(const ModeCommand& c) const {
    out.mutable_mode()->set_tier(c.tier);
    out.mutable_mode()->set_mode(std::string(TierModeName(c.mode)));
  }
  void operator()(const PinCommand& c) const {
    v1::PinAsked& pin = *out.mutable_pin();
    pin.set_tier(c.tier);
    pin.set_region(c.region);
    pin.set_pin(c.pin);
    pin.set_priority(c.priority);
    pin.set_shed_fraction(c.shed_fraction);
    for (const PinnedRoute& route : c.routes) {
      pin.add_targets()->set_region(route.target);
      pin.mutable_targets()->rbegin()->set_fraction(route.fraction);
    }
  }
  void operator()(const RollbackCommand& c) const {
    out.mutable_rollback()->set_tier(c.tier);
    out.mutable_rollback()->set_epoch(c.version.epoch);
    out.mutable_rollback()->set_version(c.version.version);
    if (c.table != nullptr) *out.mutable_rollback()->mutable_table() = EncodeWholeTable(*c.table, fleet);
  }
  void operator()(const CanaryCommand& c) const { out.mutable_canary()->set_promote(c.promote); }
};

struct EventEncoder {
  const Fleet& fleet;
  v1::JournalRecord& out;
  void operator()(const Tick&) const { out.mutable_tick(); }
  void operator()(const RouterConnected& e) const {
    out.mutable_connected()->set_stream(e.stream);
    *out.mutable_connected()->mutable_hello() = EncodeHello(e.hello, fleet);
  }
  void operator()(const RouterReported& e) const {
    out.mutable_reported()->set_stream(e.stream);
    *out.mutable_reported()->mutable_report() = EncodeReport(e.report, fleet);
  }
  void operator()(const RouterAcked& e) const {
    out.mutable_acked()->set_stream(e.stream);
    v1::Ack& ack = *out.mutable_acked()->mutable_ack();
    ack.set_epoch(e.version.epoch);
    ack.set_version(e.version.version);
    ack.set_active(e.active);
    ack.set_refusal(e.refusal);
  }
  void operator()(const RouterDisconnected& e) const { out.mutable_disconnected()->set_stream(e.stream); }
  void operator()(const TopologyLoaded& e) const { out.mutable_topology()->set_text(e.text); }
  void operator()(const MetricSampled& e) const {
    v1::MetricRecord& metric = *out.mutable_metric();
    metric.set_tier(fleet.tiers[e.tier].name);
    metric.set_metric(fleet.tiers[e.tier].metrics[e.metric].name);
    metric.set_region(fleet.world.regions[e.region].name);
    metric.set_value(e.value);
    metric.set_age_ns(ToInt64Nanoseconds(e.age));
  }
  void operator()(const OperatorCommand& e) const {
    v1::CommandRecord& command = *out.mutable_command();
    command.set_request(e.request);
    command.set_who(e.who);
    command.set_why(e.why);
    command.set_lasts_ns(ToInt64Nanoseconds(e.lasts));
    std::visit(CommandEncoder{fleet, command}, e.what);
  }
};

absl::StatusOr<ControllerEvent> DecodeMetric(const v1::MetricRecord& record, const Fleet& fleet) {
  const auto tier = FindTier(fleet, record.tier());
  if (!tier.ok()) return tier.status();
  const auto region = FindRegion(fleet, record.region());
  if (!region.ok()) return region.status();
  const auto& metrics = fleet.tiers[*tier].metrics;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].name != record.metric()) continue;
    return MetricSampled{*tier, m, *region, record.value(), Nanoseconds(record.age_ns())};
  }
  return absl::InvalidArgumentError(absl::StrCat("metric '", record.metric(), "' does not exist"));
}

absl::StatusOr<ControllerEvent> DecodeRollback(const v1::RollbackAsked& asked, const Fleet& fleet,
                                               OperatorCommand command) {
  RollbackCommand rollback{.tier = asked.tier(), .version = {asked.epoch(), asked.version()}};
  if (asked.has_table()) {
    auto table = DecodeUnder(asked.table(), fleet);
    if (!table.ok()) return table.status();
    rollback.table = std::make_shared<const RoutingTable>(*std::move(table));
  }
  command.what = std::move(rollback);
  return command;
}

absl::StatusOr<ControllerEvent> DecodeCommand(const v1::CommandRecord& record, const Fleet& fleet) {
  OperatorCommand command{.request = record.request(),
                          .who = record.who(),
                          .why = record.why(),
                          .what = {},
                          .lasts = Nanoseconds(record.lasts_ns())};
  switch (record.what_case()) {
    case v1::CommandRecord::kDrain:
      command.what = DrainCommand{.region = record.drain().region(),
                                  .tier = record.drain().tier(),
                                  .drain = record.drain().drain(),
                                  .share = record.drain().has_share() ? record.drain().share() : 1,
                                  .check_room = record.drain().check_room()};
      return command;
    case v1::CommandRecord::kThreshold:
      command.what = ThresholdCommand{.tier = record.threshold().tier(),
                                      .overload_threshold = record.threshold().overload_threshold(),
                                      .region = record.threshold().region(),
                                      .clear = record.threshold().clear()};
      return command;
    case v1::CommandRecord::kMode: {
      const auto mode = ParseTierMode(record.mode().mode());
      if (!mode) return absl::InvalidArgumentError(absl::StrCat("mode '", record.mode().mode(), "'"));
      command.what = ModeCommand{record.mode().tier(), *mode};
      return command;
    }
    case v1::CommandRecord::kPin: {
      const v1::PinAsked& asked = record.pin();
      PinCommand pin{.tier = asked.tier(),
                     .region = asked.region(),
                     .pin = asked.pin(),
                     .priority = static_cast<Priority>(asked.priority()),
                     .routes = {},
                     .shed_fraction = asked.shed_fraction()};
      for (const v1::PinTarget& target : asked.targets())
        pin.routes.push_back({target.region(), target.fraction()});
      command.what = std::move(pin);
      return command;
    }
    case v1::CommandRecord::kRollback:
      return DecodeRollback(record.rollback(), fleet, std::move(command));
    case v1::CommandRecord::kCanary:
      command.what = CanaryCommand{record.canary().promote()};
      return command;
    case v1::CommandRecord::WHAT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a command record without a command");
}

}  // namespace

v1::JournalRecord EncodeEvent(Time now, const ControllerEvent& event, const Fleet& fleet) {
  v1::JournalRecord record;
  record.set_at_unix_ns(ToUnixNanos(now));
  std::visit(EventEncoder{fleet, record}, event);
  return record;
}

absl::StatusOr<ControllerEvent> DecodeEvent(const v1::JournalRecord& record, const Fleet& fleet,
                                            const FleetReader& read_fleet) {
  switch (record.kind_case()) {
    case v1::JournalRecord::kTick:
      return Tick{};
    case v1::JournalRecord::kConnected: {
      auto hello = DecodeHello(record.connected().hello(), fleet);
      if (!hello.ok()) return hello.status();
      return RouterConnected{record.connected().stream(), *std::move(hello)};
    }
    case v1::JournalRecord::kReported: {
      auto report = DecodeReport(record.reported().report(), fleet);
      if (!report.ok()) return report.status();
      return RouterReported{record.reported().stream(), *std::move(report)};
    }
    case v1::JournalRecord::kAcked: {
      const v1::Ack& ack = record.acked().ack();
      return RouterAcked{record.acked().stream(), {ack.epoch(), ack.version()}, ack.active(), ack.refusal()};
    }
    case v1::JournalRecord::kDisconnected:
      return RouterDisconnected{record.disconnected().stream()};
    case v1::JournalRecord::kTopology: {
      auto read = read_fleet(record.topology().text());
      if (!read.ok()) return read.status();
      return TopologyLoaded{*std::move(read), record.topology().text()};
    }
    case v1::JournalRecord::kMetric:
      return DecodeMetric(record.metric(), fleet);
    case v1::JournalRecord::kCommand:
      return DecodeCommand(record.command(), fleet);
    case v1::JournalRecord::kCheckpoint:
    case v1::JournalRecord::kPlan:
    case v1::JournalRecord::kTable:
    case v1::JournalRecord::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("this record is not an event");
}

std::optional<v1::JournalRecord> EncodeOutcome(Time now, const ControllerAction& action, const Fleet& fleet) {
  v1::JournalRecord record;
  record.set_at_unix_ns(ToUnixNanos(now));
  if (const auto* table = std::get_if<SendTable>(&action); table != nullptr && !table->stream) {
    *record.mutable_table() = wire::EncodeTable(*table->table, fleet);
    return record;
  }
  if (const auto* made = std::get_if<PlanMade>(&action)) {
    v1::PlanRecord& out = *record.mutable_plan();
    out.set_tier(fleet.tiers[made->snapshot->tier].name);
    out.set_changed(made->plan->changed);
    const planner::PlanFacts& facts = made->plan->facts;
    out.set_demand_rps(facts.demand_rps);
    out.set_away_rps(facts.away_rps);
    out.set_shed_rps(facts.shed_rps);
    out.set_rtt_cost(facts.rtt_cost);
    out.set_moves(static_cast<std::uint32_t>(facts.moves));
    for (const planner::Finding& finding : made->plan->findings) out.add_findings(finding.detail);
    return record;
  }
  return std::nullopt;
}

}  // namespace ringway::controller
