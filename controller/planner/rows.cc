#include "controller/planner/rows.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ringway::planner {
namespace {

// Fractions below this are rounding and go to the row's first entry.
constexpr double kFractionMin = 1e-9;

struct Place {
  Route route;  // all but the fraction
  double rps = 0;
};

class RowMaker {
 public:
  RowMaker(const Tier& tier, const Reach& reach, const Draft& draft,
           const IdVector<RegionId, std::vector<Flow>>& loop)
      : tier_(tier), reach_(reach), draft_(draft), loop_(loop) {}

  void Make(RegionId source, TierTable& table) const {
    std::vector<Place> places = Places(source);
    const double total = Total(places) + draft_.ShedRps(source);
    Row mean = Normalised(places, total);
    // Nobody asks: the first who does is not refused on a guess. Where there is room he is served at home,
    // where no region is known to have any he waits there, and the next plan knows of him.
    const bool roomy = draft_.sites[source].capacity_rps > 0;
    const bool asked = draft_.sites[source].demand_total_rps > 0;
    if (total <= 0 ? roomy || !asked : !asked && mean.shed_fraction > 0) {
      mean = {{{.target = source, .fraction = 1}}, 0};
    }
    const PerPriority<double>& demand = draft_.sites[source].demand_rps;
    for (std::size_t p = 0; p < tier_.priorities.size(); ++p) {
      Row& row = table.at(static_cast<Priority>(p), source);
      if (demand[p] <= kTraceLike) {
        row = mean;
        continue;
      }
      const double served = std::max(0.0, demand[p] - draft_.shed_rps[source][p]);
      row = Normalised(Take(places, served), demand[p]);
    }
  }

 private:
  static constexpr double kTraceLike = 1e-6;

  // Home first, then by RTT.
  std::vector<Place> Places(RegionId source) const {
    std::vector<Place> places;
    if (draft_.kept_rps[source] > 0) places.push_back({{.target = source}, draft_.kept_rps[source]});
    std::vector<Flow> flows = draft_.away[source];
    std::sort(flows.begin(), flows.end(), [&](const Flow& a, const Flow& b) {
      return std::tuple(reach_.rtt_ms(source, a.target), a.target) <
             std::tuple(reach_.rtt_ms(source, b.target), b.target);
    });
    for (const Flow& flow : flows) {
      if (flow.rps > 0) places.push_back({Explain(source, flow.target), flow.rps});
    }
    return places;
  }

  Route Explain(RegionId source, RegionId target) const {
    const Site& site = draft_.sites[source];
    const double home_load = site.Load(site.demand_total_rps);
    Route route{.target = target};
    route.ring = static_cast<std::int8_t>(reach_.RingOf(source, target).value_or(0));
    route.reason = Reason(source, target);
    if (OpenedByLoad(route.reason)) route.unlock_load = home_load / site.usable;
    return route;
  }

  RouteReason Reason(RegionId source, RegionId target) const {
    const Site& site = draft_.sites[source];
    if (!site.has_workers) return RouteReason::kNoWorkers;
    if (site.draining) return RouteReason::kDrain;
    if (site.usable <= 0) return RouteReason::kNoWorkers;  // none that lives
    if (draft_.sites[target].limit_level > draft_.sites[target].hot_level) return RouteReason::kLevel;
    return ChosenByRefine(source, target) ? RouteReason::kDisplaced : RouteReason::kOverload;
  }

  // The loop did not use this target, and used a nearer one: the source moved on.
  bool ChosenByRefine(RegionId source, RegionId target) const {
    bool nearer = false;
    for (const Flow& flow : loop_[source]) {
      if (flow.target == target) return false;
      nearer = nearer || reach_.rtt_ms(source, flow.target) < reach_.rtt_ms(source, target);
    }
    return nearer;
  }

  static double Total(const std::vector<Place>& places) {
    double total = 0;
    for (const Place& place : places) total += place.rps;
    return total;
  }

  // Takes `rps` out of the nearest places. Rounding may leave the last taker short: Normalised makes it good.
  static std::vector<Place> Take(std::vector<Place>& places, double rps) {
    std::vector<Place> taken;
    for (Place& place : places) {
      const double part = std::min(place.rps, rps);
      if (part <= 0) continue;
      taken.push_back({place.route, part});
      place.rps -= part;
      rps -= part;
    }
    return taken;
  }

  // Fractions of `total`; what is not served is shed. Sums to 1 up to rounding of the last digit.
  static Row Normalised(const std::vector<Place>& places, double total) {
    Row row;
    double served = 0;
    for (const Place& place : places) {
      if (total <= 0 || place.rps / total < kFractionMin) continue;
      row.routes.push_back(place.route);
      row.routes.back().fraction = place.rps / total;
      served += row.routes.back().fraction;
    }
    if (row.routes.empty()) {
      row.shed_fraction = 1;
      return row;
    }
    // Anything this near to all is rounding, not a refusal.
    if (const double shed = 1 - served; shed > 1e-6) row.shed_fraction = shed;
    const double scale = (1 - row.shed_fraction) / served;
    for (Route& route : row.routes) route.fraction *= scale;
    return row;
  }

  const Tier& tier_;
  const Reach& reach_;
  const Draft& draft_;
  const IdVector<RegionId, std::vector<Flow>>& loop_;
};

}  // namespace

TierTable MakeTable(TierId tier_id, const Tier& tier, const Reach& reach, const Draft& draft,
                    const IdVector<RegionId, std::vector<Flow>>& loop) {
  TierTable table(tier_id, draft.size(), tier.priorities.size());
  const RowMaker maker(tier, reach, draft, loop);
  ForEachRegion(draft.size(), [&](RegionId source) { maker.Make(source, table); });
  return table;
}

}  // namespace ringway::planner
