// The same jobs sent by somebody who sees every worker at once: what no router can know, and no rule needs
// hindsight for.
//
// A job starts at home where a worker is idle. Otherwise it leaves at once for the nearest region with a
// worker that is idle and not spoken for, and that worker is spoken for while the job is on its way (half a
// round trip; its user has waited a whole one when he hears that it runs). Where nobody is idle anywhere it
// waits at home, and a freed worker takes its own region's line first, then the oldest job of the nearest
// region that has a line. Nobody travels in vain, and no news takes time. Nothing is known of the future, so
// what it travels can be reached as far as the rule goes: a yardstick for what late and missing news costs.
// It is greedy, so not the least.
//
// Nobody gives up in it. Complexity: O(log workers) a job that starts at home, O(regions) one that does not.
#ifndef RINGWAY_BENCH_LOOP_NEAREST_FREE_H_
#define RINGWAY_BENCH_LOOP_NEAREST_FREE_H_

#include <vector>

#include "core/fleet.h"
#include "sim/observers/observer.h"

namespace ringway::bench {

class NearestFree : public sim::Observer {
 public:
  struct Job {
    RegionId home;
    double at_s = 0;
    double service_s = 0;
  };
  struct Means {  // of the jobs counted
    double lines_s = 0;
    double travelled_s = 0;
    double away_share = 0;
    double hindsight_s = 0;  // what those away would have travelled at the least (least_ways.h)
  };

  void OnSubmitted(Time now, const sim::Submission& submission) override {
    jobs_.push_back({submission.region, ToDoubleSeconds(now - UnixEpoch()), submission.service_s});
  }
  // Jobs submitted from `from_s` on are counted. The fleet's first tier, all of its workers alive.
  Means Play(const Fleet& fleet, double from_s) const;

 private:
  std::vector<Job> jobs_;  // in the order of time
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_NEAREST_FREE_H_
