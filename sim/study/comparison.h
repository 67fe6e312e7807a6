// Two scenarios over the same seeds: which figures differ, and by how much more than noise.
//
// Both see the same arrivals and service times seed by seed (common random numbers), so differences are taken
// seed by seed. A verdict is given only where the 95 % interval of the difference excludes zero.
//
// Pure.
#ifndef RINGWAY_SIM_STUDY_COMPARISON_H_
#define RINGWAY_SIM_STUDY_COMPARISON_H_

#include <string>
#include <string_view>
#include <vector>

#include "sim/report/figures.h"
#include "sim/report/statistics.h"

namespace ringway::sim {

struct FigureComparison {
  Figure figure = Figure::kSubmitted;
  Estimate a;
  Estimate b;
  Estimate difference;  // b - a
  // "better", "worse" (b than a), "different" (neither direction is better), "no difference seen".
  std::string_view verdict;
};

// By seed, equally long, at least two. Costs are compared where both sides have prices.
std::vector<FigureComparison> Compare(const std::vector<Figures>& a, const std::vector<Figures>& b);

// {"comparison": [...]}, for files and for the page.
std::string ComparisonJson(const std::vector<FigureComparison>& rows);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_COMPARISON_H_
