#include "controller/tiers/tier_loop.h"

#include <algorithm>
#include <string>

#include "core/check.h"

namespace ringway::controller {
namespace {

using planner::Finding;

InputHealth HealthOfAge(Duration age, const GuardSpec& guard) {
  if (age > guard.missing_after) return InputHealth::kMissing;
  return age > guard.stale_after ? InputHealth::kStale : InputHealth::kFresh;
}

// The tier with the ages that suit the periods in use: with reports every 20 s and staleAfter 15 s a healthy
// region would be stale a quarter of the time.
std::shared_ptr<const Tier> JudgedBy(const TierLoop::Periods& periods, std::shared_ptr<const Tier> tier) {
  const auto enough = [&](const MetricSpec& metric) { return metric.max_age >= periods.StaleMin(); };
  if (tier->guard.stale_after >= periods.StaleMin() && tier->guard.missing_after >= periods.MissingMin() &&
      std::all_of(tier->metrics.begin(), tier->metrics.end(), enough)) {
    return tier;
  }
  auto judged = std::make_shared<Tier>(*tier);
  judged->guard.stale_after = std::max(judged->guard.stale_after, periods.StaleMin());
  judged->guard.missing_after = std::max(judged->guard.missing_after, periods.MissingMin());
  for (MetricSpec& metric : judged->metrics) metric.max_age = std::max(metric.max_age, periods.StaleMin());
  return judged;
}

// Ages come as fractions; what is kept must survive being written down (checkpoint.h), so it is rounded at
// once.
Time WholeNanoseconds(Time time) { return FromUnixNanos(ToUnixNanos(time)); }

// So many more than expected can come by chance.
constexpr double kFewEvents = 20;

}  // namespace

TierLoop::TierLoop(std::shared_ptr<const Fleet> fleet, TierId id, const Periods& periods)
    : periods_(periods),
      fleet_(std::move(fleet)),
      id_(id),
      base_(JudgedBy(periods, {fleet_, &fleet_->tiers[id]})),
      tier_(base_),
      planner_(std::make_shared<const planner::Planner>(shared_world(), tier_)),
      estimate_(id, tier_, fleet_->world.regions.size()),
      regions_(fleet_->world.regions.size()),
      arriving_rps_(fleet_->world.regions.size(), 0.0) {
  for (RegionState& region : regions_) region.sampled.resize(tier_->metrics.size());
  orders_.thresholds.resize(regions_.size());
  orders_.drains.resize(regions_.size());
  if (tier_->scaling) scaler_.emplace(shared_world(), tier_);
}

void TierLoop::Sample(Time now, const MetricSampled& sample) {
  RINGWAY_CHECK(regions_.contains(sample.region) && sample.metric < tier_->metrics.size());
  regions_[sample.region].sampled[sample.metric] = {sample.value, WholeNanoseconds(now - sample.age)};
}

void TierLoop::Observe(Time now, Time window_start, const FleetView& view, bool cut_off) {
  cut_off_ = cut_off;
  findings_.clear();
  auto traffic = view.Collect(*fleet_, id_, now, tier_->guard.stale_after);
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    RegionState& region = regions_[id];
    if (traffic[id].fresh) {
      region.traffic = std::move(traffic[id]);
      seen_a_worker_ = seen_a_worker_ || region.traffic.alive > 0;
    } else {
      region.traffic.fresh = false;
      region.traffic.reachable = traffic[id].reachable;
      region.traffic.reported_at = std::max(region.traffic.reported_at, traffic[id].reported_at);
    }
  }
  std::fill(arriving_rps_.begin(), arriving_rps_.end(), 0.0);
  for (const RegionState& region : regions_) {
    for (const TargetRps& cell : region.traffic.sent_rps) arriving_rps_[cell.target] += cell.rps;
  }
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    RegionState& region = regions_[id];
    const bool serves = region.traffic.alive > 0 || tier_->regions[id].workers == 0;
    region.standing.See(now, region.traffic.reachable && serves, cut_off);
    region.arriving.Add(window_start, arriving_rps_[id]);
    ObserveRegion(now, id);
  }
}

void TierLoop::ObserveRegion(Time now, RegionId id) {
  RegionState& region = regions_[id];
  planner::RegionEstimate& estimate = estimate_.region(id);
  const RegionTraffic& traffic = region.traffic;
  if (traffic.fresh && traffic.counted_s > 0) {
    planner::RegionCounts counts{.at = traffic.reported_at,
                                 .seconds = traffic.counted_s,
                                 .ended = traffic.ran_rps * traffic.counted_s,
                                 .busy_s = traffic.busy * traffic.counted_s,
                                 .alive = static_cast<double>(traffic.alive)};
    for (std::size_t p = 0; p < kMaxPriorities; ++p) {
      counts.entered[p] = traffic.demand_rps[p] * traffic.counted_s;
    }
    estimate.Count(counts, findings_);
    if (scaler_) CountForScaling(id, counts);
  }
  for (std::size_t m = 0; m < tier_->metrics.size(); ++m) {
    const std::optional<MetricReading> reading = Read(now, id, m);
    if (!reading) continue;
    const Time at = WholeNanoseconds(now - reading->age);
    estimate.Read(m,
                  {.at = at,
                   .load = reading->load,
                   .started_rps = region.arriving.At(at),
                   .busy_share = reading->busy_share},
                  findings_);
  }
}

// What the estimate doubts is not learnt as a day's history either.
void TierLoop::CountForScaling(RegionId id, const planner::RegionCounts& counts) {
  double entered = 0;
  for (const double count : counts.entered) entered += count;
  const double held_rps = std::max(1.0, estimate_.region(id).DemandRps());
  if (entered > tier_->guard.jump_max * held_rps * counts.seconds + kFewEvents) return;
  scaler_->Count(id, counts.at, counts.seconds, entered);
}

bool TierLoop::Scale(Time now) {
  if (!scaler_) return false;
  IdVector<RegionId, scale::RegionSeen> seen(regions_.size());
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    const RegionState& region = regions_[id];
    const RegionLoad load = estimate_.Load(id, now);
    const double provisioned = tier_->regions[id].workers;
    scale::RegionSeen& out = seen[id];
    out.fresh = region.traffic.fresh;
    const bool gone = region.standing.gone() && !region.traffic.reachable && !cut_off_;
    out.demand_rps = gone ? 0 : estimate_.region(id).DemandRps();
    out.work_s = provisioned > 0 ? load.load_cost * provisioned : ToDoubleSeconds(tier_->service_mean);
    out.background = load.background_load * provisioned;
    out.busy = region.traffic.busy;
    out.alive = region.traffic.alive;
    out.draining = region.drain.goal >= 1;
  }
  return scaler_->Decide(now, seen);
}

std::optional<MetricReading> TierLoop::Read(Time now, RegionId id, std::size_t metric) {
  const RegionState& region = regions_[id];
  const WorkerCount workers = Workers(id);
  if (workers.provisioned == 0) return std::nullopt;
  const MetricSpec& spec = tier_->metrics[metric];
  std::optional<MetricReading> reading;
  std::string problem;
  if (!spec.promql.empty()) {
    const SampledMetric& sampled = region.sampled[metric];
    if (sampled.at == InfinitePast()) return std::nullopt;
    reading = ReadAggregated(spec, {sampled.value, now - sampled.at}, workers, problem);
  } else if (region.traffic.fresh) {
    reading = ReadMetric(spec, region.traffic.values[metric], workers, problem);
    // Nobody alive means no values to tell the age by; the routers' silence about workers is their report.
    if (reading && workers.alive == 0) reading->age = now - region.traffic.reported_at;
  }
  if (reading) reading->busy_share = spec.name == kBusyMetric;
  if (!problem.empty()) findings_.push_back({Finding::Kind::kBadInput, id, std::move(problem)});
  return reading;
}

WorkerCount TierLoop::Workers(RegionId id) const {
  return {.provisioned = tier_->regions[id].workers, .alive = regions_[id].traffic.alive};
}

bool TierLoop::Settled() const {
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    if (tier_->regions[id].workers > 0 && !regions_[id].traffic.fresh) return false;
  }
  return true;
}

RegionLoad TierLoop::LoadOf(RegionId id, Time now, double drained) const {
  const RegionState& region = regions_[id];
  RegionLoad load = estimate_.Load(id, now);
  const bool heard_of = region.traffic.reported_at != InfinitePast();
  load.usable_share *= (heard_of ? Workers(id).AliveShare() : 1) * (1 - drained);
  if (region.standing.gone() && !region.traffic.reachable && !cut_off_) {
    // Who enters there enters elsewhere now; its workers have nobody who would send them a job.
    load.health = InputHealth::kMissing;
    load.demand_rps = {};
  }
  load.takes_more = load.takes_more && !region.standing.OnTrial(now);
  // Loads may come from Prometheus while the routers are silent: both must be fresh.
  load.health = std::max(load.health, HealthOfAge(now - region.traffic.reported_at, tier_->guard));
  return load;
}

TierSnapshot TierLoop::Unpinned(Time now) const {
  IdVector<RegionId, double> drained;
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    drained.push_back(DrainShare(id, now));
  }
  TierSnapshot snapshot = UnpinnedWith(now, drained);
  // On its way back a region takes imports as far as it is back; on its way out none.
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    snapshot.regions[id].draining = regions_[id].drain.goal >= 1;
  }
  return snapshot;
}

TierSnapshot TierLoop::UnpinnedWith(Time now, const IdVector<RegionId, double>& drained) const {
  TierSnapshot snapshot{.tier = id_, .at = now, .regions = {}, .previous = in_force_};
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    snapshot.regions.push_back(LoadOf(id, now, drained[id]));
    snapshot.regions[id].draining = drained[id] >= 1;
  }
  return snapshot;
}

TierSnapshot TierLoop::Snapshot(Time now) const {
  TierSnapshot snapshot = Unpinned(now);
  SetPinnedAside(snapshot);
  return snapshot;
}

void TierLoop::SetPinnedAside(TierSnapshot& snapshot) const {
  for (const auto& [key, row] : pins_) {
    const auto [source, priority] = key;
    const double rps = std::exchange(snapshot.regions[source].demand_rps[priority], 0.0);
    for (const Route& route : row.routes) {
      RegionLoad& target = snapshot.regions[route.target];
      target.background_load += target.load_cost * rps * route.fraction;
    }
  }
}

std::shared_ptr<const planner::Plan> TierLoop::Solve(std::shared_ptr<const TierSnapshot> snapshot) {
  plan_ = std::make_shared<const planner::Plan>(planner_->Solve(*snapshot));
  return plan_;
}

std::shared_ptr<const TierTable> TierLoop::Decide() const {
  if (in_force_ != nullptr && (mode() != TierMode::kActive || plan_ == nullptr || !seen_a_worker_)) {
    return in_force_;
  }
  const bool planned = mode() == TierMode::kActive && plan_ != nullptr && seen_a_worker_;
  TierTable table =
      planned ? plan_->table : HomeTable(id_, fleet_->world.regions.size(), tier_->priorities.size());
  if (planned) {
    for (const auto& [key, row] : pins_) table.at(key.second, key.first) = row;
  }
  if (in_force_ != nullptr && table == *in_force_) return in_force_;
  return std::make_shared<const TierTable>(std::move(table));
}

void TierLoop::TakeOverEstimates(const TierLoop& other) {
  seen_a_worker_ = other.seen_a_worker_;
  const auto same_name = [](const MetricSpec& a, const MetricSpec& b) { return a.name == b.name; };
  const bool same_metrics = std::equal(tier_->metrics.begin(), tier_->metrics.end(),
                                       other.tier_->metrics.begin(), other.tier_->metrics.end(), same_name);
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    const auto same = other.fleet_->world.FindRegion(fleet_->world.regions[id].name);
    if (!same) continue;
    planner::RegionEstimate::Learnt learnt = other.estimate_.region(*same).learnt();
    if (!same_metrics) learnt.metrics.clear();
    estimate_.region(id).Restore(learnt);
    if (scaler_ && other.scaler_) scaler_->TakeOver(id, *other.scaler_, *same);
  }
}

std::vector<PendingOrder> TierLoop::Expire(Time now) {
  std::vector<PendingOrder> ended = orders_.Expire(now, *fleet_, *tier_);
  if (!ended.empty()) Obey(now);
  return ended;
}

void TierLoop::Obey(Time now) {
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    regions_[id].drain.Turn(now, orders_.drains[id].now(), tier_->guard.drain_pace);
  }
  pins_.clear();
  for (const auto& [key, pin] : orders_.pins) {
    if (pin.now()) pins_.emplace(key, *pin.now());
  }
  std::shared_ptr<const Tier> edited = WithOrders(base_);
  const auto same_regions = [](const TierRegion& a, const TierRegion& b) {
    return a.overload_threshold == b.overload_threshold;
  };
  const bool same = edited->route.overload_threshold == tier_->route.overload_threshold &&
                    std::equal(edited->regions.begin(), edited->regions.end(), tier_->regions.begin(),
                               tier_->regions.end(), same_regions);
  if (same) return;
  tier_ = std::move(edited);
  PlanAnew();
}

std::shared_ptr<const Tier> TierLoop::WithOrders(const std::shared_ptr<const Tier>& tier) const {
  auto edited = std::make_shared<Tier>(*tier);
  edited->route.overload_threshold = orders_.threshold.now().value_or(tier->route.overload_threshold);
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    edited->regions[id].overload_threshold =
        orders_.thresholds[id].now().value_or(tier->regions[id].overload_threshold);
  }
  return edited;
}

void TierLoop::UseSettings(Time now, std::shared_ptr<const Fleet> fleet) {
  fleet_ = std::move(fleet);
  base_ = JudgedBy(periods_, {fleet_, &fleet_->tiers[id_]});
  tier_ = WithOrders(base_);
  planner::TierEstimate estimate(id_, base_, regions_.size());
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    estimate.region(id).Restore(estimate_.region(id).learnt());
  }
  estimate_ = std::move(estimate);
  PlanAnew();
  Obey(now);
}

void TierLoop::UseMap(std::shared_ptr<const Fleet> fleet) {
  fleet_ = std::move(fleet);
  PlanAnew();
}

void TierLoop::PlanAnew() {
  planner_ = std::make_shared<const planner::Planner>(shared_world(), tier_);
  if (!scaler_) return;
  // How busy workers may be follows from the threshold, who may help whom from the map.
  scale::Scaler edited(shared_world(), tier_);
  for (RegionId id(0); id != regions_.end_id(); id = RegionId(id.index() + 1)) {
    edited.TakeOver(id, *scaler_, id);
  }
  scaler_.emplace(std::move(edited));
}

}  // namespace ringway::controller
