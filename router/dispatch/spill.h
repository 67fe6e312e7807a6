// When a job that waits at home is better off in another region, and in which.
//
// The table handles the mean, from seconds-old figures; a burst is shorter than that. A job spills when it
// has waited longer than going elsewhere would cost: the round trip, and the wait expected there. Nobody
// tells this router how long the lines elsewhere are, so it learns from its own jobs there: each that came
// back says how long it waited, or that it was refused, and what was learnt fades within seconds. Two things
// keep routers from herding on the same region: jobs of this router under way to a region count against its
// part of the cap on what that region takes in, and all spills together stay within a share of the arrivals.
//
// Invariants: no more than in_flight_max jobs under way to a region by a spill; spills <= share x arrivals +
// burst. The nearest region that is worth it is taken, so a far one only when the near ones are full or slow.
// Complexity: a choice is linear in the regions. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_SPILL_H_
#define RINGWAY_ROUTER_DISPATCH_SPILL_H_

#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/ids.h"

namespace ringway::dispatch {

struct SpillSpec {
  double share = 0;                                  // of arriving jobs that may spill; 0: none
  double burst = 5;                                  // that may spill at once after a calm
  absl::Duration wait_min = absl::Milliseconds(50);  // at home, however near the other region is
  absl::Duration fade = absl::Seconds(5);            // of what was learnt about a region
  absl::Duration refused_cost = absl::Seconds(2);    // expected wait where a job was refused a moment ago
};

// A region where the tier's jobs from here may go.
struct SpillTarget {
  RegionId region;
  absl::Duration rtt;
  int in_flight_max = 0;  // this router's part of the region's import cap
};

class SpillGate {
 public:
  explicit SpillGate(const SpillSpec& spec) : spec_(spec), tokens_(spec.burst) {}

  // Nearest first. What was learnt about a region stays.
  void Aim(std::vector<SpillTarget> targets) { targets_ = std::move(targets); }

  void OnArrival();
  // The region to go to now; invalid: stay. `waited` is the job's time in the home line; `left` what remains
  // until it has to start.
  RegionId Choose(absl::Time now, absl::Duration waited, absl::Duration left) const;
  // How much longer the job has to wait at home before Choose can say anything else.
  absl::Duration WorthAfter(absl::Time now, absl::Duration waited) const;

  // Every job of this router that goes to a region, spilled or sent by the table.
  void Left(RegionId region);
  void Came(RegionId region, absl::Time now, absl::Duration waited_there, bool served);
  // Takes the token of a job that Choose has sent away.
  void Spend() { tokens_ -= 1; }

  int in_flight(RegionId region) const { return seen_.contains(region) ? seen_[region].in_flight : 0; }
  absl::Duration expected_wait(RegionId region, absl::Time now) const;

 private:
  struct Seen {
    int in_flight = 0;
    absl::Duration wait = absl::ZeroDuration();
    absl::Time at = absl::InfinitePast();
  };
  absl::Duration Cost(const SpillTarget& target, absl::Time now) const;

  SpillSpec spec_;
  double tokens_;
  std::vector<SpillTarget> targets_;
  IdVector<RegionId, Seen> seen_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SPILL_H_
