// A sweep as a plot: what is served, how long jobs wait and how busy workers are, over the first parameter;
// with prices also what 1000 served jobs cost.
//
// Each combination of the other parameters is a line; of more than kLinesMax the first are drawn and the
// title says how many there are. The points are means over the seeds, from left to right by the value of the
// first parameter, whatever the order of --vary.
//
// Pure; linear in the rows times the lines.
#ifndef RINGWAY_SIM_STUDY_GRID_PLOT_H_
#define RINGWAY_SIM_STUDY_GRID_PLOT_H_

#include <string>
#include <vector>

#include "sim/study/grid.h"

namespace ringway::sim {

// An SVG file. `grid` has at least one axis; without rows the panels are empty.
std::string SweepPlot(const Grid& grid, const std::vector<GridRow>& rows);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_GRID_PLOT_H_
