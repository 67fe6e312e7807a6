// When requests enter, and where: Poisson, bursty, day curves and replayed traces, one stream per source
// region.
//
// An ArrivalStream answers one question: given the last arrival, when is the next. Rates that change in time
// are sampled by thinning (Lewis and Shedler, 1979): candidates at the peak rate, each kept with probability
// rate(t) / peak, which is exact. Demand edits of a scenario (a region's demand times three for thirty
// seconds) multiply the rate and are sampled the same way.
//
//  - Poisson: constant rate.
//  - Gamma: independent gaps with a given coefficient of variation: burstier than Poisson above 1.
//  - MMPP: a two-state Markov-modulated Poisson process, bursts and lulls with exponential lengths.
//  - DayCurve: rate = mean x (1 + swing x cos(2 pi (local hour - peak hour) / 24)), shifted by the region's
//  UTC offset.
//  - Trace: recorded offsets, scaled in rate by `scale` through replication or thinning with the stream's
//  seed. Copies of one recorded request are other users, who do not come in the same instant: where there is
//  more than one copy, each is moved by up to the trace's mean gap, earlier or later.
//
// What a trace tells of a request besides its time (RecordedJob) travels with it, with each of its copies.
//
// Determinism: each stream has its own Rng. Units: seconds, requests per second.
#ifndef RINGWAY_SIM_DEMAND_ARRIVALS_H_
#define RINGWAY_SIM_DEMAND_ARRIVALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/rng.h"

namespace ringway::sim {

struct PoissonArrivals {
  double rate_rps = 1;
};

struct GammaArrivals {
  double rate_rps = 1;
  double cv = 2;  // of the gaps; 1 would be Poisson
};

struct MmppArrivals {
  double calm_rps = 1;
  double burst_rps = 10;
  double calm_mean_s = 60;
  double burst_mean_s = 5;
};

struct DayCurveArrivals {
  double mean_rps = 1;
  double swing = 0.6;  // 0: flat, 1: down to nothing at night
  double peak_local_hour = 20;
  int utc_offset_minutes = 0;
  double start_utc_hour = 0;  // of virtual time zero
  double day_s = 86400;       // shorter: a compressed day
};

// What a trace tells of one request besides its time.
struct RecordedJob {
  static constexpr double kNotRecorded = -1;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  double service_s = kNotRecorded;
  double deadline_s = kNotRecorded;  // from the arrival
  double size = kNotRecorded;        // relative to the trace's mean: a drawn service time is multiplied by it
  std::uint32_t tenant = kNobody;    // an index into the scenario's tenants
};

struct TraceArrivals {
  std::shared_ptr<const std::vector<double>> offsets_s;  // ascending, from 0
  double scale = 1;     // of the rate; 2 = twice as many requests in the same time
  double length_s = 0;  // > 0: the trace starts over after this time
  // Other streams send copies of the same requests: these are moved also where `scale` is at most 1.
  bool shared = false;
  // Parallel to offsets_s; null: the trace holds times only.
  std::shared_ptr<const std::vector<RecordedJob>> jobs = nullptr;
  double service_factor = 1;  // of recorded service times
  // > 0: the trace is played as it was recorded, for so long, and once.
  double recorded_s = 0;
  double MeanGapS() const;
};

using ArrivalLaw =
    std::variant<PoissonArrivals, GammaArrivals, MmppArrivals, DayCurveArrivals, TraceArrivals>;

// Requests per second that the law gives on average over a long time (a day for day curves, the trace for
// traces).
double MeanRateRps(const ArrivalLaw& law);

// Random stream of the i-th demand of a scenario, plus i: whoever plays the same scenario with the same seed,
// in virtual time or with real processes, gets the same arrivals.
inline constexpr std::uint64_t kArrivalStreams = 0x61727269;

class ArrivalStream {
 public:
  ArrivalStream(ArrivalLaw law, std::uint64_t seed, std::uint64_t stream);

  // Time of the next arrival after the last one, in seconds; infinity when a trace has ended.
  double Next();
  // What the trace tells of the arrival that Next gave last; null: nothing, or no trace. Lives as long as the
  // law.
  const RecordedJob* recorded() const;
  // From `at_s` on the rate is multiplied by `factor`, >= 0; replaces the factor before. Affects draws after
  // the call.
  void SetFactor(double at_s, double factor);

 private:
  double NextPoisson(double rate_rps);
  double NextGamma(const GammaArrivals& law);
  double NextMmpp(const MmppArrivals& law);
  double NextDayCurve(const DayCurveArrivals& law);
  double NextTrace(const TraceArrivals& law);
  double NextRecordedS(const TraceArrivals& law) const;
  // The next recorded request joins `pending_`, as often as it is to be sent.
  void TakeRecorded(const TraceArrivals& law, double scale, double spread_s);

  ArrivalLaw law_;
  Rng rng_;
  double now_s_ = 0;
  double factor_ = 1;
  bool burst_ = false;
  double phase_ends_s_ = 0;
  std::size_t index_ = 0;  // into the trace
  std::size_t last_ = 0;   // likewise, of the arrival that was given last
  double lap_s_ = 0;
  struct Pending {
    double at_s = 0;
    std::size_t index = 0;  // into the trace
    // Of two at once the one that was recorded first.
    bool operator>(const Pending& other) const {
      return at_s != other.at_s ? at_s > other.at_s : index > other.index;
    }
  };
  // A heap, the earliest on top: requests of the trace to come. At most those of two mean gaps.
  std::vector<Pending> pending_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_ARRIVALS_H_
