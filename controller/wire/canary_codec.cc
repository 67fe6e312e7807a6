#include "controller/wire/canary_codec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::controller {
namespace {

using canary::Evidence;
using canary::JobCount;

constexpr double kSecondsMax = 1e9;
constexpr std::uint32_t kEscalations = 2;
constexpr std::uint32_t kIsolations = 4;  // auto among them
constexpr std::uint32_t kRefines = 3;

absl::Status BadCanary(const std::string& place) {
  return absl::InvalidArgumentError(
      absl::StrCat("ControllerState.canary.", place, ": a value is out of range or not a number"));
}

bool Within(double x, double low, double high) { return std::isfinite(x) && x >= low && x <= high; }
bool AtLeastZero(double x) { return std::isfinite(x) && x >= 0; }

void EncodeShape(const canary::Shape& shape, google::protobuf::RepeatedPtrField<v1::TierShape>* out) {
  for (const canary::TierShape& tier : shape) {
    v1::TierShape& message = *out->Add();
    message.set_tier(tier.tier);
    message.set_overload_threshold(tier.route.overload_threshold);
    message.set_ceiling_wait(tier.route.ceiling_wait);
    for (const RingSpec& ring : tier.route.rings) {
      v1::RingEntry& entry = *message.add_rings();
      entry.set_name(ring.name);
      entry.set_rtt_ms_max(ring.rtt_ms_max);
      entry.set_unlock_load(ring.unlock_load);
    }
    message.set_escalation(static_cast<std::uint32_t>(tier.route.escalation));
    message.set_isolation(tier.route.isolation ? static_cast<std::uint32_t>(*tier.route.isolation) + 1 : 0);
    message.set_refine(static_cast<std::uint32_t>(tier.route.refine));
    message.set_plan_margin(tier.plan_margin);
    message.set_shed_above(tier.shed_above);
    message.set_hysteresis(tier.hysteresis);
    message.set_step_max(tier.step_max);
    for (const canary::RegionShape& region : tier.regions) {
      v1::RegionShape& entry = *message.add_regions();
      entry.set_region(region.region);
      entry.set_reserve_share(region.reserve_share);
      entry.set_import_cap_share(region.import_cap_share);
      entry.set_overload_threshold(region.overload_threshold);
    }
  }
}

// The ranges are those of a topology file.
absl::StatusOr<canary::TierShape> DecodeTierShape(const v1::TierShape& message) {
  bool sane = Within(message.overload_threshold(), 1e-9, 1) && Within(message.ceiling_wait(), 0, 100) &&
              message.escalation() < kEscalations && message.isolation() < kIsolations &&
              message.refine() < kRefines && Within(message.plan_margin(), 0, 0.5) &&
              Within(message.shed_above(), 1, 100) && Within(message.hysteresis(), 0, 0.5) &&
              Within(message.step_max(), 1e-9, 1);
  canary::TierShape tier{.tier = message.tier(),
                         .route = {},
                         .plan_margin = message.plan_margin(),
                         .shed_above = message.shed_above(),
                         .hysteresis = message.hysteresis(),
                         .step_max = message.step_max(),
                         .regions = {}};
  tier.route.overload_threshold = message.overload_threshold();
  tier.route.ceiling_wait = message.ceiling_wait();
  tier.route.escalation = static_cast<Escalation>(message.escalation());
  if (message.isolation() > 0) tier.route.isolation = static_cast<Isolation>(message.isolation() - 1);
  tier.route.refine = static_cast<RefineMode>(message.refine());
  double before_ms = 0, before_load = 0;
  for (const v1::RingEntry& ring : message.rings()) {
    sane =
        sane && Within(ring.rtt_ms_max(), before_ms, 60'000) && Within(ring.unlock_load(), before_load, 10);
    before_ms = ring.rtt_ms_max();
    before_load = ring.unlock_load();
    tier.route.rings.push_back({ring.name(), ring.rtt_ms_max(), ring.unlock_load()});
  }
  for (const v1::RegionShape& region : message.regions()) {
    sane = sane && Within(region.reserve_share(), 0, 1) && Within(region.import_cap_share(), 0, 1) &&
           Within(region.overload_threshold(), 0, 1);
    tier.regions.push_back(
        {region.region(), region.reserve_share(), region.import_cap_share(), region.overload_threshold()});
  }
  if (!sane) return BadCanary(absl::StrCat("tiers['", message.tier(), "']"));
  return tier;
}

absl::StatusOr<canary::Shape> DecodeShape(const google::protobuf::RepeatedPtrField<v1::TierShape>& messages) {
  canary::Shape shape;
  for (const v1::TierShape& message : messages) {
    auto tier = DecodeTierShape(message);
    if (!tier.ok()) return tier.status();
    shape.push_back(*std::move(tier));
  }
  return shape;
}

void EncodeJobs(const JobCount& jobs, v1::CanaryCount* out) {
  out->set_done(jobs.done);
  out->set_lost(jobs.lost);
}

JobCount DecodeJobs(const v1::CanaryCount& message) { return {message.done(), message.lost()}; }

bool Sane(const JobCount& jobs) { return AtLeastZero(jobs.done) && AtLeastZero(jobs.lost); }

v1::CanaryEvidence EncodeEvidence(const std::string& tier, const Evidence::State& state) {
  v1::CanaryEvidence message;
  message.set_tier(tier);
  for (const auto& [region, stratum] : state.open) {
    v1::CanaryStratum& out = *message.add_open();
    out.set_region(region);
    EncodeJobs(stratum.chosen, out.mutable_chosen());
    EncodeJobs(stratum.rest, out.mutable_rest());
  }
  EncodeJobs(state.before, message.mutable_before());
  EncodeJobs(state.during, message.mutable_during());
  EncodeJobs(state.taken, message.mutable_taken());
  EncodeJobs(state.chosen, message.mutable_chosen());
  EncodeJobs(state.rest, message.mutable_rest());
  message.set_expected_lost(state.expected_lost);
  for (const double ratio : state.worse) message.add_worse(ratio);
  for (const double ratio : state.fell) message.add_fell(ratio);
  message.set_judged_s(state.judged_s);
  return message;
}

absl::StatusOr<Evidence::State> DecodeEvidence(const v1::CanaryEvidence& message) {
  Evidence::State state;
  bool sane = true;
  for (const v1::CanaryStratum& stratum : message.open()) {
    Evidence::Stratum& open = state.open[stratum.region()];
    open = {DecodeJobs(stratum.chosen()), DecodeJobs(stratum.rest())};
    sane = sane && Sane(open.chosen) && Sane(open.rest);
  }
  state.before = DecodeJobs(message.before());
  state.during = DecodeJobs(message.during());
  state.taken = DecodeJobs(message.taken());
  state.chosen = DecodeJobs(message.chosen());
  state.rest = DecodeJobs(message.rest());
  state.expected_lost = message.expected_lost();
  state.judged_s = message.judged_s();
  const auto read = [&sane](const google::protobuf::RepeatedField<double>& from, Evidence::Sizes& to) {
    for (int i = 0; i < from.size() && i < static_cast<int>(to.size()); ++i) {
      to[static_cast<std::size_t>(i)] = from.Get(i);
      sane = sane && AtLeastZero(from.Get(i));
    }
  };
  read(message.worse(), state.worse);
  read(message.fell(), state.fell);
  sane = sane && Sane(state.before) && Sane(state.during) && Sane(state.taken) && Sane(state.chosen) &&
         Sane(state.rest) && AtLeastZero(state.expected_lost) && Within(state.judged_s, 0, kSecondsMax);
  if (!sane) return BadCanary(absl::StrCat("evidence['", message.tier(), "']"));
  return state;
}

}  // namespace

v1::CanaryState EncodeCanary(const canary::TrialState& state) {
  v1::CanaryState message;
  message.set_phase(std::string(canary::PhaseName(state.phase)));
  message.set_id(state.id);
  message.set_reason(state.reason);
  EncodeShape(state.in_force, message.mutable_in_force());
  EncodeShape(state.tried, message.mutable_tried());
  message.mutable_changes()->Add(state.changes.begin(), state.changes.end());
  message.set_share(state.spec.share);
  message.set_period_s(ToDoubleSeconds(state.spec.period));
  message.set_elapsed_s(state.elapsed_s);
  message.mutable_entered_at()->Add(state.entered_at.begin(), state.entered_at.end());
  message.mutable_chosen()->Add(state.chosen.begin(), state.chosen.end());
  for (const auto& [tier, evidence] : state.evidence) {
    *message.add_evidence() = EncodeEvidence(tier, evidence.state());
  }
  message.set_first_epoch(state.first.epoch);
  message.set_first_version(state.first.version);
  message.set_table_epoch(state.table.epoch);
  message.set_table_version(state.table.version);
  return message;
}

absl::StatusOr<canary::TrialState> DecodeCanary(const v1::CanaryState& message) {
  canary::TrialState state;
  const auto phase = canary::ParsePhase(message.phase());
  if (!phase) return BadCanary("phase");
  state.phase = *phase;
  state.id = message.id();
  state.reason = message.reason();
  auto in_force = DecodeShape(message.in_force());
  if (!in_force.ok()) return in_force.status();
  auto tried = DecodeShape(message.tried());
  if (!tried.ok()) return tried.status();
  state.in_force = *std::move(in_force);
  state.tried = *std::move(tried);
  state.changes.assign(message.changes().begin(), message.changes().end());
  if (!Within(message.share(), 1e-9, 0.5) || !Within(message.period_s(), 1, 86400))
    return BadCanary("period_s");
  state.spec = {.share = message.share(), .period = Seconds(message.period_s())};
  if (!Within(message.elapsed_s(), 0, kSecondsMax)) return BadCanary("elapsed_s");
  state.elapsed_s = message.elapsed_s();
  state.entered_at.insert(message.entered_at().begin(), message.entered_at().end());
  state.chosen.assign(message.chosen().begin(), message.chosen().end());
  std::sort(state.chosen.begin(), state.chosen.end());
  for (const v1::CanaryEvidence& evidence : message.evidence()) {
    auto decoded = DecodeEvidence(evidence);
    if (!decoded.ok()) return decoded.status();
    state.evidence[evidence.tier()] = Evidence(*std::move(decoded));
  }
  state.first = {message.first_epoch(), message.first_version()};
  state.table = {message.table_epoch(), message.table_version()};
  return state;
}

}  // namespace ringway::controller
