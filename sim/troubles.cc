#include "sim/troubles.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace ringway::sim {

Troubles::Troubles(Stage& stage, const Scenario& scenario, const Populations& populations)
    : stage_(stage),
      scenario_(scenario),
      crowd_(populations.crowd),
      routers_(populations.routers),
      workers_(populations.workers),
      holders_(populations.holders),
      control_(populations.control),
      holders_killed_(scenario.steps.size()) {}

void Troubles::Begin() {
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    stage_.After(static_cast<std::int64_t>(scenario_.steps[i].at_s * 1e9), Happening::kStepBegins,
                 static_cast<std::uint32_t>(i));
  }
}

void Troubles::OnBegins(std::size_t index) {
  const ScenarioStep& step = scenario_.steps[index];
  const auto number = static_cast<std::uint32_t>(index);
  step_ = index;
  std::visit([this](const auto& trouble) { Apply(trouble, true); }, step.trouble);
  if (std::isfinite(step.lasts_s)) {
    stage_.After(static_cast<std::int64_t>(step.lasts_s * 1e9), Happening::kStepEnds, number);
  }
  if (step.every_s > 0) {
    stage_.After(static_cast<std::int64_t>(step.every_s * 1e9), Happening::kStepBegins, number);
  }
}

void Troubles::OnEnds(std::size_t index) {
  step_ = index;
  std::visit([this](const auto& trouble) { Apply(trouble, false); }, scenario_.steps[index].trouble);
}

RegionSet Troubles::Meant(const RegionSet& regions) const {
  if (!regions.empty()) return regions;
  RegionSet all;
  for (std::size_t i = 0; i < scenario_.fleet->world.regions.size(); ++i) all.push_back(RegionId(i));
  return all;
}

std::vector<WorkerId> Troubles::WorkersOf(RegionId region) const {
  std::vector<WorkerId> found;
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    if (workers_.places()[WorkerId(i)].region == region) found.push_back(WorkerId(i));
  }
  return found;
}

std::vector<WorkerId> Troubles::ShareOf(RegionId region, double share, double skip) const {
  const std::vector<WorkerId> here = WorkersOf(region);
  const auto first = static_cast<std::size_t>(std::ceil(skip * static_cast<double>(here.size())));
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(here.size())));
  std::vector<WorkerId> chosen;
  for (std::size_t i = first; i < first + count && i < here.size(); ++i) chosen.push_back(here[i]);
  return chosen;
}

std::int64_t Troubles::StepEndsNs() const {
  const double lasts_s = std::min(scenario_.steps[step_].lasts_s, scenario_.duration_s + 1);
  return stage_.queue.now_ns() + static_cast<std::int64_t>(lasts_s * 1e9);
}

std::vector<RouterId> Troubles::RoutersOf(RegionId region) const {
  std::vector<RouterId> found;
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    if (routers_.places()[RouterId(i)] == region) found.push_back(RouterId(i));
  }
  return found;
}

void Troubles::SetWorker(WorkerId worker, bool alive) {
  if (alive) {
    workers_.Revive(worker);
  } else {
    workers_.Kill(worker);
  }
}

// Steps may meet: what one has killed another may have brought back already.
void Troubles::SetRouter(RouterId router, bool alive) {
  if (routers_.alive(router) == alive) return;
  if (alive) {
    routers_.Revive(router);
    holders_.RouterRevived(router);
    control_.RouterRevived(router);
  } else {
    routers_.Kill(router);
    workers_.LoseRouter(router);
    holders_.RouterDied(router);
    control_.RouterDied(router);
  }
}

void Troubles::Apply(const KillWorkers& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    for (const WorkerId worker : ShareOf(region, kill.share, kill.skip)) SetWorker(worker, !begin);
  }
}

void Troubles::Apply(const KillRouters& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    const std::vector<RouterId> here = RoutersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kill.count) && i < here.size(); ++i) {
      SetRouter(here[i], !begin);
    }
  }
}

void Troubles::Apply(const KillHolders& kill, bool begin) {
  std::vector<RouterId>& killed = holders_killed_[step_];
  if (!begin) {
    for (const RouterId router : killed) SetRouter(router, true);
    killed.clear();
    return;
  }
  for (const RegionId region : Meant(kill.regions)) {
    for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      const RouterId router = holders_.holder(region, tier);
      if (!router.valid()) continue;
      killed.push_back(router);
      SetRouter(router, false);
    }
  }
}

void Troubles::Apply(const KillRegion& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    for (const WorkerId worker : WorkersOf(region)) SetWorker(worker, !begin);
    for (const RouterId router : RoutersOf(region)) SetRouter(router, !begin);
  }
}

void Troubles::Apply(const KillController&, bool begin) {
  if (begin) {
    control_.Kill();
  } else {
    control_.Revive();
  }
}

void Troubles::Command(decltype(controller::OperatorCommand::what) what, const char* why) {
  controller::OperatorCommand command;
  command.who = "scenario";
  command.why = why;
  command.what = std::move(what);
  control_.Command(std::move(command));
}

void Troubles::Apply(const DrainRegion& drain, bool begin) {
  for (const RegionId region : Meant(drain.regions)) {
    Command(
        controller::DrainCommand{
            .region = scenario_.fleet->world.regions[region].name, .tier = "", .drain = begin},
        "drain");
  }
}

void Troubles::Apply(const Partition& partition, bool begin) {
  if (begin) {
    stage_.network.Cut(partition.from, partition.to);
  } else {
    stage_.network.Heal(partition.from, partition.to);
  }
}

void Troubles::Apply(const ExtraDelay& delay, bool begin) {
  stage_.network.AddDelayMs(delay.from, delay.to, begin ? delay.rtt_ms : -delay.rtt_ms);
}

void Troubles::Apply(const SlowWorkers& slow, bool begin) {
  for (const RegionId region : Meant(slow.regions)) {
    for (const WorkerId worker : ShareOf(region, slow.share)) {
      workers_.SetSlowness(worker, begin ? slow.factor : 1);
    }
  }
}

void Troubles::Apply(const Sinkhole& sinkhole, bool begin) {
  for (const RegionId region : Meant(sinkhole.regions)) {
    const std::vector<WorkerId> here = WorkersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(sinkhole.count) && i < here.size(); ++i) {
      workers_.SetSinkhole(here[i], begin);
    }
  }
}

void Troubles::Apply(const StallWorkers& stall, bool begin) {
  if (!begin) return;  // they go on by themselves
  for (const RegionId region : Meant(stall.regions)) {
    for (const WorkerId worker : ShareOf(region, stall.share)) workers_.Stall(worker, StepEndsNs());
  }
}

void Troubles::Apply(const PauseRouters& pause, bool begin) {
  if (!begin) return;
  for (const RegionId region : Meant(pause.regions)) {
    const std::vector<RouterId> here = RoutersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pause.count) && i < here.size(); ++i) {
      routers_.Pause(here[i], StepEndsNs());
    }
  }
}

void Troubles::Apply(const BreakStreams& streams, bool begin) {
  if (!begin) return;
  for (const RegionId region : Meant(streams.regions)) holders_.BreakLinks(region, streams.share);
}

void Troubles::Apply(const FailJobs& fail, bool begin) {
  if (!begin) return;
  for (const RegionId region : Meant(fail.regions)) {
    for (const WorkerId worker : WorkersOf(region)) workers_.FailNext(worker, fail.count);
  }
}

void Troubles::Apply(const BadJobs& bad, bool begin) {
  for (const RegionId region : Meant(bad.regions)) crowd_.SetBadShare(region, begin ? bad.share : 0);
}

void Troubles::Apply(const ScaleDemand& scale, bool begin) {
  crowd_.Scale(scale.regions, begin ? scale.factor : 1 / scale.factor);
}

void Troubles::Apply(const FreezeMetrics& freeze, bool begin) {
  for (const RegionId region : Meant(freeze.regions)) control_.Freeze(region, begin);
}

void Troubles::Apply(const SetThreshold& set, bool begin) {
  const Tier& tier = scenario_.fleet->tiers[set.tier];
  Command(
      controller::ThresholdCommand{.tier = tier.name,
                                   .overload_threshold = begin ? set.value : tier.route.overload_threshold},
      "threshold");
}

}  // namespace ringway::sim
