// At which levels a sampler stops, and what time it tells the network there.
//
// The times are spaced over the trained ones as diffusers' configurations name it: linspace (both ends),
// leading (whole strides from the start, moved by steps_offset), trailing (whole strides from the end).
// Levels are those of the table at these times (between entries linear in sigma / alpha), or, with Karras' or
// uniform spacing, chosen first and then given the time that fits. DPM-Solver rounds its times, Euler does
// not. DDIM here goes from each chosen time to the next, as its paper has it; where steps do not divide the
// trained steps, diffusers goes a whole stride instead and then looks elsewhere. A picture to start from
// (strength < 1) drops the noisiest steps; of consistency models it shortens the range instead, as theirs
// does. O(steps).
#ifndef RINGWAY_ENGINE_SAMPLER_NOISE_GRID_H_
#define RINGWAY_ENGINE_SAMPLER_NOISE_GRID_H_

#include <vector>

#include "absl/status/statusor.h"
#include "engine/sampler/scheduler_config.h"

namespace ringway::engine {

struct NoiseGrid {
  std::vector<double> lambdas;  // rise, one more than times; the last may be infinite: no noise
  std::vector<double> times;    // what the network is told at each level but the last
};

// InvalidArgument names what does not fit: more steps than were trained, or a strength that leaves none.
absl::StatusOr<NoiseGrid> MakeNoiseGrid(const SchedulerConfig& config, int steps, double strength = 1);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_NOISE_GRID_H_
