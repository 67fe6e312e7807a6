// How many workers each region of one tier should have: the number that an autoscaler is asked to reach.
//
//   counts -> forecast one start-up time ahead -> what it exceeds with probability `risk` only -> workers for
//   that (staffing.h) -> minimum and maximum -> calm -> wanted
//
// What a region needs follows from the demand that enters there, not from what is sent there now: a plan made
// for the workers of today would keep them where they are. Regions whose maximum or drain leaves demand over
// pass it on to the nearest that can take it, as the planner does.
//
// Calm: the number rises at once and falls only to the highest need of the last `stable_for`; within one
// start-up time it at most doubles (or grows by ten) and at most halves. For the first `stable_for` after a
// start, and after a region was first heard of, it is at least what runs: half a picture stops no worker. It
// is never below what is busy at the moment. While a region is silent its number stays.
//
// Bounds: a day and an hour of history a region, 33 slices of needs, the changes of one start-up time.
// O(regions x pool) a decision, at most one every five seconds. Pure; one owner. Not part of a journal's
// checkpoint: no table follows from it.
#ifndef RINGWAY_CONTROLLER_SCALE_SCALER_H_
#define RINGWAY_CONTROLLER_SCALE_SCALER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/planner/reach.h"
#include "controller/scale/demand_history.h"
#include "controller/scale/forecast.h"
#include "controller/scale/staffing.h"
#include "core/ids.h"
#include "core/tier.h"
#include "core/time.h"
#include "core/world.h"

namespace ringway::scale {

// One region at the moment of a decision.
struct RegionSeen {
  bool fresh = false;     // the rest is recent
  double demand_rps = 0;  // held rate of what enters there
  double work_s = 0;      // busy worker-seconds a request
  double background = 0;  // workers that are busy whatever enters
  double busy = 0;        // workers
  int alive = 0;          // workers
  bool draining = false;  // an operator's order: nothing is to be served there
};

// Why the number is not simply what is needed.
enum class Limit : std::uint8_t { kNone, kMinimum, kMaximum, kStable, kStep, kBusy, kStarting };

struct Wanted {
  bool known = false;  // false: nothing was heard of the region yet, and nothing is wanted of it
  int workers = 0;
  int needed = 0;  // for the forecast alone
  Limit limit = Limit::kNone;
  double demand_rps = 0;    // now
  double forecast_rps = 0;  // the most until a worker that starts now is ready
  double at_most_rps = 0;   // what is provided for
  Way way = Way::kNow;
  int neighbours = 0;   // that share their idle workers with it
  double homeless = 0;  // of the whole tier: workers needed that no region may run
};

class Scaler {
 public:
  // The tier has `scaling`.
  Scaler(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier);

  // `count` requests entered there in the `seconds` that ended at `at`.
  void Count(RegionId region, Time at, double seconds, double count);
  // At most every five seconds; else nothing happens. True: two minutes more of history are over, worth
  // saving.
  bool Decide(Time now, const IdVector<RegionId, RegionSeen>& seen);

  const IdVector<RegionId, Wanted>& wanted() const { return wanted_; }
  // A sentence for a person.
  std::string Explain(RegionId region) const;

  DemandHistory& history(RegionId region) { return sites_[region].history; }
  const DemandHistory& history(RegionId region) const { return sites_[region].history; }
  // What the same region's demand and calm were under another topology.
  void TakeOver(RegionId region, const Scaler& other, RegionId same);

 private:
  // Of the last time: need in slices of stable_for, wanted in the last start-up time.
  struct Calm {
    static constexpr std::int64_t kSlices = 32;
    std::array<std::pair<std::int64_t, int>, kSlices + 1> needs{};  // slice, highest need in it
    std::deque<std::pair<Time, int>> wanted;                        // changes; the first one may be older
    Time began = InfiniteFuture();
    void Note(std::int64_t slice, int need);
    int Highest(std::int64_t slice) const;
  };
  struct Site {
    DemandHistory history;
    std::vector<RegionId> pool;  // itself first
    ForecastErrors errors;       // of the pool
    Calm calm;
    PerWay<double> most{};   // until a worker that starts now is ready
    PerWay<double> ahead{};  // when it is
  };

  void TakeErrors(Time now);
  // Workers by region, before they are rounded and bounded.
  IdVector<RegionId, double> Needs(const IdVector<RegionId, RegionSeen>& seen);
  void Settle(Time now, RegionId region, const RegionSeen& seen, double need);

  std::shared_ptr<const World> world_;
  std::shared_ptr<const Tier> tier_;
  planner::Reach reach_;
  Staffing staffing_;
  double sigmas_;
  IdVector<RegionId, Site> sites_;
  IdVector<RegionId, Wanted> wanted_;
  Time decided_at_ = InfinitePast();
  std::int64_t bin_ = -1;  // of the last decision
};

}  // namespace ringway::scale

#endif  // RINGWAY_CONTROLLER_SCALE_SCALER_H_
