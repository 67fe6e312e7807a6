// Whether to offer a waiting job at once to a worker that says it is free, or to let others go first.
//
// Such an offer is no retry: the worker asked. But a worker may be listed at many routers (`--worker` on each
// of them), all hear of it in the same moment, and if all offered a job, all but one would be refused: with
// sixty-four routers, sixty-three times for each job that ends. Nobody tells a router who else lists a
// worker, so it learns it: every such offer that somebody else had forestalled doubles the window in which
// the next one is put off at random, every one that is taken shortens it. Whoever draws the shortest wait
// goes; the rest hear that the worker is busy, and stay silent. A router that is never forestalled, as the
// only one beside its workers, never waits.
//
// Invariant: refused <= 9 + 0.16 x taken while the window is below its longest (growth by 2, decay by 0.9),
// which is enough for a thousand routers. The wait is short where it is long: the shortest of many draws
// goes.
//
// Source: the collision window of Ethernet (Metcalfe and Boggs, 1976), with a decay in place of a reset,
// because the others stay. Complexity O(1). One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_FREED_TURN_H_
#define RINGWAY_ROUTER_DISPATCH_FREED_TURN_H_

#include "core/rng.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway::dispatch {

class FreedTurn {
 public:
  static constexpr Duration kWindowMin = Milliseconds(2);
  static constexpr Duration kWindowMax = Seconds(1);

  bool contended() const { return window_ > ZeroDuration(); }
  Duration window() const { return window_; }
  // Uniform in [0, window); zero while nobody else was met.
  Duration Wait(Rng& rng) const;
  void Taken();
  // Somebody else was faster.
  void Refused();

  RINGWAY_STATE(window_)

 private:
  static constexpr double kDecay = 0.9;
  Duration window_ = ZeroDuration();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_FREED_TURN_H_
