#include <algorithm>
#include <optional>
#include <vector>

#include "controller/planner/refine.h"

namespace ringway::planner {
namespace {

// Bounds of the search: passes over all flows, and nearer targets that each flow looks at.
constexpr int kSweepsMax = 4;
constexpr std::size_t kNearerMax = 16;
constexpr double kGainMinMs = 1e-6;

struct Sender {
  RegionId source;
  std::size_t flow = 0;  // index into its away list
};

// Another source gives up its place: it takes the mover's old one, or goes on to a region with room.
struct Exchange {
  double gain_ms = kGainMinMs;
  std::optional<Sender> with;
  RegionId onward;
  double rps_max = 0;
};

class SwapSearch {
 public:
  SwapSearch(const Reach& reach, const Tier& tier, Draft& draft)
      : reach_(reach), escalates_(tier.route.escalation == Escalation::kWhenFull), draft_(draft) {}

  void Run() {
    for (int sweep = 0; sweep < kSweepsMax; ++sweep) {
      bool improved = false;
      ForEachRegion(draft_.size(), [&](RegionId source) {
        if (draft_.sites[source].frozen) return;
        // Flows that the sweep adds are looked at in the next one.
        const std::size_t flows = draft_.away[source].size();
        for (std::size_t f = 0; f < flows; ++f) improved = Improve(source, f) || improved;
      });
      if (!improved) return;
    }
  }

 private:
  // Moves the flow to a nearer target: into room there, or by changing places with another source's flow.
  bool Improve(RegionId source, std::size_t f) {
    const Flow flow = draft_.away[source][f];
    if (flow.rps <= draft_.Epsilon(flow.target)) return false;
    const double now_ms = reach_.rtt_ms(source, flow.target);
    std::size_t looked = 0;
    for (const std::uint16_t t : reach_.Targets(source)) {
      const RegionId nearer(t);
      const double then_ms = reach_.rtt_ms(source, nearer);
      if (then_ms >= now_ms || ++looked > kNearerMax) return false;
      const double room = draft_.RoomRps(nearer);
      if (room > draft_.Epsilon(nearer)) {
        Move(source, f, nearer, std::min(room, flow.rps));
        return true;
      }
      const Exchange exchange = BestExchange(source, flow.target, nearer, now_ms - then_ms);
      if (!exchange.with) continue;
      const double rps = std::min(flow.rps, exchange.rps_max);
      Move(source, f, nearer, rps);
      Move(exchange.with->source, exchange.with->flow, exchange.onward, rps);
      return true;
    }
    return false;
  }

  Exchange BestExchange(RegionId source, RegionId from, RegionId to, double saved_ms) const {
    Exchange best;
    ForEachRegion(draft_.size(), [&](RegionId other) {
      if (other == source || draft_.sites[other].frozen) return;
      for (std::size_t f = 0; f < draft_.away[other].size(); ++f) {
        const Flow& flow = draft_.away[other][f];
        if (flow.target != to || flow.rps <= draft_.Epsilon(to)) continue;
        const auto offer = [&](RegionId onward, double rps_max) {
          const double gain_ms = saved_ms + reach_.rtt_ms(other, to) - reach_.rtt_ms(other, onward);
          if (gain_ms > best.gain_ms) best = {gain_ms, Sender{other, f}, onward, std::min(flow.rps, rps_max)};
        };
        if (MayUse(other, from)) offer(from, flow.rps);
        const std::optional<RegionId> free = NearestWithRoom(other);
        if (free) offer(*free, draft_.RoomRps(*free));
      }
    });
    return best;
  }

  std::optional<RegionId> NearestWithRoom(RegionId source) const {
    for (const std::uint16_t t : reach_.Targets(source)) {
      const RegionId target(t);
      if (!MayUse(source, target)) return std::nullopt;
      if (draft_.RoomRps(target) > draft_.Epsilon(target)) return target;
    }
    return std::nullopt;
  }

  bool MayUse(RegionId source, RegionId target) const {
    const std::optional<std::size_t> ring = reach_.RingOf(source, target);
    if (!ring) return false;
    const Site& site = draft_.sites[source];
    return escalates_ || *ring < reach_.RingsUnlocked(site.Level(site.demand_total_rps));
  }

  void Move(RegionId source, std::size_t f, RegionId to, double rps) {
    const RegionId from = draft_.away[source][f].target;
    draft_.away[source][f].rps -= rps;
    draft_.imported_rps[from] -= rps;
    draft_.kept_rps[source] += rps;
    draft_.Send(source, to, rps);
  }

  const Reach& reach_;
  const bool escalates_;
  Draft& draft_;
};

}  // namespace

void RefineBySwaps(const Reach& reach, const Tier& tier, Draft& draft) {
  SwapSearch(reach, tier, draft).Run();
}

}  // namespace ringway::planner
