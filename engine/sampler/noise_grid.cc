#include "engine/sampler/noise_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr double kNoNoise = std::numeric_limits<double>::infinity();
constexpr double kKarrasRho = 7;

int TrainedSteps(const SchedulerConfig& config) { return static_cast<int>(config.trained.time_last()) + 1; }

// From the noisiest; rounded to the even one where two are as near, as the reference does.
std::vector<double> SpacedTimes(const SchedulerConfig& config, int steps) {
  const int trained = TrainedSteps(config);
  // DPM-Solver counts the end of the last step among its times and leaves it out.
  const bool counts_end = config.solver == Solver::kDpmSolver;
  const bool rounds = config.solver == Solver::kDpmSolver || config.solver == Solver::kDdim;
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) {
    const int from_end = counts_end ? steps - i : steps - 1 - i;
    const int gaps = counts_end ? steps : std::max(1, steps - 1);
    double time = 0;
    switch (config.spacing()) {
      case TimeSpacing::kLinspace:
        time = steps == 1 ? trained - 1 : static_cast<double>(trained - 1) * from_end / gaps;
        if (rounds) time = std::nearbyint(time);
        break;
      case TimeSpacing::kLeading:
        time =
            static_cast<double>(trained / (counts_end ? steps + 1 : steps)) * from_end + config.steps_offset;
        break;
      case TimeSpacing::kTrailing:
        time = std::nearbyint(trained - static_cast<double>(trained) / steps * i) - 1;
        break;
    }
    times.push_back(std::min(time, config.trained.time_last()));
  }
  return times;
}

// Linear in sigma / alpha between the entries of the table.
double LambdaAt(const TrainedSchedule& trained, double time) {
  const double below = std::floor(time), share = time - below;
  if (share == 0) return trained.LambdaOf(time);
  return -std::log((1 - share) * std::exp(-trained.LambdaOf(below)) +
                   share * std::exp(-trained.LambdaOf(below + 1)));
}

std::vector<double> Spaced(NoiseSpacing spacing, double first, double last, int steps) {
  std::vector<double> lambdas;
  for (int i = 0; i < steps; ++i) {
    const double share = steps == 1 ? 0 : static_cast<double>(i) / (steps - 1);
    if (spacing == NoiseSpacing::kKarras) {
      const double from = std::exp(-first / kKarrasRho), to = std::exp(-last / kKarrasRho);
      lambdas.push_back(-kKarrasRho * std::log(from + share * (to - from)));
    } else {
      lambdas.push_back(first + share * (last - first));
    }
  }
  return lambdas;
}

// The times of a consistency model are some of its teacher's.
absl::StatusOr<NoiseGrid> ConsistencyGrid(const SchedulerConfig& config, int steps, double strength) {
  const int stride = TrainedSteps(config) / config.original_steps;
  const int kept = static_cast<int>(config.original_steps * strength);
  if (stride < 1 || steps > kept)
    return absl::InvalidArgumentError(absl::StrCat("a consistency model of ", config.original_steps,
                                                   " original steps takes 1 to ", kept, " steps at strength ",
                                                   strength, ", not ", steps));
  NoiseGrid grid;
  for (int i = 0; i < steps; ++i) {
    const int at = static_cast<int>(std::floor(static_cast<double>(kept) / steps * i));
    grid.times.push_back((kept - at) * stride - 1);
    grid.lambdas.push_back(config.trained.LambdaOf(grid.times.back()));
  }
  grid.lambdas.push_back(kNoNoise);
  return grid;
}

double LastLambda(const SchedulerConfig& config) {
  const bool clean = config.solver == Solver::kDdim
                         ? config.final_alpha_one
                         : config.final_sigma_zero || config.solver == Solver::kEulerAncestral;
  return clean ? kNoNoise : config.trained.LambdaOf(0);
}

}  // namespace

absl::StatusOr<NoiseGrid> MakeNoiseGrid(const SchedulerConfig& config, int steps, double strength) {
  const int steps_max = TrainedSteps(config) - config.steps_offset - 1;
  if (steps < 1 || steps > steps_max)
    return absl::InvalidArgumentError(
        absl::StrCat("steps is ", steps, "; this checkpoint allows 1 to ", steps_max));
  if (!(strength > 0 && strength <= 1))
    return absl::InvalidArgumentError(absl::StrCat("strength is ", strength, "; allowed: above 0, to 1"));
  if (config.solver == Solver::kLcm) return ConsistencyGrid(config, steps, strength);
  NoiseGrid grid;
  grid.times = SpacedTimes(config, steps);
  for (const double time : grid.times) grid.lambdas.push_back(LambdaAt(config.trained, time));
  const bool spaced = config.noise_spacing != NoiseSpacing::kTrained &&
                      (config.solver == Solver::kDpmSolver || config.solver == Solver::kEuler);
  if (spaced) {
    const bool whole_table = config.solver == Solver::kDpmSolver;
    const double first =
        whole_table ? config.trained.LambdaOf(config.trained.time_last()) : grid.lambdas.front();
    const double last = whole_table ? config.trained.LambdaOf(0) : grid.lambdas.back();
    grid.lambdas = Spaced(config.noise_spacing, first, last, steps);
    for (std::size_t i = 0; i < grid.times.size(); ++i) {
      grid.times[i] = config.trained.TimeOf(grid.lambdas[i]);
      if (whole_table) grid.times[i] = std::nearbyint(grid.times[i]);
    }
  }
  grid.lambdas.push_back(LastLambda(config));
  const auto dropped = steps - std::min(static_cast<int>(steps * strength), steps);
  if (dropped == steps)
    return absl::InvalidArgumentError(
        absl::StrCat("strength ", strength, " of ", steps, " steps leaves none; take more of either"));
  grid.times.erase(grid.times.begin(), grid.times.begin() + dropped);
  grid.lambdas.erase(grid.lambdas.begin(), grid.lambdas.begin() + dropped);
  return grid;
}

}  // namespace ringway::engine
