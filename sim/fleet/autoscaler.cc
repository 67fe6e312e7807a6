#include "sim/fleet/autoscaler.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace ringway::sim {
namespace {

constexpr std::int64_t kRoundNs = 1'000'000'000;

}  // namespace

Autoscaler::Autoscaler(Stage& stage, const Scenario& scenario, Workers& workers, const ControlPlane& control)
    : stage_(stage),
      scenario_(scenario),
      workers_(workers),
      control_(control),
      sites_(workers.count()),
      paid_s_(scenario.fleet->world.regions.size(),
              IdVector<TierId, double>(scenario.fleet->tiers.size(), 0)) {}

void Autoscaler::Begin() {
  if (!scenario_.autoscale) return;
  const Fleet& fleet = *scenario_.fleet;
  for (RegionId region(0); region != fleet.world.regions.end_id(); region = RegionId(region.index() + 1)) {
    for (TierId tier(0); tier != fleet.tiers.end_id(); tier = TierId(tier.index() + 1)) {
      if (!fleet.tiers[tier].scaling) continue;
      const auto [begin, end] = workers_.Range(region, tier);
      const auto all = static_cast<double>(end.index() - begin.index());
      const auto on = static_cast<std::size_t>(std::ceil(all * scenario_.autoscale->initial_share));
      for (std::size_t i = begin.index() + on; i < end.index(); ++i) {
        workers_.Kill(WorkerId(i));
        sites_[WorkerId(i)].standing = Standing::kOff;
      }
    }
  }
  stage_.After(kRoundNs, Happening::kScalingRound);
}

void Autoscaler::On(const SimEvent& event) {
  if (static_cast<Happening>(event.kind()) == Happening::kWorkerReady) {
    OnReady(WorkerId(event.subject), event.detail);
  } else {
    OnRound();
  }
}

void Autoscaler::OnRound() {
  stage_.After(kRoundNs, Happening::kScalingRound);
  const bool counted = Counted();
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const WorkerId worker(i);
    const Standing standing = sites_[worker].standing;
    if (standing == Standing::kOff) continue;
    const auto& place = workers_.places()[worker];
    if (counted && scenario_.fleet->tiers[place.tier].scaling) {
      totals_.worker_s += 1;
      paid_s_[place.region][place.tier] += 1;
    }
    if (standing == Standing::kDraining && !workers_.slot(worker).busy()) Off(worker);
  }
  const auto every = std::max<std::int64_t>(1, std::llround(scenario_.autoscale->every_s));
  if (++seconds_ % every != 0 || !control_.alive()) return;
  for (const controller::TierLoop& loop : control_.machine().tiers()) {
    if (!loop.scaler()) continue;
    const auto& wanted = loop.scaler()->wanted();
    for (RegionId region(0); region != wanted.end_id(); region = RegionId(region.index() + 1)) {
      if (wanted[region].known) Reach(region, loop.id(), wanted[region].workers);
    }
  }
}

WorkerId Autoscaler::Find(RegionId region, TierId tier, Standing standing, bool idle) const {
  const auto [begin, end] = workers_.Range(region, tier);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    if (sites_[worker].standing != standing) continue;
    if (!idle || !workers_.slot(worker).busy()) return worker;
  }
  return WorkerId();
}

void Autoscaler::Reach(RegionId region, TierId tier, int wanted) {
  const auto [begin, end] = workers_.Range(region, tier);
  int here = 0;
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    const Standing standing = sites_[worker].standing;
    here += standing == Standing::kOn || standing == Standing::kStarting;
  }
  for (; here < wanted; ++here) {
    if (const WorkerId back = Find(region, tier, Standing::kDraining, false); back.valid()) {
      workers_.Drain(back, false);
      sites_[back].standing = Standing::kOn;
      continue;
    }
    const WorkerId fresh = Find(region, tier, Standing::kOff, false);
    if (!fresh.valid()) return;  // all that there are
    Start(fresh);
  }
  for (; here > wanted; --here) {
    if (const WorkerId called_off = Find(region, tier, Standing::kStarting, false); called_off.valid()) {
      Off(called_off);
      continue;
    }
    WorkerId leaves = Find(region, tier, Standing::kOn, true);
    if (!leaves.valid()) leaves = Find(region, tier, Standing::kOn, false);
    if (!leaves.valid()) return;
    Stop(leaves);
  }
}

void Autoscaler::Start(WorkerId worker) {
  Site& site = sites_[worker];
  site.standing = Standing::kStarting;
  site.started_s = NowS();
  totals_.starts += Counted();
  stage_.After(std::llround(scenario_.autoscale->start_up_s * 1e9), Happening::kWorkerReady, worker.value(),
               ++site.order);
}

void Autoscaler::OnReady(WorkerId worker, std::uint32_t order) {
  Site& site = sites_[worker];
  if (site.standing != Standing::kStarting || site.order != order) return;
  site.standing = Standing::kOn;
  workers_.Revive(worker);
}

void Autoscaler::Stop(WorkerId worker) {
  sites_[worker].standing = Standing::kDraining;
  workers_.Drain(worker, true);
}

void Autoscaler::Off(WorkerId worker) {
  Site& site = sites_[worker];
  if (site.standing == Standing::kDraining) {
    RINGWAY_CHECK(!workers_.slot(worker).busy());
    workers_.Stop(worker);
  }
  site.standing = Standing::kOff;
  if (!Counted()) return;
  ++totals_.stops;
  totals_.thrash += NowS() - site.started_s < kThrashS;
}

int Autoscaler::paid(RegionId region) const {
  const auto [begin, end] = workers_.Range(region);
  int paid = 0;
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    paid += sites_[worker].standing != Standing::kOff;
  }
  return paid;
}

}  // namespace ringway::sim
