#include "controller/wire/report_codec.h"

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/address.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kNameBytesMax = 256;
constexpr double kPeriodMax_s = 3600;
constexpr double kRoundTripMax_ms = 60'000;
// Counts beyond this in one period are not traffic but a mistake.
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 40;

absl::Status BadReport(const std::string& place, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", problem));
}

absl::Status CheckName(const std::string& place, const std::string& name) {
  if (!name.empty() && name.size() <= kNameBytesMax) return absl::OkStatus();
  return BadReport(place,
                   absl::StrCat("a name of ", name.size(), " bytes; 1 to ", kNameBytesMax, " are allowed"));
}

absl::Status CheckAddress(const std::string& place, const std::string& address) {
  if (IsCallable(address)) return absl::OkStatus();
  return BadReport(
      place, absl::StrCat("'", absl::CHexEscape(address.substr(0, kNameBytesMax)), "'; ", kCallableForm));
}

bool SaneSum(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

absl::StatusOr<TierCounts> DecodeCounts(const v1::TierReport& message, TierId id, const Fleet& fleet) {
  const std::string place = absl::StrCat("Report.tiers['", message.tier(), "']");
  TierCounts counts{.tier = id, .entered = {}, .sent = {}};
  if (message.entered_size() > static_cast<int>(fleet.tiers[id].priorities.size())) {
    return BadReport(place, absl::StrCat("entered has ", message.entered_size(), " priorities, the tier has ",
                                         fleet.tiers[id].priorities.size()));
  }
  for (int p = 0; p < message.entered_size(); ++p) {
    if (message.entered(p) > kCountMax) return BadReport(place, "entered is beyond any sense");
    counts.entered[static_cast<std::size_t>(p)] = message.entered(p);
  }
  if (message.sent_size() > static_cast<int>(fleet.world.regions.size())) {
    return BadReport(place, absl::StrCat("sent names ", message.sent_size(), " regions, there are ",
                                         fleet.world.regions.size()));
  }
  for (const v1::Sent& sent : message.sent()) {
    if (sent.count() > kCountMax) return BadReport(place, "sent is beyond any sense");
    if (const auto target = fleet.world.FindRegion(sent.region())) {
      counts.sent.push_back({*target, sent.count()});
    }
  }
  if (!SaneSum(message.wait_s_sum()) || !SaneSum(message.service_s_sum()) || !SaneSum(message.held_s_sum())) {
    return BadReport(place, "wait_s_sum, service_s_sum and held_s_sum must be finite and not negative");
  }
  counts.done = message.done();
  counts.offers = message.offers();
  counts.busy = message.busy();
  counts.failed = message.failed();
  counts.timeouts = message.timeouts();
  counts.cancelled = message.cancelled();
  counts.shed = message.shed();
  counts.spilled = message.spilled();
  counts.waiting = message.waiting();
  counts.wait_s_sum = message.wait_s_sum();
  counts.service_s_sum = message.service_s_sum();
  counts.ran = message.ran();
  counts.held_s_sum = message.held_s_sum();
  if (message.own_done() > kCountMax || message.own_lost() > kCountMax) {
    return BadReport(place, "own_done or own_lost is beyond any sense");
  }
  counts.own_done = message.own_done();
  counts.own_lost = message.own_lost();
  counts.appointment = {message.leader_epoch(), message.leader_appointment()};
  return counts;
}

std::optional<std::size_t> FindMetric(const Tier& tier, const std::string& name) {
  for (std::size_t m = 0; m < tier.metrics.size(); ++m) {
    if (tier.metrics[m].name == name) return m;
  }
  return std::nullopt;
}

absl::StatusOr<WorkerSeen> DecodeWorker(const v1::WorkerReport& message, TierId id, const Fleet& fleet) {
  if (absl::Status s = CheckName("Report.workers.name", message.name()); !s.ok()) return s;
  const std::string place = absl::StrCat("Report.workers['", message.name(), "']");
  // Of a plain HTTP server the pool's file has the address, and nobody calls what the report says.
  const absl::Status callable =
      message.plain() ? CheckName(place, message.address()) : CheckAddress(place, message.address());
  if (!callable.ok()) return callable;
  if (!SaneSum(message.busy_s())) return BadReport(place, "busy_s must be finite and not negative");
  WorkerSeen worker{.name = message.name(), .tier = id, .address = message.address(), .metrics = {}};
  worker.healthy = message.healthy();
  worker.draining = message.draining();
  worker.busy = message.busy() > 0;
  worker.busy_s = message.busy_s();
  worker.adopted = message.adopted();
  worker.plain = message.plain();
  std::vector<bool> given(fleet.tiers[id].metrics.size());
  for (const v1::MetricValue& value : message.metrics()) {
    const auto metric = FindMetric(fleet.tiers[id], value.name());
    if (!metric || !fleet.tiers[id].metrics[*metric].promql.empty()) continue;
    if (given[*metric]) return BadReport(place, absl::StrCat("metric '", value.name(), "' appears twice"));
    given[*metric] = true;
    if (!SaneSum(value.age_s())) {
      return BadReport(place,
                       absl::StrCat("age_s of metric '", value.name(), "' must be finite and not negative"));
    }
    worker.metrics.push_back({*metric, value.value(), Seconds(value.age_s())});
  }
  return worker;
}

}  // namespace

absl::StatusOr<RouterHello> DecodeHello(const v1::Hello& message, const Fleet& fleet) {
  if (absl::Status s = wire::CheckWireVersion(message.wire_version(), "Hello"); !s.ok()) return s;
  if (absl::Status s = CheckName("Hello.router", message.router()); !s.ok()) return s;
  if (absl::Status s = CheckAddress("Hello.address", message.address()); !s.ok()) return s;
  const auto region = fleet.world.FindRegion(message.region());
  if (!region) {
    return BadReport("Hello.region", absl::StrCat("'", message.region(), "' is not a region of world '",
                                                  fleet.world.name, "'; start the router with one that is"));
  }
  if (message.build().size() > kNameBytesMax) return BadReport("Hello.build", "too long");
  return RouterHello{.router = message.router(),
                     .region = *region,
                     .address = message.address(),
                     .table = {message.table_epoch(), message.table_version()},
                     .build = message.build(),
                     .incarnation = message.incarnation()};
}

absl::StatusOr<RouterReport> DecodeReport(const v1::Report& message, const Fleet& fleet) {
  if (absl::Status s = wire::CheckWireVersion(message.wire_version(), "Report"); !s.ok()) return s;
  if (!(message.period_s() > 0 && message.period_s() <= kPeriodMax_s)) {
    return BadReport("Report.period_s",
                     absl::StrCat(message.period_s(), " is not in (0, ", kPeriodMax_s, "]"));
  }
  if (message.workers_size() > static_cast<int>(kWorkersPerReportMax)) {
    return BadReport("Report.workers",
                     absl::StrCat(message.workers_size(), " workers, at most ", kWorkersPerReportMax));
  }
  RouterReport report{.sequence = message.sequence(),
                      .period_s = message.period_s(),
                      .tiers = {},
                      .workers = {},
                      .table = {message.table_epoch(), message.table_version()},
                      .epoch_seen_max = message.epoch_seen_max(),
                      .round_trips = {},
                      .view = {message.view_epoch(), message.view_version()}};
  std::vector<bool> given(fleet.tiers.size());
  for (const v1::TierReport& tier : message.tiers()) {
    const auto id = fleet.FindTier(tier.tier());
    if (!id) continue;
    if (given[id->index()])
      return BadReport("Report.tiers", absl::StrCat("'", tier.tier(), "' appears twice"));
    given[id->index()] = true;
    auto counts = DecodeCounts(tier, *id, fleet);
    if (!counts.ok()) return counts.status();
    report.tiers.push_back(*std::move(counts));
  }
  for (const v1::WorkerReport& message_worker : message.workers()) {
    const auto id = fleet.FindTier(message_worker.tier());
    if (!id) continue;
    auto worker = DecodeWorker(message_worker, *id, fleet);
    if (!worker.ok()) return worker.status();
    report.workers.push_back(*std::move(worker));
  }
  for (const v1::RoundTrip& trip : message.round_trips()) {
    const auto to = fleet.world.FindRegion(trip.region());
    if (!(trip.ms() >= 0 && trip.ms() <= kRoundTripMax_ms)) {
      return BadReport("Report.round_trips",
                       absl::StrCat(trip.ms(), " ms is not in [0, ", kRoundTripMax_ms, "]"));
    }
    if (to) report.round_trips.push_back({*to, trip.ms()});
  }
  return report;
}

v1::Hello EncodeHello(const RouterHello& hello, const Fleet& fleet) {
  v1::Hello message;
  message.set_wire_version(wire::kWireVersion);
  message.set_router(hello.router);
  message.set_region(fleet.world.regions[hello.region].name);
  message.set_address(hello.address);
  message.set_table_epoch(hello.table.epoch);
  message.set_table_version(hello.table.version);
  message.set_build(hello.build);
  message.set_incarnation(hello.incarnation);
  return message;
}

v1::Report EncodeReport(const RouterReport& report, const Fleet& fleet) {
  v1::Report message;
  message.set_wire_version(wire::kWireVersion);
  message.set_sequence(report.sequence);
  message.set_period_s(report.period_s);
  message.set_table_epoch(report.table.epoch);
  message.set_table_version(report.table.version);
  message.set_epoch_seen_max(report.epoch_seen_max);
  message.set_view_epoch(report.view.epoch);
  message.set_view_version(report.view.version);
  for (const TierCounts& counts : report.tiers) {
    const Tier& tier = fleet.tiers[counts.tier];
    v1::TierReport* out = message.add_tiers();
    out->set_tier(tier.name);
    for (std::size_t p = 0; p < tier.priorities.size(); ++p) out->add_entered(counts.entered[p]);
    for (const SentCount& sent : counts.sent) {
      v1::Sent* cell = out->add_sent();
      cell->set_region(fleet.world.regions[sent.target].name);
      cell->set_count(sent.count);
    }
    out->set_done(counts.done);
    out->set_offers(counts.offers);
    out->set_busy(counts.busy);
    out->set_failed(counts.failed);
    out->set_timeouts(counts.timeouts);
    out->set_cancelled(counts.cancelled);
    out->set_shed(counts.shed);
    out->set_spilled(counts.spilled);
    out->set_waiting(counts.waiting);
    out->set_wait_s_sum(counts.wait_s_sum);
    out->set_service_s_sum(counts.service_s_sum);
    out->set_ran(counts.ran);
    out->set_held_s_sum(counts.held_s_sum);
    out->set_own_done(counts.own_done);
    out->set_own_lost(counts.own_lost);
    out->set_leader_epoch(counts.appointment.leader_epoch);
    out->set_leader_appointment(counts.appointment.appointment);
  }
  for (const RoundTripSeen& trip : report.round_trips) {
    v1::RoundTrip* out = message.add_round_trips();
    out->set_region(fleet.world.regions[trip.to].name);
    out->set_ms(trip.ms);
  }
  for (const WorkerSeen& worker : report.workers) {
    v1::WorkerReport* out = message.add_workers();
    out->set_name(worker.name);
    out->set_tier(fleet.tiers[worker.tier].name);
    out->set_address(worker.address);
    out->set_healthy(worker.healthy);
    out->set_draining(worker.draining);
    out->set_busy(worker.busy ? 1 : 0);
    out->set_busy_s(worker.busy_s);
    out->set_adopted(worker.adopted);
    out->set_plain(worker.plain);
    for (const MetricSeen& seen : worker.metrics) {
      v1::MetricValue* value = out->add_metrics();
      value->set_name(fleet.tiers[worker.tier].metrics[seen.metric].name);
      value->set_value(seen.value);
      value->set_age_s(ToDoubleSeconds(seen.age));
    }
  }
  return message;
}

}  // namespace ringway::controller
