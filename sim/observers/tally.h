// What a run came to: counts, latencies and loads, second by second and as a whole.
//
// The whole leaves out the warm-up; the seconds do not, so that a plot shows how the run began. Of a slice
// (sim/slice.h) the whole is what falls into its window: submissions, offers and tables by their time, what
// became of a job by when it was submitted, time of workers by when the job began. Goodput
// counts jobs that were served; an offer counts when it has reached a worker, counted here and not taken from
// what routers say. Loads are busy workers over provisioned ones at the end of each second.
//
// Memory: kilobytes a simulated second and region. A observer: changes nothing.
#ifndef RINGWAY_SIM_OBSERVERS_TALLY_H_
#define RINGWAY_SIM_OBSERVERS_TALLY_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/histogram.h"
#include "sim/fleet/workers.h"
#include "sim/observers/observer.h"
#include "sim/scenario.h"
#include "sim/slice.h"

namespace ringway::sim {

inline constexpr std::size_t kOutcomes = 7;

struct RegionSecond {
  std::uint32_t submitted = 0;    // by users of the region, retries included
  std::uint32_t first = 0;        // of those, first submissions
  std::uint32_t served = 0;       // of its users' jobs, wherever
  std::uint32_t served_here = 0;  // jobs that its workers finished
  std::uint32_t unserved = 0;
  float busy = 0;  // workers at the end of the second
};

struct SecondTally {
  std::vector<RegionSecond> regions;
  std::uint32_t offers = 0;
  std::uint32_t tables = 0;  // activations at routers
  float wait_mean_s = 0;     // of jobs served in this second
  float latency_p99_s = 0;
};

struct Totals {
  std::uint64_t submitted = 0;
  std::uint64_t first = 0;
  std::array<std::uint64_t, kOutcomes> ended{};  // by Outcome
  std::uint64_t still_waiting = 0;  // when the run was over; their age is in `wait` and `latency`
  std::uint64_t still_running = 0;  // or the answer was on its way; their wait is in `wait`
  std::uint64_t served_at_home = 0;
  std::uint64_t offers = 0;
  std::uint64_t refused = 0;  // offers that found the worker busy
  std::uint64_t forwards = 0;
  std::uint64_t tables = 0;  // activations at routers
  double busy_s = 0;         // of workers
  double wasted_s = 0;       // of those, for jobs that did not finish
  Histogram wait;
  Histogram latency;
  std::uint64_t served() const { return ended[static_cast<std::size_t>(Outcome::kDone)]; }
  std::uint64_t ended_all() const;
  // Those of two slices of one run.
  void Add(const Totals& other);
};

class Tally : public Observer {
 public:
  Tally(const Scenario& scenario, const Workers& workers, const Slice& slice = {});

  void OnSubmitted(Time now, const Submission& submission) override;
  void OnEnded(Time now, const Ending& ending) override;
  void OnUnfinished(Time now, const Unfinished& job) override;
  void OnOffered(Time now, WorkerId worker, const OfferNote& note) override;
  void OnRefused(Time now, WorkerId worker, const OfferNote& note) override;
  void OnStarted(Time now, WorkerId worker, const OfferNote& note) override;
  void OnFreed(Time now, WorkerId worker, const OfferNote& note, bool finished) override;
  void OnWorkerDied(Time now, WorkerId worker) override;
  void OnForwarded(Time now, RouterId from, RouterId to, JobSerial serial) override;
  void OnTableActive(Time now, RouterId router, const RoutingTable& table) override;
  void OnSecond(Time now) override;
  void Foresee(WorkerId worker, JobSerial) const override { Prefetch(&started_[worker]); }

  const Totals& totals() const { return totals_; }
  const std::vector<SecondTally>& seconds() const { return seconds_; }
  // Of what began in the window nothing is under way any more.
  bool settled() const { return totals_.submitted == totals_.ended_all() && running_counted_ == 0; }
  // served[from][to], after the warm-up.
  const std::vector<std::vector<std::uint64_t>>& flows() const { return flows_; }

 private:
  bool Counts(Time now) const { return now >= warm_ && now < over_; }
  SecondTally Blank() const;
  Time StartOf(JobSerial serial);

  const Workers& workers_;
  const Time warm_;
  const Time over_;                    // end of the window
  std::uint64_t running_counted_ = 0;  // jobs that began in the window
  Totals totals_;
  std::vector<SecondTally> seconds_;  // the last one is the running second
  std::vector<std::vector<std::uint64_t>> flows_;
  IdVector<WorkerId, Time> started_;
  IdVector<WorkerId, JobSerial> running_;  // while started_ is finite
  IdVector<RegionId, std::uint32_t> busy_;
  double wait_sum_s_ = 0;
  std::uint32_t waits_ = 0;
  Histogram second_latency_;
  // Answers may be on their way for a moment when the run ends: the jobs that ended in this second and the
  // last.
  std::vector<std::pair<JobSerial, Time>> just_ended_, ended_before_;
  absl::flat_hash_map<JobSerial, Time> starts_;  // filled when the run is over
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_TALLY_H_
