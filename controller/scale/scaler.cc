#include "controller/scale/scaler.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/check.h"

namespace ringway::scale {
namespace {

constexpr Duration kDecideEvery = Seconds(5);
// In one start-up time the number may grow by this factor, and by kStepWorkers where that is more; and shrink
// by the factor.
constexpr double kStepFactor = 2;
constexpr int kStepWorkers = 10;
// A worker that is busy for a moment of a report is no busy worker.
constexpr double kBusyMoment = 0.1;
// Of a worker: what a need may exceed a number by before it rises to the next, and before it is kept there.
// In a pool one region has what another lacks, so that parts are rounded like any number.
struct Parts {
  double to_rise = 0, to_stay = 0;
};
constexpr Parts kAlone = {0.3, 1e-6}, kPooled = {0.45, 0.05};

// Sized so that no region is hot: what the planner fills a region to.
double BusyMax(const Tier& tier) { return (1 - tier.guard.plan_margin) * tier.route.overload_threshold; }

std::size_t Index(Way way) { return static_cast<std::size_t>(way); }

}  // namespace

void Scaler::Calm::Note(std::int64_t slice, int need) {
  auto& [known, highest] = needs[static_cast<std::size_t>(slice % (kSlices + 1))];
  if (known != slice) highest = 0;
  known = slice;
  highest = std::max(highest, need);
}

int Scaler::Calm::Highest(std::int64_t slice) const {
  int highest = 0;
  for (const auto& [known, need] : needs) {
    if (slice - known <= kSlices) highest = std::max(highest, need);
  }
  return highest;
}

Scaler::Scaler(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier)
    : world_(std::move(world)),
      tier_(std::move(tier)),
      reach_(world_, *tier_),
      staffing_(tier_->scaling->wait_target, BusyMax(*tier_)),
      sigmas_(Sigmas(tier_->scaling->risk)),
      sites_(world_->regions.size()),
      wanted_(world_->regions.size()) {
  for (RegionId id(0); id != sites_.end_id(); id = RegionId(id.index() + 1)) {
    sites_[id].pool = PoolOf(id, *tier_, reach_);
  }
}

void Scaler::Count(RegionId region, Time at, double seconds, double count) {
  sites_[region].history.Add(at, seconds, count);
}

void Scaler::TakeOver(RegionId region, const Scaler& other, RegionId same) {
  sites_[region].history = other.sites_[same].history;
  sites_[region].calm = other.sites_[same].calm;
  sites_[region].errors = other.sites_[same].errors;
  wanted_[region] = other.wanted_[same];
}

bool Scaler::Decide(Time now, const IdVector<RegionId, RegionSeen>& seen) {
  if (now - decided_at_ < kDecideEvery) return false;
  decided_at_ = now;
  const Duration start_up = tier_->scaling->start_up;
  for (RegionId id(0); id != sites_.end_id(); id = RegionId(id.index() + 1)) {
    Site& site = sites_[id];
    const double held = seen[id].demand_rps;
    site.ahead = Foretell(site.history, held, now, start_up);
    const PerWay<double> half = Foretell(site.history, held, now, start_up / 2);
    for (std::size_t way = 0; way < kWays; ++way) {
      // What is now has to be carried, too.
      const Way now_too = way == Index(Way::kSteady) ? Way::kSteady : Way::kNow;
      site.most[way] = std::max({site.ahead[way], half[way], site.ahead[Index(now_too)]});
    }
  }
  const bool bin_over = DemandHistory::BinOf(now) != bin_;
  if (bin_over) TakeErrors(now);
  IdVector<RegionId, double> needs = Needs(seen);
  IdVector<RegionId, double> room(sites_.size(), 0.0);
  for (RegionId id(0); id != room.end_id(); id = RegionId(id.index() + 1)) {
    if (!seen[id].draining) room[id] = tier_->regions[id].workers;
  }
  const IdVector<RegionId, double> alone = needs;
  const double homeless = Overflow(reach_, room, needs);
  for (RegionId id(0); id != sites_.end_id(); id = RegionId(id.index() + 1)) {
    if (!seen[id].fresh) continue;
    wanted_[id].needed = static_cast<int>(std::ceil(std::max(alone[id], needs[id]) - kAlone.to_stay));
    wanted_[id].homeless = homeless;
    Settle(now, id, seen[id], needs[id]);
  }
  return bin_over;
}

void Scaler::TakeErrors(Time now) {
  const std::int64_t bin = DemandHistory::BinOf(now);
  for (Site& site : sites_) {
    std::optional<double> came = 0.0;
    PerWay<double> forecast{};
    for (const RegionId member : site.pool) {
      const std::optional<double> rate = sites_[member].history.Rate(bin - 1, bin - 1);
      came = came && rate ? std::optional(*came + *rate) : std::nullopt;
      for (std::size_t way = 0; way < kWays; ++way) forecast[way] += sites_[member].ahead[way];
    }
    site.errors.Came(bin - 1, came);
    site.errors.Foretold(DemandHistory::BinOf(now + tier_->scaling->start_up), forecast);
  }
  bin_ = bin;
}

IdVector<RegionId, double> Scaler::Needs(const IdVector<RegionId, RegionSeen>& seen) {
  IdVector<RegionId, double> needs(sites_.size(), 0.0);
  for (RegionId id(0); id != sites_.end_id(); id = RegionId(id.index() + 1)) {
    const Site& site = sites_[id];
    const Way way = site.errors.best();
    double rps = 0, work = 0, background = 0, steady = 0;
    for (const RegionId member : site.pool) {
      rps += sites_[member].most[Index(way)];
      work += sites_[member].most[Index(way)] * seen[member].work_s;
      steady += sites_[member].most[Index(Way::kSteady)] * seen[member].work_s;
      background += seen[member].background;
    }
    const double above = rps > 0 ? 1 + sigmas_ * site.errors.Deviation(rps) / rps : 1;
    const double own_rps = site.most[Index(way)];
    const double pool = work * above + background;
    Wanted& wanted = wanted_[id];
    wanted.demand_rps = seen[id].demand_rps;
    wanted.forecast_rps = own_rps;
    wanted.at_most_rps = own_rps * above;
    wanted.way = way;
    wanted.neighbours = static_cast<int>(site.pool.size()) - 1;
    if (pool <= 0) continue;
    // Who of the pool needs them moves less than how many: a region's own counts scatter most.
    const double own = site.most[Index(Way::kSteady)] * seen[id].work_s + seen[id].background;
    const double share = steady + background > 0 ? own / (steady + background) : 1.0 / std::ssize(site.pool);
    const double usable = 1 - tier_->regions[id].reserve_share;
    needs[id] = staffing_.WorkersFor(work + background, pool) * share / std::max(usable, 0.01);
  }
  return needs;
}

void Scaler::Settle(Time now, RegionId region, const RegionSeen& seen, double need) {
  const ScalingSpec& spec = *tier_->scaling;
  const int most = tier_->regions[region].workers;
  const int least = std::min(spec.workers_min, most);
  Calm& calm = sites_[region].calm;
  Wanted& wanted = wanted_[region];
  wanted.limit = wanted.needed > most ? Limit::kMaximum : Limit::kNone;
  const auto raise = [&wanted](int& workers, int to, Limit limit) {
    if (to <= workers) return;
    workers = to;
    wanted.limit = limit;
  };
  // Forecasts of few requests move by parts of a worker; a part starts nobody.
  const int now_wanted = calm.wanted.empty() ? 0 : calm.wanted.back().second;
  const Parts& parts = sites_[region].pool.size() > 1 ? kPooled : kAlone;
  const int rounded_up = static_cast<int>(std::ceil(need - parts.to_stay));
  const int surely = static_cast<int>(std::ceil(need - parts.to_rise));
  int workers = std::min(std::max(surely, std::min(rounded_up, now_wanted)), most);
  raise(workers, least, Limit::kMinimum);
  const Duration slice = std::max(spec.stable_for / Calm::kSlices, Milliseconds(1));
  const std::int64_t number = ToUnixNanos(now) / ToInt64Nanoseconds(slice);
  calm.Note(number, workers);
  raise(workers, std::min(calm.Highest(number), most), Limit::kStable);
  if (calm.began == InfiniteFuture()) calm.began = now;
  if (now - calm.began < spec.stable_for) raise(workers, std::min(seen.alive, most), Limit::kStarting);

  if (calm.wanted.empty()) calm.wanted.emplace_back(now, std::max(seen.alive, workers));
  while (calm.wanted.size() > 1 && now - calm.wanted[1].first >= spec.start_up) calm.wanted.pop_front();
  const int before = calm.wanted.front().second;
  const int step_up = std::max(static_cast<int>(before * kStepFactor), before + kStepWorkers);
  if (workers > step_up) {
    workers = step_up;
    wanted.limit = Limit::kStep;
  }
  raise(workers, static_cast<int>(before / kStepFactor), Limit::kStep);
  raise(workers, std::min(static_cast<int>(std::ceil(seen.busy - kBusyMoment)), most), Limit::kBusy);
  if (workers != calm.wanted.back().second) calm.wanted.emplace_back(now, workers);
  wanted.known = true;
  wanted.workers = workers;
}

std::string Scaler::Explain(RegionId region) const {
  const Wanted& w = wanted_[region];
  if (!w.known) return "workers wanted: not known yet, the region has not reported";
  const ScalingSpec& spec = *tier_->scaling;
  std::string text = absl::StrFormat(
      "%d workers wanted: demand %.2f/s, forecast %.2f/s within %s (%s), %.2f/s is exceeded with probability "
      "%g; that takes %d for a mean wait under %g service times",
      w.workers, w.demand_rps, w.forecast_rps, absl::FormatDuration(spec.start_up),
      absl::string_view(WayName(w.way).data(), WayName(w.way).size()), w.at_most_rps, spec.risk, w.needed,
      spec.wait_target);
  if (w.neighbours > 0) absl::StrAppend(&text, " together with ", w.neighbours, " near regions");
  switch (w.limit) {
    case Limit::kNone:
      break;
    case Limit::kMinimum:
      absl::StrAppend(&text, "; minWorkers is ", spec.workers_min);
      break;
    case Limit::kMaximum:
      absl::StrAppend(&text, "; the region may run ", tier_->regions[region].workers);
      break;
    case Limit::kStable:
      absl::StrAppend(&text, "; more were needed within the last ", absl::FormatDuration(spec.stable_for));
      break;
    case Limit::kStep:
      absl::StrAppend(&text, "; it at most doubles or halves within ", absl::FormatDuration(spec.start_up));
      break;
    case Limit::kBusy:
      absl::StrAppend(&text, "; so many are busy");
      break;
    case Limit::kStarting:
      absl::StrAppend(&text, "; so many run, and nothing is stopped within the first ",
                      absl::FormatDuration(spec.stable_for));
      break;
  }
  if (w.homeless >= 0.5) {
    absl::StrAppendFormat(&text, "; the tier needs %.0f more than its regions may run",
                          std::ceil(w.homeless));
  }
  return text;
}

}  // namespace ringway::scale
