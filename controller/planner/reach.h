// Who may send to whom, nearest first: what the passes need to know of the topology, worked out once.
//
// For each source the targets that it may ever use, by rising RTT (ties by id), cut into rings: targets that
// the source's residency forbids, that have no workers of the tier, that no finite RTT leads to, or that lie
// beyond the last ring are left out. A tier without rings has one that holds everybody.
//
// Size: 2 bytes a pair, so 2 MB at 1000 regions and 50 MB at 5000. Building: O(n^2 log n). Immutable; any
// number of threads.
#ifndef RINGWAY_CONTROLLER_PLANNER_REACH_H_
#define RINGWAY_CONTROLLER_PLANNER_REACH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/tier.h"
#include "core/world.h"

namespace ringway::planner {

inline constexpr std::size_t kRegionsMax = 65535;

class Reach {
 public:
  // CHECKs that the world has at most kRegionsMax regions.
  Reach(std::shared_ptr<const World> world, const Tier& tier);

  std::size_t regions() const { return spans_.size(); }
  std::size_t rings() const { return unlock_load_.size(); }

  // Every target that `source` may ever use, nearest first.
  std::span<const std::uint16_t> Targets(RegionId source) const;
  // How many of them lie in the first `open_rings` rings.
  std::size_t CountWithin(RegionId source, std::size_t open_rings) const;
  // How many rings a load opens, by its level alone.
  std::size_t RingsUnlocked(double load) const;

  // The ring of an allowed pair; nullopt where `source` must not send to `target`.
  std::optional<std::size_t> RingOf(RegionId source, RegionId target) const;
  double rtt_ms(RegionId from, RegionId to) const { return world_->rtt.ms(from, to); }

 private:
  std::shared_ptr<const World> world_;
  std::vector<double> rtt_ms_max_;
  std::vector<double> unlock_load_;
  std::vector<bool> has_workers_;
  IdVector<RegionId, std::vector<RegionId>> forbidden_;  // sorted
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  IdVector<RegionId, Span> spans_;
  std::vector<std::uint16_t> targets_;
  std::vector<std::uint16_t> ring_ends_;  // source x ring: count of targets up to that ring
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_REACH_H_
