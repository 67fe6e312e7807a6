#include "router/wire/control_codec.h"

#include <cstddef>

#include "core/time.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

constexpr double kReportPeriodMax_s = 3600;

}  // namespace

v1::Hello EncodeHello(const Introduction& own) {
  v1::Hello hello;
  hello.set_wire_version(wire::kWireVersion);
  hello.set_router(own.router);
  hello.set_region(own.region);
  hello.set_address(own.address);
  hello.set_table_epoch(own.table.epoch);
  hello.set_table_version(own.table.version);
  hello.set_build(own.build);
  hello.set_incarnation(own.incarnation);
  return hello;
}

v1::Report EncodeReport(const SendReport& report, const Fleet& fleet, const IdVector<TierId, bool>& retired) {
  v1::Report out;
  out.set_wire_version(wire::kWireVersion);
  out.set_sequence(report.sequence);
  out.set_period_s(ToDoubleSeconds(report.period));
  out.set_table_epoch(report.table.epoch);
  out.set_table_version(report.table.version);
  out.set_epoch_seen_max(report.epoch_seen_max);
  out.set_view_epoch(report.view.epoch);
  out.set_view_version(report.view.version);
  for (TierId t(0); t.index() < report.tiers.size(); t = TierId(t.index() + 1)) {
    if (retired.contains(t) && retired[t]) continue;
    const dispatch::TrafficCounters& c = report.tiers[t].counters;
    v1::TierReport& tier = *out.add_tiers();
    tier.set_tier(fleet.tiers[t].name);
    for (std::size_t p = 0; p < fleet.tiers[t].priorities.size(); ++p) tier.add_entered(c.entered[p]);
    for (RegionId r(0); r.index() < c.sent.size(); r = RegionId(r.index() + 1)) {
      if (c.sent[r] == 0) continue;
      v1::Sent& sent = *tier.add_sent();
      sent.set_region(fleet.world.regions[r].name);
      sent.set_count(c.sent[r]);
    }
    tier.set_done(c.done);
    tier.set_offers(c.attempts);
    tier.set_busy(c.busy);
    tier.set_failed(c.failed);
    tier.set_timeouts(c.timeouts);
    tier.set_cancelled(c.cancelled);
    tier.set_shed(c.shed);
    tier.set_spilled(c.spilled);
    tier.set_waiting(report.tiers[t].waiting);
    tier.set_wait_s_sum(ToDoubleSeconds(c.wait));
    tier.set_service_s_sum(ToDoubleSeconds(c.service));
    tier.set_ran(c.ran);
    tier.set_held_s_sum(ToDoubleSeconds(c.held));
    tier.set_own_done(c.own_done);
    tier.set_own_lost(c.own_lost);
    tier.set_leader_epoch(report.tiers[t].appointment.leader_epoch);
    tier.set_leader_appointment(report.tiers[t].appointment.appointment);
  }
  return out;
}

v1::WorkerReport EncodeWorker(const WorkerReported& seen, const WorkerTold& told) {
  v1::WorkerReport out;
  out.set_name(told.name);
  out.set_tier(told.tier);
  out.set_address(told.address);
  out.set_healthy(seen.healthy);
  out.set_draining(seen.draining);
  out.set_busy(seen.busy ? 1 : 0);
  out.set_adopted(seen.adopted);
  out.set_busy_s(ToDoubleSeconds(seen.busy_time));
  return out;
}

v1::RoundTrip EncodeRoundTrip(const RoundTrip& trip, const World& world) {
  v1::RoundTrip out;
  out.set_region(world.regions[trip.to].name);
  out.set_ms(ToDoubleMilliseconds(trip.time));
  return out;
}

v1::Ack EncodeAck(const TableDecided& decided) {
  v1::Ack ack;
  ack.set_epoch(decided.version.epoch);
  ack.set_version(decided.version.version);
  ack.set_active(decided.active);
  ack.set_refusal(decided.refusal);
  return ack;
}

absl::StatusOr<ControllerWelcomed> DecodeWelcome(const v1::Welcome& message) {
  if (absl::Status s = wire::CheckWireVersion(message.wire_version(), "Welcome"); !s.ok()) return s;
  const double period_s = message.report_period_s();
  return ControllerWelcomed{
      .epoch = message.epoch(),
      .report_period = Seconds(period_s > 0 && period_s < kReportPeriodMax_s ? period_s : 1)};
}

}  // namespace ringway::router
