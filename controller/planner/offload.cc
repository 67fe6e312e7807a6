#include "controller/planner/offload.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ringway::planner {
namespace {

// A piece is at least this share of the region's capacity, so that halving ends.
constexpr double kPieceShareMin = 0.01;

// Where a hot source stands in the loop.
struct Sender {
  RegionId source;
  double level = 0;
  std::size_t next = 0;   // in its nearest-first list: all before are full
  std::size_t rings = 0;  // open
};

// Max-heap order: the hottest on top, ties by the lower id.
bool Cooler(const Sender& a, const Sender& b) {
  return a.level != b.level ? a.level < b.level : b.source < a.source;
}

double PieceRps(const Draft& draft, RegionId source) {
  const Site& site = draft.sites[source];
  const double excess = draft.ExcessRps(source);
  const double least = kPieceShareMin * site.CapacityRps(kFullLevel);
  const double piece = std::max(excess / 2, least);
  // What remains would be less than the least piece: send all.
  return site.capacity_rps <= 0 || excess - piece < least ? excess : piece;
}

class OffloadLoop {
 public:
  OffloadLoop(const Reach& reach, const Tier& tier, Draft& draft)
      : reach_(reach), escalates_(tier.route.escalation == Escalation::kWhenFull), draft_(draft) {}

  int Run(std::span<const RegionId> sources) {
    for (const RegionId source : sources) {
      if (draft_.Hot(source)) heap_.push_back({.source = source, .level = draft_.Level(source)});
    }
    std::make_heap(heap_.begin(), heap_.end(), Cooler);
    const std::size_t moves_max = kPiecesPerRegionMax * heap_.size() + draft_.size();
    std::size_t moves = 0;
    while (!heap_.empty() && moves < moves_max) {
      std::pop_heap(heap_.begin(), heap_.end(), Cooler);
      Sender& hottest = heap_.back();
      const std::optional<RegionId> target = NearestWithRoom(hottest);
      if (!target) {
        heap_.pop_back();
        continue;
      }
      draft_.Send(hottest.source, *target,
                  std::min(PieceRps(draft_, hottest.source), draft_.RoomRps(*target)));
      ++moves;
      if (!draft_.Hot(hottest.source)) {
        heap_.pop_back();
        continue;
      }
      hottest.level = draft_.Level(hottest.source);
      std::push_heap(heap_.begin(), heap_.end(), Cooler);
    }
    return static_cast<int>(moves);
  }

 private:
  std::optional<RegionId> NearestWithRoom(Sender& sender) {
    const std::span<const std::uint16_t> targets = reach_.Targets(sender.source);
    const std::size_t unlocked = reach_.RingsUnlocked(sender.level);
    sender.rings = escalates_ ? std::max(sender.rings, unlocked) : unlocked;
    while (true) {
      const std::size_t end = reach_.CountWithin(sender.source, sender.rings);
      for (; sender.next < end; ++sender.next) {
        const RegionId target(targets[sender.next]);
        if (draft_.RoomRps(target) > draft_.Epsilon(target)) return target;
      }
      if (!escalates_ || sender.rings >= reach_.rings()) return std::nullopt;
      ++sender.rings;
    }
  }

  const Reach& reach_;
  const bool escalates_;
  Draft& draft_;
  std::vector<Sender> heap_;
};

}  // namespace

std::size_t OpenRings(const Reach& reach, const Tier& tier, const Draft& draft, RegionId source) {
  if (tier.route.escalation == Escalation::kWhenFull) return reach.rings();
  return reach.RingsUnlocked(draft.Level(source));
}

int Offload(const Reach& reach, const Tier& tier, std::span<const RegionId> sources, Draft& draft) {
  return OffloadLoop(reach, tier, draft).Run(sources);
}

}  // namespace ringway::planner
