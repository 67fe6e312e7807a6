// What bench_loop understands: which parts to run, or which single cells of the waits.
#ifndef RINGWAY_BENCH_LOOP_OPTIONS_H_
#define RINGWAY_BENCH_LOOP_OPTIONS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/loop/cell.h"

namespace ringway::bench {

struct LoopOptions {
  bool quick = false;
  bool brief = false;
  bool alone = false;                    // the loop as shipped, not those beside it
  bool tuning = false;                   // worlds and traffic of even seeds
  std::vector<std::string> parts = {};   // none: all
  std::vector<std::string> worlds = {};  // single cells: of these worlds
  std::vector<double> loads = {};
  std::vector<double> gap_cvs = {};
  double seconds = 0;  // of a run; 0: as many as without
  bool Wants(const std::string& part) const;
  bool single_cells() const { return !worlds.empty() || !loads.empty() || !gap_cvs.empty(); }
};

// Nothing: `exit_code` says how the program ends; what is wrong, and what is allowed, is on stderr.
std::optional<LoopOptions> ReadLoopOptions(int argc, char** argv, int& exit_code);

// The cells of the waits, the largest worlds last, because their time is most of the whole. False: a world
// could not be read.
bool CellsOf(const LoopOptions& options, std::vector<Cell>& cells);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_OPTIONS_H_
