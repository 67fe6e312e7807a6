// Days of a service that was recorded, as days of a fleet around the world.
//
// The recording's days are cut where it is quietest, and those with at least half of the median day's jobs
// are kept: a weekend of an office is no day of this fleet. Each region plays several of them at once, as so
// many sites of equal habits would, with their own arrivals and service times; a site begins up to half an
// hour before or after the others, or two that play the same recorded day would burst together. Each
// simulated day deals anew. Regions lie in three clusters, and each one's days begin with its own night.
//
// Source of the days that were judged: GenTD26 (github.com/alibaba/clusterdata, cluster-trace-v2026-GenAI),
// requests of a production Stable Diffusion service over three weeks. It is read; no part of it is here.
#ifndef RINGWAY_BENCH_SCALING_RECORDED_DAYS_H_
#define RINGWAY_BENCH_SCALING_RECORDED_DAYS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "bench/scaling/days.h"

namespace ringway::bench {

struct RecordedSpec {
  std::string file = {};  // a CSV as sim/demand/trace.h reads it, with dates and service times
  std::string time_column = {}, service_column = {};  // empty: found by their names
  int regions = 6;
  int sites = 4;  // recorded days that a region plays at once
  int days = 2;
  std::uint64_t seed = 1;  // who plays which day, and when it begins
};

// Errors: those of the file; no dates or service times in it.
absl::StatusOr<Days> RecordedDays(const RecordedSpec& spec);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_RECORDED_DAYS_H_
