// What happens in the demo and when: phases, and the traffic that each region gets in them.
//
// Every region has a base rate, a share of what its workers can serve, that follows a day curve shifted by
// its UTC offset (or a recorded trace). A phase multiplies the rates: one region is made hot, then all rise
// at once; the factors are such that a phase reaches the load that its text tells, whatever the hour. Where
// the tier is dispatched by ledger, the spike comes a second time with the tier switched to probes. A
// `global` phase repeats the calm with a table that spreads every region's jobs over the whole world, so that
// the two can be compared. Lengths are shares of the time that the demo is given.
//
// Instead, a scenario file of the simulator may be played, as far as it only says who sends how much: then
// the very arrivals of `ringway sim run` meet real processes (script_file.cc).
//
// Invariants: phases are not empty, lengths are positive, the hot region has workers. Threads: pure.
#ifndef RINGWAY_CLI_DEMO_SCRIPT_H_
#define RINGWAY_CLI_DEMO_SCRIPT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/time.h"
#include "sim/scenario.h"

namespace ringway::demo {

enum class RouteChoice { kRingway, kGlobal, kBoth };

// kPlayed: of a scenario file, which claims nothing.
enum class PhaseKind { kCalm, kHot, kSpike, kProbes, kAfter, kGlobal, kPlayed };

struct Phase {
  PhaseKind kind;
  std::string name;   // one word
  std::string story;  // one line for people
  double begins_s = 0;
  double length_s = 0;
  IdVector<RegionId, double> factors;  // times the rate that the region has anyway at that time of its day
  bool global = false;                 // every region's jobs are spread over all regions
  DispatchMode dispatch = DispatchMode::kProbe;
  bool measured = true;  // false: a warm-up
  double ends_s() const { return begins_s + length_s; }
};

struct Script {
  TierId tier;
  RegionId hot;                         // the region with the most users
  IdVector<RegionId, double> base_rps;  // mean over a day
  // Of a scenario: each region's arrivals, and the seed of their streams.
  std::vector<sim::DemandSpec> demand;
  std::vector<Phase> phases;  // in order, without gaps, from 0
  double length_s() const { return phases.back().ends_s(); }
  const Phase& At(double time_s) const;  // the last one after the end
};

inline constexpr int kRoutersPerRegion = 2;
inline constexpr double kBaseLoad = 0.42;  // of the workers of each region, mean over a day
inline constexpr double kDaySeconds = 600;
inline constexpr double kDaySwing = 0.3;
inline constexpr double kPeakLocalHour = 20;
inline constexpr double kStartUtcHour = 15;

// Whether one machine can run it. Errors: InvalidArgument.
absl::Status CheckFleet(const Fleet& fleet, TierId tier);

// Rate of the region at this time over its mean, by the compressed day curve.
double DayFactor(const Region& region, double at_s);

struct ScriptChoice {
  RouteChoice route = RouteChoice::kBoth;
  double length_s = 66;
  bool day_curve = true;  // else a trace, whose rate at a given moment nobody knows beforehand
};

// The script of a scenario file: its demand, and the times at which it is scaled. Errors: InvalidArgument,
// for what processes on one machine cannot play.
absl::StatusOr<Script> ScriptOf(const sim::Scenario& scenario);

// Errors: InvalidArgument when the fleet is not one that the demo can run (see the message).
absl::StatusOr<Script> MakeScript(const Fleet& fleet, const ScriptChoice& choice);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_SCRIPT_H_
