#include "controller/planner/refine.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "controller/planner/transport.h"

namespace ringway::planner {
namespace {

// Fewer leave gaps that need another solve, more cost time in every solve: 48 was quickest at 1000 and at
// 5000 regions filled to 98 %, by 10 to 30 % against 64 and 96.
constexpr std::size_t kArcsNearest = 48;
constexpr double kGapMax = 0.002;
constexpr int kSolvesMax = 3;
// Arcs added to one source after a solve, the nearest of those that the prices call for.
constexpr std::size_t kArcsAddedMax = 128;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Refinement {
 public:
  Refinement(const Reach& reach, const Tier& tier, Draft& draft)
      : reach_(reach), tier_(tier), draft_(draft), target_index_(draft.size(), kNone) {}

  double Run() {
    Collect();
    if (sources_.empty()) return 0;
    double bound = 0;
    for (int solve = 0; solve < kSolvesMax; ++solve) {
      BuildArcs();
      const TransportFlow flow = SolveTransport(problem_);
      if (!flow.solved) return bound;  // the draft stands: the loop's, or the last solution
      Apply(flow);
      const double cost = Cost();
      bound = std::max(bound, BoundAndMissingArcs(flow.room_price));
      if (cost > bound * (1 + kGapMax))
        bound = std::max(bound, BoundAndMissingArcs(LeastPrices(problem_, flow)));
      if (cost <= bound * (1 + kGapMax) || !arcs_missing_) return std::min(bound, cost);
    }
    return std::min(bound, Cost());
  }

 private:
  // Sources that send, targets that have room or receive; frozen rows aside.
  void Collect() {
    IdVector<RegionId, double> movable_rps(draft_.size());
    double supply = 0;
    ForEachRegion(draft_.size(), [&](RegionId source) {
      if (draft_.sites[source].frozen || draft_.away[source].empty()) return;
      double total = 0;
      for (const Flow& flow : draft_.away[source]) {
        movable_rps[flow.target] += flow.rps;
        total += flow.rps;
      }
      if (total <= 0) return;
      sources_.push_back(source);
      problem_.supply.push_back(total);
      supply += total;
      extra_.emplace_back();
    });
    ForEachRegion(draft_.size(), [&](RegionId target) {
      const double room = std::max(0.0, draft_.RoomRps(target)) + movable_rps[target];
      if (room <= draft_.Epsilon(target)) return;
      target_index_[target] = static_cast<std::uint32_t>(targets_.size());
      targets_.push_back(target);
      // Nobody can use more room than there is supply. The bound has to price the same room as the simplex
      // does: a target that could take everything is full to it, and its price counts for that much room
      // only.
      problem_.room.push_back(std::min(room, supply));
    });
  }

  std::size_t Open(RegionId source) const {
    if (tier_.route.escalation == Escalation::kWhenFull) return reach_.rings();
    const Site& site = draft_.sites[source];
    return reach_.RingsUnlocked(site.Level(site.demand_total_rps));
  }

  // Per source: the nearest with room, what is used now, and what the prices asked for.
  void BuildArcs() {
    problem_.arcs.clear();
    std::vector<char> taken(targets_.size());
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      const RegionId source = sources_[s];
      const std::size_t first = problem_.arcs.size();
      const auto add = [&](std::uint32_t target) {
        if (target == kNone || taken[target]) return;
        taken[target] = 1;
        problem_.arcs.push_back({s, target, static_cast<float>(reach_.rtt_ms(source, targets_[target]))});
      };
      const std::size_t end = reach_.CountWithin(source, Open(source));
      for (const std::uint16_t t : reach_.Targets(source).first(end)) {
        add(target_index_[RegionId(t)]);
        if (problem_.arcs.size() - first >= kArcsNearest) break;
      }
      for (const Flow& flow : draft_.away[source]) add(target_index_[flow.target]);
      for (const std::uint32_t target : extra_[s]) add(target);
      for (std::size_t a = first; a < problem_.arcs.size(); ++a) taken[problem_.arcs[a].target] = 0;
    }
  }

  void Apply(const TransportFlow& flow) {
    for (const RegionId source : sources_) draft_.BringBack(source);
    std::size_t a = 0;
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      const std::size_t first = a;
      double placed = 0;
      for (; a < problem_.arcs.size() && problem_.arcs[a].source == s; ++a) placed += flow.rate[a];
      // Makes good what rounding to the simplex's integers took.
      const double scale = placed > 0 ? problem_.supply[s] / placed : 0;
      for (std::size_t k = first; k < a; ++k) {
        if (flow.rate[k] > 0) {
          draft_.Send(sources_[s], targets_[problem_.arcs[k].target], flow.rate[k] * scale);
        }
      }
    }
  }

  double Cost() const {
    double cost = 0;
    for (const RegionId source : sources_) {
      for (const Flow& flow : draft_.away[source]) cost += flow.rps * reach_.rtt_ms(source, flow.target);
    }
    return cost;
  }

  // Evaluates the dual over all arcs of all sources; notes per source the arcs that would lower the cost.
  double BoundAndMissingArcs(const std::vector<double>& price) {
    double bound = 0;
    arcs_missing_ = false;
    for (std::size_t t = 0; t < targets_.size(); ++t) bound -= problem_.room[t] * price[t];
    std::size_t a = 0;
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      double least = std::numeric_limits<double>::max();
      for (; a < problem_.arcs.size() && problem_.arcs[a].source == s; ++a) {
        least = std::min(least, problem_.arcs[a].cost + price[problem_.arcs[a].target]);
      }
      bound += problem_.supply[s] * LeastOverAllArcs(s, least, price);
    }
    return bound;
  }

  double LeastOverAllArcs(std::uint32_t s, double least_of_arcs, const std::vector<double>& price) {
    const RegionId source = sources_[s];
    double least = least_of_arcs;
    std::size_t added = 0;
    const std::size_t end = reach_.CountWithin(source, Open(source));
    const std::span<const std::uint16_t> nearest = reach_.Targets(source).first(end);
    for (std::size_t k = 0; k < nearest.size(); ++k) {
      const RegionId target(nearest[k]);
      const double rtt = reach_.rtt_ms(source, target);
      if (rtt >= least_of_arcs) break;  // prices are not negative: nothing further can be cheaper
      const std::uint32_t index = target_index_[target];
      if (index == kNone || rtt + price[index] >= least_of_arcs) continue;
      least = std::min(least, rtt + price[index]);
      if (++added <= kArcsAddedMax) extra_[s].push_back(index);
      arcs_missing_ = true;
    }
    return least;
  }

  const Reach& reach_;
  const Tier& tier_;
  Draft& draft_;
  IdVector<RegionId, std::uint32_t> target_index_;
  std::vector<RegionId> sources_;
  std::vector<RegionId> targets_;
  std::vector<std::vector<std::uint32_t>> extra_;  // per source, kSolvesMax x kArcsAddedMax at most
  TransportProblem problem_;
  bool arcs_missing_ = false;
};

}  // namespace

double RttCost(const Reach& reach, const Draft& draft) {
  double cost = 0;
  ForEachRegion(draft.size(), [&](RegionId source) {
    for (const Flow& flow : draft.away[source]) cost += flow.rps * reach.rtt_ms(source, flow.target);
  });
  return cost;
}

double RefineOptimal(const Reach& reach, const Tier& tier, Draft& draft) {
  return Refinement(reach, tier, draft).Run();
}

}  // namespace ringway::planner
