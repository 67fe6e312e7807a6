// Which round trips the plan goes by: the topology file's, or what routers measure.
//
// The leaders of slot ledgers measure the way to the leaders of other regions (router/session/round_trips.h)
// and report it. A pair that the file gives goes by the file until the measurement is off by kWrongFactor and
// kWrongMinMs; once it is measured it goes back to the file when within kRightFactor, so that it does not
// swing at the bound. A pair that the file leaves to be estimated goes by the measurement. What is in use
// moves only by kStepShare and kStepMinMs, because each correction is a new map for every router and may be a
// new table. Corrections are gathered for kGather after the first one calls, and there is at most one in
// kRest.
//
// A way that only one end has measured counts for both directions. What has been measured stays until it is
// measured anew: a region that falls silent has not moved.
//
// Pure; time is an argument. Bounds: one entry a pair of regions that routers report (at most 64 a region and
// tier). Complexity: Hear O(log pairs), Due O(1), Correct O(pairs). One owner thread.
#ifndef RINGWAY_CONTROLLER_FLEET_MEASURED_RTT_H_
#define RINGWAY_CONTROLLER_FLEET_MEASURED_RTT_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "core/world.h"

namespace ringway::controller {

// A pair whose time in use is another than before.
struct RttCorrection {
  RegionId from;
  RegionId to;
  double before_ms = 0;
  double now_ms = 0;
};

class MeasuredRtt {
 public:
  static constexpr double kWrongFactor = 2;
  static constexpr double kRightFactor = 1.5;
  static constexpr double kWrongMinMs = 5;
  static constexpr double kStepShare = 0.2;
  static constexpr double kStepMinMs = 2;
  static constexpr Duration kGather = Seconds(10);
  static constexpr Duration kRest = Seconds(60);

  using Pair = std::pair<RegionId, RegionId>;  // from, to
  using Measured = std::map<Pair, double>;     // in ms, as last reported

  void Hear(RegionId from, RegionId to, double ms);
  // Whether it is time to correct `in_use`. `file`: the topology's times, of the same regions.
  bool Due(Time now, const RttMatrix& file, const RttMatrix& in_use);
  // Corrects `in_use`; what has changed is in the order of the pairs.
  std::vector<RttCorrection> Correct(Time now, const RttMatrix& file, RttMatrix& in_use);
  // What is in use in place of the topology's own times, in the order of the pairs.
  std::vector<RttCorrection> InUse(const RttMatrix& file, const RttMatrix& in_use) const;
  // The regions have other ids, or are gone (nothing).
  void Renumber(const std::function<std::optional<RegionId>(RegionId)>& renumbered);

  const Measured& measured() const { return measured_; }
  std::optional<double> ms(RegionId from, RegionId to) const;

  // For checkpoints.
  struct Review {
    bool heard = false;                    // something, since the last Due
    Time wanted_since = InfiniteFuture();  // a correction is called for
    Time corrected_at = InfinitePast();
  };
  const Review& review() const { return review_; }
  void Restore(Measured measured, const Review& review);

 private:
  // The pair's time that should be in use, if it is not what is.
  std::optional<std::pair<double, RttSource>> Wanted(const Pair& pair, const RttMatrix& file,
                                                     const RttMatrix& in_use) const;
  template <class F>
  void ForPairs(F f) const;  // both directions of what was measured, each once

  Measured measured_;
  Review review_;
};

// For people, the first few by name: "a to b 212 ms, not 2; ...".
std::string DescribeCorrections(const std::vector<RttCorrection>& corrections, const World& world);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_MEASURED_RTT_H_
