#include "cli/demo/stage.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/demo/panel.h"
#include "cli/demo/spread.h"
#include "proto/synthetic_job.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"

namespace ringway::demo {
namespace {

constexpr std::string_view kSpillReason = "spill";
constexpr std::size_t kPayloadBytes = 16 << 10;  // a small picture
constexpr double kPlainSeconds = 3;
constexpr double kRoutesSeconds = 9;
constexpr Duration kWholeLimit = Seconds(30);
constexpr double kSettleShare = 0.5;  // of the hot phase: time that the plan is given to settle

JobRecord Record(const Fleet& fleet, const v1::End& end) {
  const v1::JobTrace& trace = end.trace();
  JobRecord record;
  record.done = end.outcome() == "done";
  record.outcome = end.outcome();
  record.served = fleet.world.FindRegion(trace.region()).value_or(RegionId());
  record.network_s = trace.network_s();
  record.spilled = trace.reason() == kSpillReason;
  record.offers = trace.offers();
  record.wait_s = trace.wait_s();
  record.busy = trace.busy();
  return record;
}

bool Whole(const v1::StatusReply& status, const Fleet& fleet) {
  if (status.tiers_size() == 0) return false;
  const bool ledger = fleet.tiers[TierId(0)].dispatch.mode == DispatchMode::kLedger;
  if (status.routers_size() < static_cast<int>(fleet.world.regions.size()) * kRoutersPerRegion) return false;
  return std::all_of(status.tiers(0).regions().begin(), status.tiers(0).regions().end(),
                     [&](const v1::RegionStatus& region) {
                       const bool held = region.workers() == 0 || !region.leader().empty();
                       return region.workers_seen() >= region.workers() && (!ledger || held);
                     });
}

}  // namespace

Stage::Stage(cli::Session& session, const DemoSettings& settings, const Fleet& fleet, const Script& script,
             Cluster& cluster, Interrupt& interrupt)
    : session_(session),
      settings_(settings),
      fleet_(fleet),
      script_(script),
      cluster_(cluster),
      interrupt_(interrupt),
      admin_(cluster.controller(), ""),
      observer_(cluster.controller()),
      tally_(script.phases.size(), fleet.world.regions.size()),
      payload_(kPayloadBytes, 'x'),
      jobs_(fleet.tiers[script.tier].deadline + Seconds(2)) {}

double Stage::Now() const { return ToDoubleSeconds(runtime::MonotonicNow() - began_); }

Time Stage::At(double time_s) const { return began_ + Seconds(time_s); }

absl::Status Stage::AwaitWholeFleet() {
  const Time limit = runtime::MonotonicNow() + kWholeLimit;
  Observation seen;
  while (runtime::MonotonicNow() < limit) {
    if (interrupt_.Came()) return absl::CancelledError("interrupted");
    if (absl::Status status = cluster_.Check(); !status.ok()) return status;
    seen = observer_.Latest();
    if (Whole(seen.status, fleet_)) return absl::OkStatus();
    absl::SleepFor(Milliseconds(50));
  }
  return absl::DeadlineExceededError(absl::StrCat("the controller does not see the whole fleet after ",
                                                  absl::FormatDuration(kWholeLimit), ": ",
                                                  seen.status.routers_size(), " routers are connected"));
}

absl::Status Stage::EnterPhase(std::size_t phase, Traffic& traffic) {
  const DispatchMode before =
      phase > 0 ? script_.phases[phase - 1].dispatch : fleet_.tiers[script_.tier].dispatch.mode;
  if (script_.phases[phase].dispatch != before) {
    if (absl::Status status = cluster_.Dispatch(script_.phases[phase].dispatch); !status.ok()) return status;
  }
  const bool spread_before = phase > 0 && script_.phases[phase - 1].global;
  const bool spread = script_.phases[phase].global;
  phase_ = phase;
  traffic.Enter(script_.phases[phase]);
  if (!settings_.terminal) {
    session_.err << "phase " << script_.phases[phase].name << ": " << script_.phases[phase].story << "\n";
  }
  if (spread == spread_before) return absl::OkStatus();
  return SpreadEverywhere(admin_, fleet_, script_.tier, spread);
}

void Stage::Send(const Arrival& arrival) {
  v1::JobHeader header;
  header.set_wire_version(wire::kWireVersion);
  header.set_tier(fleet_.tiers[script_.tier].name);
  header.set_tenant("demo");
  header.set_prompt("a horse crosses the meadow");
  header.set_content_type("application/octet-stream");
  header.set_payload_bytes(payload_.size());
  if (arrival.service_s > 0) {
    (*header.mutable_parameters())[wire::kServiceParameter] = absl::StrFormat("%.9f", arrival.service_s);
  }
  late_s_max_ = std::max(late_s_max_, Now() - arrival.at_s);
  const std::size_t ticket = sent_.size();
  sent_.push_back({phase_, arrival.region, arrival.at_s});
  if (jobs_.Send(ticket, cluster_.router(arrival.region, ticket), header, payload_)) return;
  JobRecord record;
  record.outcome = "not sent";
  record.phase = phase_;
  record.source = arrival.region;
  record.due_s = record.ended_s = arrival.at_s;
  tally_.Add(record);
}

void Stage::Collect(Time until) {
  for (const load::JobEnd& end : jobs_.Take(until)) {
    JobRecord record = Record(fleet_, end.end);
    const Sent& sent = sent_[end.ticket];
    record.phase = sent.phase;
    record.source = sent.source;
    record.due_s = sent.due_s;
    record.ended_s = ToDoubleSeconds(end.at - began_);
    tally_.Add(record);
  }
}

void Stage::NotePlan(const Observation& seen) {
  const Phase& phase = script_.phases[phase_];
  if (phase.kind != PhaseKind::kHot || Now() < phase.begins_s + kSettleShare * phase.length_s) return;
  if (settled_.tables == 0) settled_.from_s = Now();
  settled_.to_s = Now();
  settled_.away_share_sum += PlannedAwayShare(seen.table, fleet_.world.regions[script_.hot].name);
  ++settled_.tables;
}

void Stage::Draw(const Observation& seen) {
  const PanelView view{fleet_, script_, tally_, seen, Now(), jobs_.in_flight()};
  if (settings_.terminal) {
    const std::string text = PanelText(view, session_.colour);
    // Back to where the last panel began, and everything below is erased.
    if (lines_drawn_ > 0) session_.err << "\x1b[" << lines_drawn_ << "F\x1b[J";
    lines_drawn_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    session_.err << text << std::flush;
    return;
  }
  const auto second = static_cast<long>(Now());
  if (second % static_cast<long>(kPlainSeconds) == 0) session_.err << PlainLine(view);
  if (second % static_cast<long>(kRoutesSeconds) == 0) session_.err << RouteSentences(seen);
}

absl::Status Stage::Tick() {
  next_tick_s_ = std::floor(Now()) + 1;
  const Observation seen = observer_.Latest();
  NotePlan(seen);
  Draw(seen);
  return cluster_.Check();
}

absl::Status Stage::Play(Traffic traffic) {
  began_ = runtime::MonotonicNow();
  if (absl::Status status = EnterPhase(0, traffic); !status.ok()) return status;
  const double ends_s = script_.length_s();
  const double gives_up_s = ends_s + ToDoubleSeconds(fleet_.tiers[script_.tier].deadline) + 2;
  while (Now() < ends_s || (jobs_.in_flight() > 0 && Now() < gives_up_s)) {
    if (interrupt_.Came()) return absl::CancelledError("interrupted");
    if (phase_ + 1 < script_.phases.size() && Now() >= script_.phases[phase_].ends_s()) {
      if (absl::Status status = EnterPhase(phase_ + 1, traffic); !status.ok()) return status;
    }
    while (traffic.next().at_s <= Now() && traffic.next().at_s < ends_s) {
      Send(traffic.next());
      traffic.Pop();
    }
    if (Now() >= next_tick_s_) {
      if (absl::Status status = Tick(); !status.ok()) return status;
    }
    const double arrival_s = traffic.next().at_s < ends_s ? traffic.next().at_s : ends_s + 1e9;
    Collect(At(std::min({arrival_s, next_tick_s_, Now() + 0.05})));
  }
  Collect(runtime::MonotonicNow());
  return absl::OkStatus();
}

}  // namespace ringway::demo
