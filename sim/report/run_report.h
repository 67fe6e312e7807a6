// Everything that is told about a run, as values: the one source of the JSON, the CSV and the page.
//
// Series are binned to at most kBinsMax points, so that a day is as easy to look at as a minute; counts of a
// bin are summed, levels averaged, a quantile is the worst of its seconds. What a report says is a function
// of the scenario and its seed: no wall-clock time, no path, no host.
#ifndef RINGWAY_SIM_REPORT_RUN_REPORT_H_
#define RINGWAY_SIM_REPORT_RUN_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/cost.h"
#include "sim/report/figures.h"
#include "sim/report/reference.h"
#include "sim/report/run_result.h"

namespace ringway::sim {

inline constexpr std::size_t kBinsMax = 300;

struct RegionReport {
  std::string name;
  std::string title;
  double latitude_deg = 0;
  double longitude_deg = 0;
  int workers = 0;                 // of the tiers that there is demand for
  double busy_share = 0;           // mean after the warm-up
  std::uint64_t served = 0;        // of its users' jobs
  std::uint64_t served_home = 0;   // of those, in the region itself
  std::uint64_t served_guest = 0;  // other regions' jobs served here
  RunCost cost = {};               // if the report has one
};

struct Series {
  double bin_s = 1;
  std::vector<double> submitted;  // per second
  std::vector<double> served;
  std::vector<double> unserved;
  std::vector<double> offers_per_served;
  std::vector<double> wait_mean_s;
  std::vector<double> latency_p99_s;
  std::vector<double> tables;             // activations at routers, per minute
  std::vector<std::vector<double>> busy;  // [region][bin], share of its workers
};

struct StepReport {
  std::string what;
  double at_s = 0;
  double lasts_s = 0;  // infinite: to the end
};

struct RunReport {
  std::string scenario;
  std::uint64_t seed = 0;
  bool complete = false;
  double duration_s = 0;  // simulated
  double warmup_s = 0;
  std::uint64_t events = 0;
  Figures figures;
  std::optional<RunCost> cost;          // of all regions; none: the scenario has no prices
  std::vector<std::uint64_t> outcomes;  // by Outcome
  std::uint64_t still_waiting = 0;      // at the end, for a worker: not served
  std::uint64_t still_running = 0;
  std::vector<double> wait_s;  // at kQuantilesShown
  std::vector<double> latency_s;
  std::vector<RegionReport> regions;
  std::vector<std::vector<std::uint64_t>> flows;  // served jobs [from][to]
  std::vector<StepReport> steps;
  Series series;
  std::vector<std::string> tier_names;
  std::vector<TierReference> references;  // by tier; empty: not asked for
  double plan_cost_over_optimum = 0;      // RPS x RTT of all plans over the least possible; 0: none sent away
  std::vector<std::string> remarks;
  std::vector<std::string> violations;
};

inline constexpr double kQuantilesShown[] = {0.5, 0.9, 0.99, 0.999};

// `reference`: watched the run; null: leave the references out.
RunReport MakeReport(const RunResult& run, const Reference* reference);
inline RunReport MakeReport(const Simulation& run, const Reference* reference) {
  return MakeReport(ResultOf(run), reference);
}

std::string ReportJson(const RunReport& report);
// One line a bin: what a spreadsheet wants.
std::string SeriesCsv(const RunReport& report);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_RUN_REPORT_H_
