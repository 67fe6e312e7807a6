// One cell of the metastability suite: a fleet, a trouble, and whether the fleet is itself again afterwards.
//
// Metastable failures (Bronson et al., HotOS'21; Huang et al., OSDI'22) stay after their trigger has gone,
// because users and routers that try again keep the overload alive. Two regions of 150 workers, service 2 s
// (log-normal, CV 0.5), deadline 6 s, three routers each, a controller; users whose job was not served try
// again with probability p after about a second. Back means: served per newly arriving job at 98 % of what it
// was before the trouble, from 10 s after its end on.
#ifndef RINGWAY_TESTS_SIM_HEALING_H_
#define RINGWAY_TESTS_SIM_HEALING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/report/statistics.h"
#include "sim/scenario.h"

namespace ringway::sim {

inline constexpr double kHealS = 10;    // max(10 s, 2 S)
inline constexpr double kWindowS = 20;  // over which "back" is measured
inline constexpr double kBackShare = 0.98;
inline constexpr double kAttemptsMax = 4;  // per job, at peak

struct TriggerCase {
  std::string name;
  Fault fault;
  double span_s = 30;
};
// Half the workers off, load x3, RTT +200 ms, leader killed, controller killed, metrics frozen, slow workers
// x3, sinkhole.
std::vector<TriggerCase> AllTriggers();

// What the fleet does against a storm. All on: production. Each can be switched off alone.
struct Guards {
  bool ledger = true;       // else routers probe
  bool deadline = true;     // jobs that cannot finish in time are not started, and end when users leave
  bool budget = true;       // of offers beyond the first
  bool backoff = true;      // exponential, with full jitter; else 20 ms, always
  bool delay = true;        // under pressure some jobs are made executable later
  bool many_probes = true;  // four workers a round; else one
  bool controller = true;   // plans between the regions
  bool coarse_shed = true;  // tables refuse only what is far above full; else down to full
};
// A random worker, the same again after 20 ms, no look at the deadline, no cancellation, no budget.
Guards Naive();

struct CellOutcome {
  double before = 0;        // served per newly arriving job
  double after = 0;         // the same, as a share of before
  double back_s = 0;        // after the trouble's end, over windows of 5 s; 99: not in this run
  double attempts_max = 0;  // offers per submission, over 5 s
  std::vector<std::string> violations;
  bool healed() const { return after >= kBackShare && back_s <= kHealS && attempts_max <= kAttemptsMax; }
};

struct Cell {
  TriggerCase trigger;
  double rho = 0.95;
  double resubmit = 0.9;
  Guards guards = {};
  std::uint64_t seed = 1;
  int workers = 150;  // of each region
};
std::shared_ptr<Scenario> CellScenario(const Cell& cell);
// Runs it. Back is judged from `end_s` on, the trouble's end.
CellOutcome JudgeHealing(std::shared_ptr<const Scenario> scenario, double end_s);
CellOutcome RunCell(const Cell& cell);

inline constexpr double kBeginS = 60;  // of the trouble

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_HEALING_H_
