// What bench_scaling is asked for.
//
//   [--quick] [--brief]      days that are made, of three seeds; --quick: one small fleet
//   --only KIND --seed N     those of one kind (smooth, spikes) and one seed
//   --tune                   a made day of an even seed with other settings, for whoever changes a constant
//   --recorded FILE [--time COLUMN] [--service COLUMN] [--sites N] [--tune]
//                            days of a recording, as three fleets of N sites a region
//
// Anything else is a wrong usage, told on stderr with what is allowed.
#ifndef RINGWAY_BENCH_SCALING_OPTIONS_H_
#define RINGWAY_BENCH_SCALING_OPTIONS_H_

#include <optional>
#include <vector>

#include "bench/scaling/days.h"
#include "bench/scaling/recorded_days.h"

namespace ringway::bench {

struct ScalingOptions {
  bool brief = false;
  bool tune = false;
  std::vector<DaysSpec> made = {};  // none where days are recorded
  std::vector<RecordedSpec> recorded = {};
};

// Nothing: the usage was told.
std::optional<ScalingOptions> ReadScalingOptions(int argc, char** argv);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_OPTIONS_H_
