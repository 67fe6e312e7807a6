// A run in a dozen numbers: what sweeps tabulate, comparisons compare, and objectives are put on.
//
// Shares are of the jobs that were submitted after the warm-up and either ended or still wait for a worker
// when the run is over: these were not served, and have waited at least for as long as they are old. (Those
// that run by then count in the waits only.) Workers of tiers without any demand are not part of the
// question: they are in no share of busy ones. Times in seconds. The list is fixed and ordered, so that
// columns of shards written by different processes fit together.
//
// Pure. Every figure is a function of the scenario and its seed.
#ifndef RINGWAY_SIM_REPORT_FIGURES_H_
#define RINGWAY_SIM_REPORT_FIGURES_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "sim/report/run_result.h"

namespace ringway::sim {

enum class Figure : std::size_t {
  kSubmitted,
  kServedShare,
  kShedShare,
  kTooLateShare,
  kFailedShare,
  kHomeShare,  // of the served
  kWaitMeanS,
  kWaitP50S,
  kWaitP99S,
  kLatencyP50S,
  kLatencyP99S,
  kOffersPerServed,
  kBusyShare,    // of the time of the workers that the demand is for
  kWastedShare,  // of the busy time
  kTablesPerMinute,
  kViolations,
  kServedJobs,
  kGpuHours,  // of the workers that the demand is for, see sim/report/cost.h
  // Of money; known where the scenario has prices.
  kGpuCost,
  kEgressCost,
  kCostPer1000,  // served jobs; infinite where none was served
};
inline constexpr std::size_t kFigures = 21;
inline constexpr std::size_t kFiguresOfMoney = 3;  // the last ones
// How many of the figures, from the first, there is something to be said of.
constexpr std::size_t FiguresTold(bool priced) { return priced ? kFigures : kFigures - kFiguresOfMoney; }
constexpr bool IsOfMoney(Figure figure) { return static_cast<std::size_t>(figure) >= FiguresTold(false); }

struct FigureText {
  std::string_view name;   // of columns and options: served_share
  std::string_view title;  // for people: served
  bool percent = false;
  int better = 0;  // +1: more is better, -1: less is, 0: neither
};
const FigureText& TextOf(Figure figure);
std::optional<Figure> FigureNamed(std::string_view name);

class Figures {
 public:
  double& operator[](Figure figure) { return values_[static_cast<std::size_t>(figure)]; }
  double operator[](Figure figure) const { return values_[static_cast<std::size_t>(figure)]; }
  // Whether the figures of money are known.
  bool priced() const { return priced_; }
  void set_priced(bool priced) { priced_ = priced; }
  // From the costs, and the served jobs that have been set.
  void SetCosts(double gpu, double egress);

 private:
  std::array<double, kFigures> values_{};
  bool priced_ = false;
};

bool InDemand(const Scenario& scenario, TierId tier);
// Workers of the region, of the tiers that the scenario has demand for.
int WorkersInDemand(const Scenario& scenario, RegionId region);

Figures FiguresOf(const RunResult& run);
inline Figures FiguresOf(const Simulation& run) { return FiguresOf(ResultOf(run)); }

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_FIGURES_H_
