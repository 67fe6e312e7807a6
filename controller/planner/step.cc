#include "controller/planner/step.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "controller/planner/soundness.h"

namespace ringway::planner {
namespace {

// Rounds of slowing rows down; the search then also hurries rows, and at last takes the whole plan.
constexpr int kSlowRoundsMax = 6;
constexpr int kRoundsMax = 16;
// Entries below this are not worth a line in a table.
constexpr double kEntryMin = 1e-6;

double FractionTo(const Row& row, RegionId target) {
  for (const Route& route : row.routes) {
    if (route.target == target) return route.fraction;
  }
  return 0;
}

// Calls visit(route, change) for every target of either row; `route` is the one of `to` where it has one.
template <class Visit>
void ForEachChange(const Row& from, const Row& to, Visit visit) {
  for (const Route& route : to.routes) visit(route, route.fraction - FractionTo(from, route.target));
  for (const Route& route : from.routes) {
    if (FractionTo(to, route.target) <= 0) visit(route, -route.fraction);
  }
}

}  // namespace

double RowDistance(const Row& from, const Row& to) {
  double moved = std::abs(to.shed_fraction - from.shed_fraction);
  ForEachChange(from, to, [&](const Route&, double change) { moved += std::abs(change); });
  return moved / 2;
}

Row Blend(const Row& from, const Row& to, double f, RegionId source, const Reach& reach) {
  Row row;
  row.shed_fraction = from.shed_fraction + f * (to.shed_fraction - from.shed_fraction);
  double sum = row.shed_fraction;
  ForEachChange(from, to, [&](const Route& route, double change) {
    Route blended = route;
    blended.fraction = FractionTo(from, route.target) + f * change;
    if (blended.fraction < kEntryMin) return;
    sum += blended.fraction;
    row.routes.push_back(blended);
  });
  std::sort(row.routes.begin(), row.routes.end(), [&](const Route& a, const Route& b) {
    return std::tuple(a.target != source, reach.rtt_ms(source, a.target), a.target) <
           std::tuple(b.target != source, reach.rtt_ms(source, b.target), b.target);
  });
  row.shed_fraction /= sum;
  for (Route& route : row.routes) route.fraction /= sum;
  return row;
}

StepSearch::StepSearch(const Tier& tier, const Reach& reach, const Draft& draft, const TierTable& in_force,
                       const TierTable& planned)
    : tier_(tier), draft_(draft), before_(TrafficUnder(in_force, draft.sites, reach)) {
  for (std::size_t p = 0; p < planned.priorities(); ++p) {
    const auto priority = static_cast<Priority>(p);
    ForEachRegion(draft.size(), [&](RegionId source) {
      const Row& from = in_force.at(priority, source);
      const Row& to = planned.at(priority, source);
      RowStep step{.priority = priority, .source = source, .distance = RowDistance(from, to), .change = {}};
      if (step.distance <= 0) return;
      const bool home_is_dead = draft.sites[source].headroom <= 0 && FractionTo(from, source) > 0;
      step.at_once = home_is_dead || !RowSound(from, source, draft.sites, reach);
      if (step.at_once) {
        step.progress = 1;
      } else {
        // Nobody is refused for the sake of damping: what the plan sheds less comes on top of the step.
        const double readmitted = std::max(0.0, from.shed_fraction - to.shed_fraction);
        step.progress = std::min(1.0, (tier.guard.step_max + readmitted) / step.distance);
      }
      const double demand_rps = draft.sites[source].demand_rps[p];
      ForEachChange(from, to, [&](const Route& route, double change) {
        step.change.push_back({route.target, demand_rps * change});
      });
      steps_.push_back(std::move(step));
    });
  }
}

Traffic StepSearch::TrafficNow() const {
  Traffic traffic = before_;
  for (const RowStep& step : steps_) {
    for (const Flow& change : step.change) {
      traffic.served_rps[change.target] += step.progress * change.rps;
      if (change.target != step.source) traffic.imported_rps[change.target] += step.progress * change.rps;
    }
  }
  return traffic;
}

// Takes `over_rps` out of what the steps bring to the receiver. Its own requests coming home are not slowed:
// they have the first right to their region.
void StepSearch::SlowDown(RegionId receiver, double over_rps) {
  const auto brings = [&](const RowStep& step) {
    if (step.at_once || step.source == receiver) return 0.0;
    for (const Flow& change : step.change) {
      if (change.target == receiver) return std::max(0.0, step.progress * change.rps);
    }
    return 0.0;
  };
  double brought = 0;
  for (const RowStep& step : steps_) brought += brings(step);
  const double keep = brought > over_rps ? 1 - over_rps / brought : 0;
  for (RowStep& step : steps_) {
    if (brings(step) > 0) step.progress *= keep;
  }
}

void StepSearch::Hurry(RegionId receiver) {
  for (RowStep& step : steps_) {
    for (const Flow& change : step.change) {
      if (change.target != receiver || change.rps >= 0) continue;
      step.progress = 1;
      step.at_once = true;
    }
  }
}

void StepSearch::MakeSound() {
  for (int round = 0; round < kRoundsMax; ++round) {
    const Traffic traffic = TrafficNow();
    const std::vector<RegionId> lifted = LiftedReceivers(traffic, tier_, draft_.sites);
    if (lifted.empty()) return;
    for (const RegionId receiver : lifted) {
      const Site& site = draft_.sites[receiver];
      const double over_rps = std::max(traffic.served_rps[receiver] - CeilingRps(site, tier_),
                                       traffic.imported_rps[receiver] - ImportCeilingRps(site, tier_));
      SlowDown(receiver, over_rps);
      if (round >= kSlowRoundsMax) Hurry(receiver);
    }
  }
  if (LiftedReceivers(TrafficNow(), tier_, draft_.sites).empty()) return;
  for (RowStep& step : steps_) step.progress = 1;
}

}  // namespace ringway::planner
