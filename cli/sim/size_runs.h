// The runs behind a fleet's size: which seeds or recorded days are asked, and how a fleet does with them.
//
// Where the demand is as recorded over two days or more, each of them is a sample: every second one for the
// search, the others to confirm its answer. Else seeds are, 1 to n for the search, n + 1 to 2n to confirm.
//
// Threads: runs go to a pool; one owner.
#ifndef RINGWAY_CLI_SIM_SIZE_RUNS_H_
#define RINGWAY_CLI_SIM_SIZE_RUNS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sim/report/figures.h"
#include "sim/scenario.h"
#include "sim/study/size_plot.h"
#include "sim/study/sizing.h"

namespace ringway::cli {

class Samples {
 public:
  Samples(const sim::Scenario& scenario, TierId tier, std::size_t seeds, double day_s);

  bool are_days() const { return !days_.empty(); }
  // Seeds of one recording: they tell of chance in the fleet, and nothing of other days.
  bool of_one_recording() const { return recorded_ && !are_days(); }
  std::size_t searched() const { return searched_; }
  std::size_t fresh() const { return fresh_; }
  std::size_t all() const { return searched_ + fresh_; }
  // Of each sample, from the begin of the recording; empty: they are seeds.
  const std::vector<std::size_t>& day_numbers() const { return day_numbers_; }
  // The scenario of a sample with so many workers in the tier's regions; those of the search come first.
  std::shared_ptr<const sim::Scenario> Make(const sim::FleetSize& fleet, std::size_t sample) const;

 private:
  const sim::Scenario& scenario_;
  const TierId tier_;
  std::vector<sim::Scenario> days_;  // in the order of samples
  std::vector<std::size_t> day_numbers_;
  bool recorded_ = false;
  std::size_t searched_ = 0, fresh_ = 0;
};

// Runs fleets with samples and remembers how the last ones did.
class SampleJudge {
 public:
  SampleJudge(const Samples& samples, const std::vector<sim::Objective>& objectives, unsigned threads)
      : samples_(samples), objectives_(objectives), threads_(threads) {}

  // Whether the fleet meets all objectives with each of the samples first .. first + count - 1. A sample that
  // does not ends it: no further one can change the verdict. No value: interrupted.
  std::optional<bool> Judge(const sim::FleetSize& fleet, std::size_t first, std::size_t count);
  // Each trial by itself, all of them. No value: interrupted.
  std::optional<std::vector<bool>> JudgeEach(const std::vector<sim::Trial>& trials) const;
  const std::vector<sim::Figures>& runs() const { return runs_; }
  // Every fleet that Judge has judged, in order.
  const std::vector<sim::TriedFleet>& tried() const { return tried_; }

 private:
  void Remember(const sim::FleetSize& fleet);

  const Samples& samples_;
  const std::vector<sim::Objective>& objectives_;
  const unsigned threads_;
  std::vector<sim::Figures> runs_;
  std::vector<sim::TriedFleet> tried_;
};

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_SIZE_RUNS_H_
