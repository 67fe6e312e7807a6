// Days of demand that nobody recorded, made as days are: regions under the sun, days that differ, slow drift,
// and, in some of them, spikes.
//
// Each region's rate is its mean times a day curve (peak at 20:00 local time, swing 0.6, and a smaller second
// harmonic), times the level of the day (8 % for all, 5 % of its own, log-normal, blended from noon to noon),
// times a drift (6 %, correlated over half an hour), times spikes where there are any (six a day, in one
// region or, three times in ten, in all; demand grows by a half on average within five minutes and fades in a
// quarter of an hour). Arrivals are Poisson at that rate, service log-normal, mean 5 s, coefficient of
// variation 0.5. Same seed, same days, on every machine.
//
// Days of even seeds were used while constants were chosen; claims are made on odd ones.
#ifndef RINGWAY_BENCH_SCALING_DAYS_H_
#define RINGWAY_BENCH_SCALING_DAYS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fleet.h"
#include "sim/demand/arrivals.h"

namespace ringway::bench {

inline constexpr double kDayS = 86400;
inline constexpr double kJobMeanS = 5;
inline constexpr double kJobCv = 0.5;

struct DaysSpec {
  std::string name;
  int regions = 8;
  double busy_min = 2;  // mean busy workers of a region, uniform in the logarithm
  double busy_max = 16;
  int days = 2;
  bool spikes = false;
  std::uint64_t seed = 1;
};

struct Days {
  std::shared_ptr<Fleet> fleet;  // one tier without `scaling`
  // By region: what a trace of the simulator is made of.
  std::vector<std::shared_ptr<const std::vector<double>>> offsets_s;
  std::vector<std::shared_ptr<const std::vector<sim::RecordedJob>>> jobs;
  double length_s = 0;
  double service_mean_s = kJobMeanS;
  bool even = false;  // no spikes: the rate can be foreseen
  // Of all regions, by steps of kRateStepS: what arrivals were drawn from. Empty: they were recorded.
  std::vector<double> rate_rps;
};
inline constexpr double kRateStepS = 10;

Days MakeDays(const DaysSpec& spec);
// One tier in regions around the world, in three clusters; each has as many mean busy workers as are drawn
// into `busy`, and room for more than it will ever need.
std::shared_ptr<Fleet> MakeFleet(const DaysSpec& spec, double service_mean_s, std::vector<double>& busy);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_DAYS_H_
