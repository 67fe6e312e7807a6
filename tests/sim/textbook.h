// Textbook queues through the whole simulator, and what they would come to in the long run.
//
// One region without distances, one router, one ledger: M/M/c if jobs may wait, M/G/c/c if they may not
// (waitingMax 0). At high load, and where losses are rare, the mean of such a queue takes billions of jobs to
// settle, which no simulator carries; so it is estimated on two levels (M. B. Giles, Multilevel Monte Carlo,
// Acta Numerica 2015):
//
//   estimate = (whole simulator - ideal queue on the very same jobs) + long run of the ideal queue
//
// The ideal queue is a few lines without any machine of ours (CentralQueue, LossGroup), and the first term
// compares the two, start by start or loss by loss. The second is an independent simulation of the same
// ideal, some hundred times cheaper a job: exponential service by the jump chain of the number in the system,
// other laws by the queue itself. No formula of the theory under test enters either. The expectation is the
// simulator's own, whatever that is: a fault in the machines shows in the first term.
//
// One estimate a seed; both terms' noise is in the spread over seeds. Unit of time: the mean service time.
#ifndef RINGWAY_TESTS_SIM_TEXTBOOK_H_
#define RINGWAY_TESTS_SIM_TEXTBOOK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/demand/theory.h"
#include "sim/observers/observer.h"
#include "sim/scenario.h"

namespace ringway::sim {

struct Cell {
  std::size_t servers = 10;
  double rho = 0.9;
  double offered() const { return rho * static_cast<double>(servers); }
};

// The region's scenario: mean service 1 s, `jobs` after the warm-up, and all of them end.
std::shared_ptr<const Scenario> TextbookScenario(const Cell& cell, const ServiceLaw& law, bool may_wait,
                                                 double jobs, std::uint64_t seed);

// What a queue comes to.
struct QueueFigures {
  double wait_mean = 0;
  double wait_p99 = 0;
  double loss = 0;
};

// Waits, to a thousandth of `scale` (the p99 that is expected), up to eight times that.
class WaitCount {
 public:
  explicit WaitCount(double scale) : width_(scale / 1000), counts_(8000) {}
  void Add(double wait);
  double Mean() const { return count_ > 0 ? sum_ / count_ : 0; }
  double Quantile(double q) const;

 private:
  double width_;
  std::vector<std::uint64_t> counts_;
  double zeros_ = 0, count_ = 0, sum_ = 0;
};

// Follows a run and gives the ideal the same jobs. Where jobs wait, the ideal serves them in order of
// arrival, and its n-th start takes as long as the run's n-th: the ledger orders its line by the latest start
// that a deadline allows, which is nearly but not quite the order of arrival, and knows no job's length.
class Twin : public Observer {
 public:
  Twin(const Scenario& scenario, const Cell& cell, bool may_wait, double p99_scale);
  void OnSubmitted(Time now, const Submission& submission) override;
  void OnStarted(Time now, WorkerId worker, const OfferNote& note) override;
  void OnEnded(Time now, const Ending& ending) override;

  QueueFigures simulated() const { return Of(simulated_, simulated_lost_); }
  QueueFigures ideal() const { return Of(ideal_, ideal_lost_); }
  // Jobs that were lost in one world and served in the other; starts that came more than a microsecond sooner
  // or later, because a worker was idle while somebody waited, or busy twice.
  std::uint64_t differing() const { return differing_; }
  std::uint64_t jobs() const { return jobs_; }

 private:
  QueueFigures Of(const WaitCount& waits, std::uint64_t lost) const;

  double warm_s_;
  bool may_wait_;
  CentralQueue queue_;
  LossGroup group_;
  std::vector<double> arrivals_s_;
  std::size_t starts_ = 0;
  std::vector<bool> lost_;  // by serial, ideally
  WaitCount simulated_, ideal_;
  std::uint64_t simulated_lost_ = 0, ideal_lost_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t jobs_ = 0;
};

// `jobs` arrivals at M/M/c (may_wait) or M/M/c/c, by the jump chain.
QueueFigures LongRunExponential(const Cell& cell, bool may_wait, double jobs, std::uint64_t seed);
// `jobs` arrivals at M/G/c/c.
QueueFigures LongRunLoss(const Cell& cell, const ServiceLaw& law, double jobs, std::uint64_t seed);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_TEXTBOOK_H_
