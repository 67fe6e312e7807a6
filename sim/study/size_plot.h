// The search for the fewest workers as a plot: how the fleets that were tried did, and where the answer
// stands.
//
// A panel for each objective: over the number of workers in all, the worst of the runs of each fleet that was
// tried, the objective, and the answer as an upright line. Of several fleets of one size the best is drawn. A
// fleet that failed was given up at its first bad run, so its worst is of the runs that were made. Where each
// sample was asked what it needs alone, a last panel has the share of them that a fleet is enough for. Only
// sizes near the answer are drawn.
//
// Pure; linear in the fleets times the objectives.
#ifndef RINGWAY_SIM_STUDY_SIZE_PLOT_H_
#define RINGWAY_SIM_STUDY_SIZE_PLOT_H_

#include <string>
#include <vector>

#include "sim/study/sizing.h"

namespace ringway::sim {

inline constexpr double kSizeDrawnMin = 0.6;  // of the answer
inline constexpr double kSizeDrawnMax = 1.5;

struct TriedFleet {
  int workers = 0;            // in all
  std::vector<double> worst;  // by objective
};

// An SVG file; without a fleet that was tried the panels are empty.
std::string SizePlot(const std::vector<Objective>& objectives, const std::vector<TriedFleet>& tried,
                     const SizingAnswer& answer);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SIZE_PLOT_H_
