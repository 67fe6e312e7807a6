// The part of a demand that is recorded: which file, which of its columns, from when to when, and how its
// jobs become the arrival processes of tiers, priorities and regions.
//
// Rows that name their tier, priority or region are the demand of just these. What the demand itself says of
// tier, priority or regions goes before a column that was only found by its customary name, and so does a
// fleet that has only one; a column that the scenario names (`columns`) must hold names of the fleet. Rows
// without a region are shared out.
//
// As recorded (`rate: recorded`) every row is sent once, at its time, and the trace does not start over; a
// row without a region goes to one of the regions, drawn by its share. At a rate each stream is thinned or
// repeated as sim/demand/arrivals.h says. The window's begin is virtual time zero.
//
// Bounds: kDemandsMax streams. Errors go to the mapping's problems, or name the trace's line and column.
#ifndef RINGWAY_SIM_FILES_READ_TRACE_H_
#define RINGWAY_SIM_FILES_READ_TRACE_H_

#include <memory>
#include <optional>
#include <vector>

#include "sim/demand/trace.h"
#include "sim/files/scenario_file.h"
#include "sim/scenario.h"
#include "topology/mapping.h"

namespace ringway::sim {

// A demand's trace, cut to its window: offsets count from the window's begin.
struct TraceWindow {
  Trace trace;
  double length_s = 0;  // of the window, > 0
};

// Reads `file`, `column`, `unit`, `columns`, `units`, `from` and `to`.
std::optional<TraceWindow> ReadTraceWindow(Mapping& m, const ReadFile& read, Scenario& scenario);

// Whose jobs they are, as far as the demand says.
struct TraceDemand {
  TierId tier;  // invalid: each row names its own
  Priority priority = 0;
  bool says_priority = false;
  RegionSet regions;           // all of them, if the demand names none
  std::vector<double> shares;  // of them, of rows that name no region; sums to 1
  bool says_regions = false;
  std::optional<double> rate_rps = std::nullopt;  // nothing: as recorded
};

// Appends to scenario.demand, .tenants and .remarks.
absl::Status AddTraceDemand(const TraceWindow& window, const TraceDemand& demand, Scenario& scenario);

// Of the window's jobs, in seconds; nothing: no service times were recorded.
std::optional<double> RecordedServiceMeanS(const Trace& trace);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FILES_READ_TRACE_H_
