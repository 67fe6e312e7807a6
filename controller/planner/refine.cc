#include "controller/planner/refine.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "controller/planner/transport.h"

namespace ringway::planner {
namespace {

// A source starts with its nearest targets: so many at least, and until their room is so many times what it
// sends, since others want it, too. Fewer cost more solves, more cost time in each.
constexpr std::size_t kArcsNearest = 16;
constexpr double kRoomNearest = 8;
constexpr double kGapMax = 0.002;
constexpr int kSolvesMax = 16;
// Arcs added to one source after a solve besides those that are each cheaper than all nearer ones: they spare
// further solves.
constexpr std::size_t kArcsAddedBesides = 32;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct MissingArc {
  std::uint32_t source;
  std::uint32_t target;
  double rtt_ms;
};

class Refinement {
 public:
  Refinement(const Reach& reach, const Tier& tier, Draft& draft)
      : reach_(reach), tier_(tier), draft_(draft), target_index_(draft.size(), kNone) {}

  double Run() {
    Collect();
    if (sources_.empty()) return 0;
    Transport transport(supply_, room_);
    AddNearArcs(transport);
    double bound = 0;
    for (int solve = 0; solve < kSolvesMax && transport.Solve(); ++solve) {
      Apply(transport);
      bound = std::max(bound, Bound(transport));
      if (Cost() <= bound * (1 + kGapMax) || missing_.empty()) break;
      for (const auto& [source, target, rtt] : missing_) transport.AddArc(source, target, rtt);
    }
    return std::min(bound, Cost());
  }

 private:
  // Sources that send, targets that have room or receive; frozen rows aside.
  void Collect() {
    IdVector<RegionId, double> movable_rps(draft_.size());
    ForEachRegion(draft_.size(), [&](RegionId source) {
      if (draft_.sites[source].frozen || draft_.away[source].empty()) return;
      double total = 0;
      for (const Flow& flow : draft_.away[source]) {
        movable_rps[flow.target] += flow.rps;
        total += flow.rps;
      }
      if (total <= 0) return;
      sources_.push_back(source);
      supply_.push_back(total);
    });
    ForEachRegion(draft_.size(), [&](RegionId target) {
      const double room = std::max(0.0, draft_.RoomRps(target)) + movable_rps[target];
      if (room <= draft_.Epsilon(target)) return;
      target_index_[target] = static_cast<std::uint32_t>(targets_.size());
      targets_.push_back(target);
      room_.push_back(room);
    });
  }

  std::size_t Open(RegionId source) const {
    if (tier_.route.escalation == Escalation::kWhenFull) return reach_.rings();
    const Site& site = draft_.sites[source];
    return reach_.RingsUnlocked(site.Level(site.demand_total_rps));
  }

  // Per source: the nearest with room, and what is used now.
  void AddNearArcs(Transport& transport) {
    std::vector<char> taken(targets_.size());
    std::vector<std::uint32_t> added;
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      const RegionId source = sources_[s];
      const auto add = [&](std::uint32_t target) {
        if (target == kNone || taken[target]) return;
        taken[target] = 1;
        added.push_back(target);
        transport.AddArc(s, target, reach_.rtt_ms(source, targets_[target]));
      };
      const std::size_t end = reach_.CountWithin(source, Open(source));
      double room = 0;
      for (const std::uint16_t t : reach_.Targets(source).first(end)) {
        const std::uint32_t target = target_index_[RegionId(t)];
        if (target == kNone) continue;
        add(target);
        room += room_[target];
        if (added.size() >= kArcsNearest && room >= kRoomNearest * supply_[s]) break;
      }
      for (const Flow& flow : draft_.away[source]) add(target_index_[flow.target]);
      for (const std::uint32_t target : added) taken[target] = 0;
      added.clear();
    }
  }

  void Apply(const Transport& transport) {
    for (const RegionId source : sources_) draft_.BringBack(source);
    const std::vector<Transport::Flow> flows = transport.Flows();
    std::vector<double> placed(sources_.size());
    for (const Transport::Flow& flow : flows) placed[flow.source] += flow.rate;
    for (const Transport::Flow& flow : flows) {
      // Makes good what rounding to whole units took.
      const double scale = supply_[flow.source] / placed[flow.source];
      draft_.Send(sources_[flow.source], targets_[flow.target], flow.rate * scale);
    }
  }

  double Cost() const {
    double cost = 0;
    for (const RegionId source : sources_) {
      for (const Flow& flow : draft_.away[source]) cost += flow.rps * reach_.rtt_ms(source, flow.target);
    }
    return cost;
  }

  // Evaluates the dual over all arcs of all sources; notes the arcs that would lower the cost.
  double Bound(const Transport& transport) {
    double bound = 0;
    missing_.clear();
    IdVector<RegionId, double> price(draft_.size(), std::numeric_limits<double>::max());
    for (std::uint32_t t = 0; t < targets_.size(); ++t) {
      price[targets_[t]] = transport.RoomPrice(t);
      bound -= room_[t] * price[targets_[t]];
    }
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      bound += supply_[s] * LeastOverAllArcs(s, transport.LeastCost(s), price);
    }
    return bound;
  }

  double LeastOverAllArcs(std::uint32_t s, double least_of_arcs, const IdVector<RegionId, double>& price) {
    const RegionId source = sources_[s];
    double least = least_of_arcs;
    std::size_t besides = 0;
    const std::size_t end = reach_.CountWithin(source, Open(source));
    for (const std::uint16_t t : reach_.Targets(source).first(end)) {
      const RegionId target(t);
      const double rtt = reach_.rtt_ms(source, target);
      if (rtt >= least) break;  // prices are not negative: nothing further can be cheaper
      const double cost = rtt + price[target];
      if (cost >= least_of_arcs || (cost >= least && ++besides > kArcsAddedBesides)) continue;
      least = std::min(least, cost);
      missing_.push_back({s, target_index_[target], rtt});
    }
    return least;
  }

  const Reach& reach_;
  const Tier& tier_;
  Draft& draft_;
  IdVector<RegionId, std::uint32_t> target_index_;
  std::vector<RegionId> sources_;
  std::vector<RegionId> targets_;
  std::vector<double> supply_, room_;  // requests/s, of sources_ and targets_
  std::vector<MissingArc> missing_;
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
