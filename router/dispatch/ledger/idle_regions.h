// Which other regions are believed to have an idle worker, and which of them a waiting job leaves for.
//
// The leaders of a tier's ledgers tell each other how many of their workers are idle (IdleHint), on change
// and at least once a second. What is believed of a region is its last hint, less the jobs sent there that
// the hint cannot know of yet (those of the last round trip before it, and all after it), less what other
// regions landed there between its last two hints beyond our own: they are likely to do it again. One job
// leaves for one believed idle worker; that is the whole bound. Nothing is believed of a region whose last
// hint is older than kHintStands, whose leader cannot be heard, or that has refused a job since its last
// hint.
//
// A job goes where the way is shortest for the chance that it is taken: of the nearest kCandidates regions
// with an idle worker, the one with the least round trip / P(taken). Whoever tries one place after the other
// until one takes it travels least in this order. P(taken) = b / (b + kContest) with b believed idle: always
// the nearest would let all its neighbours run after the same few workers.
//
// Invariants: Believed never exceeds the last hint; a hint of an earlier leader, or one that was overtaken on
// its way, changes nothing. Complexity: Choose is linear in the targets, the rest O(1) amortised. Bounds:
// kSendsMax sends remembered for a region; beyond it nothing is believed of it until they age. The rule and
// its constants were found in virtual time on three worlds and judged on four others (docs/dispatch.md).
// Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_IDLE_REGIONS_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_IDLE_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"

namespace ringway::ledger {

class IdleRegions {
 public:
  static constexpr Duration kHintStands = Seconds(2);
  static constexpr int kCandidates = 16;
  // So many believed idle are gone on arrival as often as not. From 3 to 12 it makes no difference; what a
  // leader learns from its own refusals makes it too bold, for it does not see the refusals that it causes.
  static constexpr int kContest = 4;
  static constexpr std::size_t kSendsMax = 4096;

  // Where jobs may go, nearest first. What is known of a region that stays is kept.
  void Aim(const std::vector<AwayTarget>& targets);
  // A hint of a region, aimed at or not.
  void Hear(Time now, RegionId region, const IdleHint& hint);
  // Its leader cannot be heard any more.
  void Lose(RegionId region);
  // A job has left for the region, or was not taken there.
  void Sent(Time now, RegionId region);
  void Refused(RegionId region);

  // Workers of a region that is aimed at, believed idle and not spoken for; 0 for any other.
  int Believed(Time now, RegionId region) const;
  // The round trip to a region that is aimed at; infinite for any other.
  Duration RoundTrip(RegionId region) const;
  // Where a job leaves for that has to start within `left`; invalid: nowhere.
  RegionId Choose(Time now, Duration left) const;
  // Some region is heard: this leader knows about the others.
  bool Hears(Time now) const { return heard_last_ != InfinitePast() && now <= heard_last_ + kHintStands; }

 private:
  struct Region {
    Duration rtt = InfiniteDuration();  // infinite: not aimed at
    IdleHint hint;
    Time heard = InfinitePast();
    bool refused = false;      // since the last hint
    std::deque<Time> unknown;  // when jobs were sent there that its last hint cannot know of
    std::int64_t foreign = 0;  // of other regions, landed there between its last two hints
  };
  Region& At(RegionId region);

  IdVector<RegionId, Region> regions_;
  std::vector<RegionId> nearest_first_;
  Time heard_last_ = InfinitePast();
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_IDLE_REGIONS_H_
