// Decides which findings are worth a log line: each kind of trouble of a region once, not every epoch.
//
// A finding is noted when the same (tier, region, kind) was not seen within `quiet`. What belongs to normal
// operation (a row that moves in steps) is not noted at all; status screens show it.
//
// Bound: one entry a (tier, region, kind), dropped when silent. Pure; O(log n) a finding.
#ifndef RINGWAY_CONTROLLER_TIERS_FINDING_NOTES_H_
#define RINGWAY_CONTROLLER_TIERS_FINDING_NOTES_H_

#include <map>
#include <tuple>

#include "controller/planner/finding.h"
#include "core/ids.h"
#include "core/time.h"

namespace ringway::controller {

class FindingNotes {
 public:
  static constexpr Duration kQuiet = Seconds(60);
  using Key = std::tuple<TierId, RegionId, planner::Finding::Kind>;

  bool Worth(Time now, TierId tier, const planner::Finding& finding) {
    using Kind = planner::Finding::Kind;
    if (finding.kind == Kind::kStepLimited) return false;
    const auto [entry, is_new] = seen_.try_emplace({tier, finding.region, finding.kind}, now);
    const bool quiet_before = is_new || now - entry->second > kQuiet;
    entry->second = now;
    return quiet_before;
  }
  void Forget(Time now) {
    std::erase_if(seen_, [&](const auto& entry) { return now - entry.second > kQuiet; });
  }

 private:
  std::map<Key, Time> seen_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_FINDING_NOTES_H_
