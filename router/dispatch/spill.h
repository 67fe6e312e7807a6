// When a job that waits at home is better off in another region, and in which.
//
// The table handles the mean, from seconds-old figures; a burst is shorter than that. A job spills when it
// has waited longer than going elsewhere would cost: the round trip, and the wait expected there. Nobody
// tells this router how long the lines elsewhere are, so it learns from its own jobs there: each that came
// back says how long it waited, or that it was refused, and what was learnt fades within seconds. Two things
// keep routers from herding on the same region: jobs of this router under way to a region count against its
// part of the cap on what that region takes in, and all spills together stay within a share of the arrivals.
//
// Each arriving job earns `share` of a spill; what is not used halves every `keep`, so that a calm leaves an
// allowance for the burst after it. It is earned and never given, which makes the bound independent of how
// many routers a region has: with a(t) arrivals, spills in any window [s, e) stay within share x (arrivals in
// the window + the arrivals before it, each halved for every `keep` that it lies back). A bucket that starts
// full, one for each router and tier, sent three times the share away in a short busy time.
//
// Invariants: the above; no job is sent to a region while in_flight_max are under way there. The nearest
// region that is worth it is taken, so a far one only when the near ones are full or slow. Whether a job may
// leave changes only with its waiting, with an arrival or when a job comes back, so nobody has to ask twice.
// Complexity: a choice is linear in the regions. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_SPILL_H_
#define RINGWAY_ROUTER_DISPATCH_SPILL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::dispatch {

// A region where the tier's jobs from here may go.
struct SpillTarget {
  RegionId region;
  Duration rtt;
  std::int8_t ring = 0;   // of the tier, from 0
  int in_flight_max = 0;  // this router's part of the region's import cap
};

class SpillGate {
 public:
  explicit SpillGate(const SpillSpec& spec) : spec_(spec) {}
  // New settings; what was learnt and saved stays.
  void Reconfigure(const SpillSpec& spec) { spec_ = spec; }

  // Nearest first. What was learnt about a region stays.
  void Aim(std::vector<SpillTarget> targets) { targets_ = std::move(targets); }
  // Null: not aimed at.
  const SpillTarget* Target(RegionId region) const;

  // True: a job may leave now, as far as the share is concerned, and none could before.
  bool OnArrival(Time now);
  // Where to go now; null: stay. `waited` is the job's time in the home line; `left` what remains until it
  // has to start.
  const SpillTarget* Choose(Time now, Duration waited, Duration left) const;
  // From when on leaving is worth it to a job that waits at home since `since`, as far as can be told now.
  // InfiniteFuture: no job may leave before an arrival brings a token or Came a place.
  Time WorthFrom(Time now, Time since) const;

  // Every job of this router that goes to a region, spilled or sent by the table.
  void Left(RegionId region);
  void Came(RegionId region, Time now, Duration waited_there, bool served);
  // A job goes where Choose said.
  void Spend(Time now);
  // Jobs that may leave now, as far as the share is concerned.
  double allowance(Time now) const;

  int in_flight(RegionId region) const { return seen_.contains(region) ? seen_[region].in_flight : 0; }
  Duration expected_wait(RegionId region, Time now) const;

  RINGWAY_STATE(spec_, allowance_, allowance_at_, targets_, seen_)

 private:
  struct Seen {
    int in_flight = 0;
    Duration wait = ZeroDuration();
    Time at = InfinitePast();
    RINGWAY_STATE(in_flight, wait, at)
  };
  Duration Cost(const SpillTarget& target, Time now) const;
  bool HasRoom(const SpillTarget& target) const { return in_flight(target.region) < target.in_flight_max; }

  SpillSpec spec_;
  double allowance_ = 0;  // at allowance_at_
  Time allowance_at_ = InfinitePast();
  std::vector<SpillTarget> targets_;
  IdVector<RegionId, Seen> seen_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_SPILL_H_
