// What came of the demo's jobs: counted by phase for the summary, and over the last seconds for the screen.
//
// Latency is what a client feels: from the moment when the job was due (not when it was sent, so a generator
// that falls behind cannot hide waiting) to its end. A job counts for the phase and region in which it
// arrived. Times are seconds from the start of the demo.
//
// Bounds: the recent window keeps at most kRecentMax jobs. Threads: one owner.
#ifndef RINGWAY_CLI_DEMO_TALLY_H_
#define RINGWAY_CLI_DEMO_TALLY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/histogram.h"
#include "core/ids.h"

namespace ringway::demo {

struct JobRecord {
  std::size_t phase = 0;
  RegionId source;
  RegionId served;  // invalid: nobody did
  bool done = false;
  bool spilled = false;  // left a long line at home, beneath the table
  std::string outcome;   // "done", or why not
  double due_s = 0;
  double ended_s = 0;
  double network_s = 0;
  double wait_s = 0;  // from arrival to the start on a worker
  std::uint32_t offers = 0;
  std::uint32_t busy = 0;
};

// Sums over some jobs.
struct JobSums {
  std::uint64_t jobs = 0;
  std::uint64_t done = 0;
  std::uint64_t home = 0;     // of the done ones, served where they arrived
  std::uint64_t spilled = 0;  // of the done ones, elsewhere, although the table kept them at home
  std::uint64_t offers = 0;
  double network_s_sum = 0;
  Histogram latency_s;
  Histogram wait_s;
  std::map<std::string, std::uint64_t> outcomes;  // a handful of words

  void Add(const JobRecord& record);
  void Merge(const JobSums& other);
  double success() const { return jobs > 0 ? static_cast<double>(done) / static_cast<double>(jobs) : 1; }
  double home_share() const { return done > 0 ? static_cast<double>(home) / static_cast<double>(done) : 1; }
  double spilled_share() const {
    return done > 0 ? static_cast<double>(spilled) / static_cast<double>(done) : 0;
  }
  double offers_per_job() const {
    return jobs > 0 ? static_cast<double>(offers) / static_cast<double>(jobs) : 0;
  }
  double network_ms_mean() const { return done > 0 ? 1000 * network_s_sum / static_cast<double>(done) : 0; }
};

class Tally {
 public:
  static constexpr std::size_t kRecentMax = 20'000;
  static constexpr double kRecentSeconds = 5;

  Tally(std::size_t phases, std::size_t regions);
  void Add(const JobRecord& record);

  const JobSums& phase(std::size_t i) const { return phases_[i]; }
  // Jobs of one source region in one phase.
  const JobSums& phase_region(std::size_t phase, RegionId region) const {
    return by_region_[phase * regions_ + region.index()];
  }
  JobSums all() const;
  // Jobs of `region` that ended in the last kRecentSeconds.
  JobSums Recent(RegionId region, double now_s) const;
  // Of the done jobs of `source` that were due in [from_s, to_s), those that the table sent away. A job that
  // spilled is one that the table kept. Only within the window.
  double AwayShare(RegionId source, double from_s, double to_s) const;

 private:
  std::size_t regions_;
  std::vector<JobSums> phases_;
  std::vector<JobSums> by_region_;
  std::deque<JobRecord> recent_;
};

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_TALLY_H_
