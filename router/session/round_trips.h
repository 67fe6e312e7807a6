// How long the round trip to other regions really takes, as the leader of a slot ledger measures it.
//
// The leaders of a tier's ledgers listen to each other (ledger_session.h). Whoever listens asks for a hint
// now and then, by a number, and the hint that answers names the number: the time between is a round trip of
// the network and of two event loops, which is what a forwarded job pays. A region's is the median of its
// last kSamples: a pause of either process, or a moment's congestion, moves one sample and not the median,
// and a route that has changed shows after half of them. Nothing is said before kSamplesMin.
//
// To be told to the controller: at once when it has changed by more than kChange of itself and kChangeMin,
// and else every kTellEvery, so that a controller that was restarted learns everything in that time and a
// report is not made long by what everybody knows.
//
// Pure; complexity O(kSamples) a Take for each region that has a new sample; bounds: regions times kSamples.
// One owner thread.
#ifndef RINGWAY_ROUTER_SESSION_ROUND_TRIPS_H_
#define RINGWAY_ROUTER_SESSION_ROUND_TRIPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/time.h"

namespace ringway::router {

struct RoundTrip {
  RegionId to;
  Duration time;
  friend bool operator==(const RoundTrip&, const RoundTrip&) = default;
};

class RoundTrips {
 public:
  static constexpr std::size_t kSamples = 31;
  static constexpr std::size_t kSamplesMin = 5;
  // Between two questions, once there are kSamplesMin samples; and how long an answer is waited for.
  static constexpr Duration kAskEvery = Seconds(1);
  static constexpr Duration kAnswerMax = Seconds(10);
  static constexpr Duration kTellEvery = Seconds(30);
  static constexpr double kChange = 0.1;
  static constexpr Duration kChangeMin = Milliseconds(1);

  // The number to ask the region with now; 0: it need not be asked.
  std::uint64_t Ask(Time now, RegionId region);
  // The region answered. What was not asked, or was given up, is no sample.
  void Answered(Time now, RegionId region, std::uint64_t number);
  // The link broke: what is under way is lost.
  void LinkBroke(RegionId region);

  // What the controller should be told now; appends.
  void Take(Time now, std::vector<RoundTrip>& out);

 private:
  struct Region {
    std::vector<Duration> samples;  // a ring, at most kSamples
    std::size_t next = 0;
    std::uint64_t asked = 0;  // number under way; 0: none
    Time asked_at = InfinitePast();
    bool fresh = false;  // a sample came since the last Take
    Duration told = ZeroDuration();
    Time told_at = InfinitePast();
  };
  Region& At(RegionId region);

  IdVector<RegionId, Region> regions_;
  std::uint64_t last_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_SESSION_ROUND_TRIPS_H_
