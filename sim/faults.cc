#include "sim/faults.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "sim/observers/observer.h"

namespace ringway::sim {

Faults::Faults(Stage& stage, const Scenario& scenario, const Populations& populations)
    : stage_(stage),
      scenario_(scenario),
      clients_(populations.clients),
      routers_(populations.routers),
      workers_(populations.workers),
      leaders_(populations.leaders),
      registries_(populations.registries),
      control_(populations.control),
      once_(populations.once),
      orders_(populations.orders),
      streams_(stage, scenario, populations.routers, populations.workers),
      leaders_killed_(scenario.steps.size()),
      clock_back_(populations.workers.count(), ZeroDuration()) {}

void Faults::Begin() {
  const std::int64_t now_ns = stage_.queue.now_ns();
  StepsAt steps = StepsAround(scenario_, now_ns);
  replay_ = std::move(steps.replay);
  for (std::size_t i = 0; i < replay_.size(); ++i) {
    stage_.AtNs(now_ns, Happening::kStepBegins, static_cast<std::uint32_t>(replay_[i].step),
                static_cast<std::uint32_t>(i + 1));
  }
  for (const StepMoment& moment : steps.to_come) {
    stage_.AtNs(moment.at_ns, moment.begins ? Happening::kStepBegins : Happening::kStepEnds,
                static_cast<std::uint32_t>(moment.step));
  }
}

void Faults::Replay(const StepMoment& moment) {
  const Fault& fault = scenario_.steps[moment.step].fault;
  // The clients have lived through these themselves.
  if (std::holds_alternative<ScaleDemand>(fault) || std::holds_alternative<BadJobs>(fault)) return;
  step_ = moment.step;
  begun_ns_ = moment.begun_ns;
  std::visit([this, &moment](const auto& kind) { Apply(kind, moment.begins); }, fault);
}

void Faults::OnBegins(std::size_t index, std::uint32_t replayed) {
  if (replayed > 0) return Replay(replay_[replayed - 1]);
  const ScenarioStep& step = scenario_.steps[index];
  const auto number = static_cast<std::uint32_t>(index);
  step_ = index;
  begun_ns_ = stage_.queue.now_ns();
  std::visit([this](const auto& fault) { Apply(fault, true); }, step.fault);
  if (std::isfinite(step.lasts_s)) {
    stage_.After(static_cast<std::int64_t>(step.lasts_s * 1e9), Happening::kStepEnds, number);
  }
  if (step.every_s > 0) {
    stage_.After(static_cast<std::int64_t>(step.every_s * 1e9), Happening::kStepBegins, number);
  }
}

void Faults::OnEnds(std::size_t index) {
  step_ = index;
  std::visit([this](const auto& fault) { Apply(fault, false); }, scenario_.steps[index].fault);
}

RegionSet Faults::Meant(const RegionSet& regions) const {
  if (!regions.empty()) return regions;
  RegionSet all;
  for (std::size_t i = 0; i < scenario_.fleet->world.regions.size(); ++i) all.push_back(RegionId(i));
  return all;
}

std::vector<WorkerId> Faults::WorkersOf(RegionId region) const {
  std::vector<WorkerId> found;
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    if (workers_.places()[WorkerId(i)].region == region) found.push_back(WorkerId(i));
  }
  return found;
}

std::vector<WorkerId> Faults::ShareOf(RegionId region, double share, double skip) const {
  const std::vector<WorkerId> here = WorkersOf(region);
  const auto first = static_cast<std::size_t>(std::ceil(skip * static_cast<double>(here.size())));
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(here.size())));
  std::vector<WorkerId> chosen;
  for (std::size_t i = first; i < first + count && i < here.size(); ++i) chosen.push_back(here[i]);
  return chosen;
}

std::int64_t Faults::StepEndsNs() const {
  const double lasts_s = std::min(scenario_.steps[step_].lasts_s, scenario_.duration_s + 1);
  return begun_ns_ + static_cast<std::int64_t>(lasts_s * 1e9);
}

std::vector<RouterId> Faults::RoutersOf(RegionId region) const {
  std::vector<RouterId> found;
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    if (routers_.places()[RouterId(i)] == region) found.push_back(RouterId(i));
  }
  return found;
}

void Faults::SetWorker(WorkerId worker, bool alive) {
  if (alive) {
    workers_.Revive(worker, clock_back_[worker]);
  } else {
    workers_.Kill(worker);
  }
}

// Steps may meet: what one has killed another may have brought back already.
void Faults::SetRouter(RouterId router, bool alive) {
  if (routers_.alive(router) == alive) return;
  if (alive) {
    routers_.Revive(router);
    leaders_.RouterRevived(router);
    registries_.RouterRevived(router);
    control_.RouterRevived(router);
  } else {
    routers_.Kill(router);
    workers_.LoseRouter(router);
    leaders_.RouterDied(router);
    once_.RouterDied(router);
    orders_.RouterDied(router);
    registries_.RouterDied(router);
    control_.RouterDied(router);
  }
}

void Faults::Apply(const KillWorkers& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    for (const WorkerId worker : ShareOf(region, kill.share, kill.skip)) SetWorker(worker, !begin);
  }
}

void Faults::Apply(const KillRouters& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    const std::vector<RouterId> here = RoutersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kill.count) && i < here.size(); ++i) {
      SetRouter(here[i], !begin);
    }
  }
}

void Faults::Apply(const RestartRouters& restart, bool begin) {
  for (const RegionId region : Meant(restart.regions)) {
    const std::vector<RouterId> here = RoutersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(restart.count) && i < here.size(); ++i) {
      if (begin) {
        if (!routers_.alive(here[i])) continue;
        routers_.Step(here[i], router::DrainChanged{.draining = true});
        routers_.Rest(here[i]);
      } else {
        SetRouter(here[i], false);
        SetRouter(here[i], true);
      }
    }
  }
}

void Faults::Apply(const KillLeaders& kill, bool begin) {
  std::vector<RouterId>& killed = leaders_killed_[step_];
  if (!begin) {
    for (const RouterId router : killed) SetRouter(router, true);
    killed.clear();
    return;
  }
  for (const RegionId region : Meant(kill.regions)) {
    for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      const RouterId router = leaders_.leader(region, tier);
      if (!router.valid()) continue;
      killed.push_back(router);
      SetRouter(router, false);
    }
  }
}

void Faults::Apply(const KillRegion& kill, bool begin) {
  for (const RegionId region : Meant(kill.regions)) {
    for (const WorkerId worker : WorkersOf(region)) SetWorker(worker, !begin);
    for (const RouterId router : RoutersOf(region)) SetRouter(router, !begin);
  }
}

void Faults::Apply(const KillController& kill, bool begin) {
  if (!begin) {
    control_.Revive();
  } else if (kill.graceful) {
    control_.GoDown();
  } else {
    control_.Kill();
  }
}

void Faults::Command(decltype(controller::OperatorCommand::what) what, const char* why, Duration lasts) {
  controller::OperatorCommand command;
  command.who = "scenario";
  command.why = why;
  command.what = std::move(what);
  command.lasts = lasts;
  control_.Command(std::move(command));
}

void Faults::Apply(const DrainRegion& drain, bool begin) {
  if (drain.expires && !begin) return;  // it reverts by itself
  const Duration lasts =
      drain.expires ? std::max(controller::kTermMin, Nanoseconds(StepEndsNs() - stage_.queue.now_ns()))
                    : ZeroDuration();
  for (const RegionId region : Meant(drain.regions)) {
    Command(controller::DrainCommand{.region = scenario_.fleet->world.regions[region].name,
                                     .tier = "",
                                     .drain = begin,
                                     .share = drain.share},
            "drain", lasts);
  }
}

void Faults::Apply(const Partition& partition, bool begin) {
  for (Observer* observer : stage_.observers) observer->OnPartition(stage_.Now(), begin);
  if (begin) {
    stage_.network.Cut(partition.from, partition.to);
  } else {
    stage_.network.Heal(partition.from, partition.to);
  }
  control_.SeeNetwork();
}

void Faults::Apply(const ExtraDelay& delay, bool begin) {
  stage_.network.AddDelayMs(delay.from, delay.to, begin ? delay.rtt_ms : -delay.rtt_ms);
}

void Faults::Apply(const SlowWorkers& slow, bool begin) {
  for (const RegionId region : Meant(slow.regions)) {
    for (const WorkerId worker : ShareOf(region, slow.share)) {
      workers_.SetSlowness(worker, begin ? slow.factor : 1);
    }
  }
}

void Faults::Apply(const DrainWorkers& drain, bool begin) {
  for (const RegionId region : Meant(drain.regions)) {
    for (const WorkerId worker : ShareOf(region, drain.share)) workers_.Drain(worker, begin);
  }
}

void Faults::Apply(const Sinkhole& sinkhole, bool begin) {
  for (const RegionId region : Meant(sinkhole.regions)) {
    const std::vector<WorkerId> here = WorkersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(sinkhole.count) && i < here.size(); ++i) {
      workers_.SetSinkhole(here[i], begin);
    }
  }
}

void Faults::Apply(const StallWorkers& stall, bool begin) {
  if (!begin) return;  // they go on by themselves
  stage_.stopped_until_ns = std::max(stage_.stopped_until_ns, StepEndsNs());
  for (const RegionId region : Meant(stall.regions)) {
    for (const WorkerId worker : ShareOf(region, stall.share)) workers_.Stall(worker, StepEndsNs());
  }
}

void Faults::Apply(const PauseRouters& pause, bool begin) {
  if (!begin) return;
  stage_.stopped_until_ns = std::max(stage_.stopped_until_ns, StepEndsNs());
  for (const RegionId region : Meant(pause.regions)) {
    const std::vector<RouterId> here = RoutersOf(region);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pause.count) && i < here.size(); ++i) {
      routers_.Pause(here[i], StepEndsNs());
    }
  }
}

void Faults::Apply(const BreakStreams& streams, bool begin) {
  if (!begin) return;
  const auto late_ns = static_cast<std::int64_t>(streams.late_s * 1e9);
  for (const RegionId region : Meant(streams.regions)) {
    leaders_.BreakLinks(region, streams.share, late_ns);
    registries_.BreakStreams(region, streams.share, late_ns);
    control_.BreakStreams(region, streams.share, late_ns);
    streams_.Break(region, streams.share, late_ns);
  }
}

void Faults::Apply(const FailJobs& fail, bool begin) {
  if (!begin) return;
  for (const RegionId region : Meant(fail.regions)) {
    for (const WorkerId worker : WorkersOf(region)) workers_.FailNext(worker, fail.count);
  }
}

void Faults::Apply(const BadJobs& bad, bool begin) {
  for (const RegionId region : Meant(bad.regions)) clients_.SetBadShare(region, begin ? bad.share : 0);
}

void Faults::Apply(const ScaleDemand& scale, bool begin) {
  clients_.Scale(scale.regions, begin ? scale.factor : 1 / scale.factor);
}

void Faults::Apply(const FreezeMetrics& freeze, bool begin) {
  for (const RegionId region : Meant(freeze.regions)) control_.reports().Freeze(region, begin);
}

void Faults::Apply(const SetThreshold& set, bool begin) {
  const Tier& tier = scenario_.fleet->tiers[set.tier];
  Command(
      controller::ThresholdCommand{.tier = tier.name,
                                   .overload_threshold = begin ? set.value : tier.route.overload_threshold},
      "threshold");
}

// Who is dead at the time comes back as the operator starts it.
void Faults::Apply(const WrongTier& wrong, bool begin) {
  for (const RegionId region : Meant(wrong.regions)) {
    for (const WorkerId worker : ShareOf(region, wrong.share)) workers_.Restart(worker, begin);
  }
}

void Faults::Apply(const LoseWrites& lose, bool begin) {
  for (const RegionId region : lose.routers ? Meant(lose.regions) : RegionSet()) {
    for (const RouterId router : RoutersOf(region)) {
      routers_.LoseWrites(router, begin, lose.wiped);
      registries_.LoseWrites(router, begin, lose.wiped);
    }
  }
  if (lose.controller) control_.LoseWrites(begin, lose.wiped);
}

void Faults::Apply(const SetClocksBack& clocks, bool begin) {
  for (const RegionId region : Meant(clocks.regions)) {
    for (const WorkerId worker : ShareOf(region, clocks.share)) {
      clock_back_[worker] = begin ? Seconds(clocks.by_s) : ZeroDuration();
    }
  }
}

void Faults::Apply(const OrderRouters& order, bool begin) {
  for (const RegionId region : Meant(order.regions)) {
    orders_.Drain(region, ShareOf(region, order.share), begin);
    if (begin) orders_.Cancel(region, order.cancel);
  }
}

void Faults::StartAnew(RouterId router, Release release) {
  stage_.releases.routers[router] = release;
  if (!routers_.alive(router)) return;
  SetRouter(router, false);
  SetRouter(router, true);
}

void Faults::StartAnew(WorkerId worker, Release release) {
  stage_.releases.workers[worker] = release;
  if (!workers_.alive(worker)) return;
  SetWorker(worker, false);
  SetWorker(worker, true);
}

void Faults::Apply(const Upgrade& upgrade, bool begin) {
  const Release release = upgrade.back ? Release::kFormer : Release::kPresent;
  const RegionSet regions = Meant(upgrade.regions);
  for (const RegionId region : upgrade.routers ? regions : RegionSet()) {
    for (const RouterId router : RoutersOf(region)) {
      if (begin) {
        if (!routers_.alive(router)) continue;
        routers_.Step(router, router::DrainChanged{.draining = true});
        routers_.Rest(router);
      } else {
        StartAnew(router, release);
      }
    }
  }
  for (const RegionId region : upgrade.workers ? regions : RegionSet()) {
    for (const WorkerId worker : WorkersOf(region)) {
      if (begin) {
        workers_.Drain(worker, true);
      } else {
        StartAnew(worker, release);
      }
    }
  }
  if (begin || !upgrade.controller) return;
  const bool alive = control_.alive();
  if (alive) control_.Kill();
  stage_.releases.controller = release;
  if (alive) control_.Revive();
}

void Faults::Apply(const LoadTopology& load, bool begin) {
  control_.Load(begin ? load.fleet : scenario_.fleet);
}

}  // namespace ringway::sim
