#include "controller/planner/closure.h"

#include <algorithm>

#include "controller/planner/offload.h"

namespace ringway::planner {
namespace {

// Sources that send to each target, frozen rows aside: those do not move.
IdVector<RegionId, std::vector<RegionId>> Senders(const Draft& draft) {
  IdVector<RegionId, std::vector<RegionId>> senders(draft.size());
  ForEachRegion(draft.size(), [&](RegionId source) {
    if (draft.sites[source].frozen) return;
    for (const Flow& flow : draft.away[source]) {
      if (flow.rps > draft.Epsilon(flow.target)) senders[flow.target].push_back(source);
    }
  });
  return senders;
}

double& FlowRps(Draft& draft, RegionId source, RegionId target) {
  std::vector<Flow>& flows = draft.away[source];
  const auto flow =
      std::find_if(flows.begin(), flows.end(), [&](const Flow& f) { return f.target == target; });
  if (flow != flows.end()) return flow->rps;
  flows.push_back({target, 0});
  return flows.back().rps;
}

}  // namespace

Closure Explore(const Reach& reach, const Tier& tier, const Draft& draft, RegionId stuck) {
  Closure closure;
  const IdVector<RegionId, std::vector<RegionId>> senders = Senders(draft);
  IdVector<RegionId, RegionId> seen_from(draft.size());       // target <- source that found it
  IdVector<RegionId, RegionId> displaced_from(draft.size());  // source <- target where it makes room
  IdVector<RegionId, char> source_seen(draft.size());
  closure.sources.push_back(stuck);
  source_seen[stuck] = 1;
  for (std::size_t k = 0; k < closure.sources.size() && closure.targets.size() < draft.size(); ++k) {
    const RegionId source = closure.sources[k];
    const std::size_t end = reach.CountWithin(source, OpenRings(reach, tier, draft, source));
    for (const std::uint16_t t : reach.Targets(source).first(end)) {
      const RegionId target(t);
      if (seen_from[target].valid()) continue;
      seen_from[target] = source;
      closure.targets.push_back(target);
      if (draft.RoomRps(target) > draft.Epsilon(target)) {
        for (RegionId at = target; at.valid(); at = displaced_from[seen_from[at]]) {
          closure.way_out.push_back({seen_from[at], at});
        }
        std::reverse(closure.way_out.begin(), closure.way_out.end());
        return closure;
      }
      for (const RegionId sender : senders[target]) {
        if (source_seen[sender]) continue;
        source_seen[sender] = 1;
        displaced_from[sender] = target;
        closure.sources.push_back(sender);
      }
    }
  }
  return closure;
}

double MoveAlong(const std::vector<Closure::Step>& way_out, Draft& draft) {
  const RegionId stuck = way_out.front().source;
  const RegionId last = way_out.back().target;
  double rps = std::min(draft.ExcessRps(stuck), draft.RoomRps(last));
  for (std::size_t k = 1; k < way_out.size(); ++k) {
    rps = std::min(rps, FlowRps(draft, way_out[k].source, way_out[k - 1].target));
  }
  for (std::size_t k = 0; k < way_out.size(); ++k) {
    if (k > 0) FlowRps(draft, way_out[k].source, way_out[k - 1].target) -= rps;
    FlowRps(draft, way_out[k].source, way_out[k].target) += rps;
  }
  draft.kept_rps[stuck] -= rps;
  draft.imported_rps[last] += rps;
  return rps;
}

}  // namespace ringway::planner
