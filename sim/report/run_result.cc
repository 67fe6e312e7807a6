#include "sim/report/run_result.h"

#include <algorithm>
#include <utility>

namespace ringway::sim {
namespace {

// The seconds of the window, and one that is not over.
std::vector<SecondTally> SecondsOf(const Simulation& run) {
  const std::vector<SecondTally>& all = run.tally().seconds();
  const Slice& slice = run.slice();
  const auto first = std::min(static_cast<std::size_t>(slice.from_s - slice.begins_s), all.size() - 1);
  std::size_t last = all.size();
  if (!slice.last()) last = std::min(last, static_cast<std::size_t>(slice.to_s - slice.begins_s) + 1);
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

ScalingResult ScalingOf(const Simulation& run) {
  const Fleet& fleet = *run.scenario().fleet;
  ScalingResult scaling{.totals = run.autoscaler().totals(), .paid_s = {}};
  for (RegionId region(0); region != fleet.world.regions.end_id(); region = RegionId(region.index() + 1)) {
    IdVector<TierId, double> paid_s;
    for (std::size_t t = 0; t < fleet.tiers.size(); ++t) {
      paid_s.push_back(run.autoscaler().paid_s(region, TierId(t)));
    }
    scaling.paid_s.push_back(std::move(paid_s));
  }
  return scaling;
}

}  // namespace

RunResult ResultOf(const Simulation& run) {
  const Simulation::Mark began = run.window_began();
  const Simulation::Mark ended = run.window_ended();
  RunResult result{.scenario = run.shared_scenario(),
                   .complete = run.finished(),
                   .now_s = std::min(run.now_s(), run.slice().to_s),
                   .events = ended.events - began.events,
                   .routers = run.routers(),
                   .totals = run.tally().totals(),
                   .seconds = SecondsOf(run),
                   .flows = run.tally().flows(),
                   .rtt_cost = ended.rtt_cost - began.rtt_cost,
                   .rtt_cost_optimal = ended.rtt_cost_optimal - began.rtt_cost_optimal,
                   .scaling = std::nullopt,
                   .violations = run.checkers().violations()};
  if (run.autoscaler().active()) result.scaling = ScalingOf(run);
  return result;
}

}  // namespace ringway::sim
