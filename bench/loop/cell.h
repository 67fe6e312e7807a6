// One cell of the benchmark: a world, a load and a law of arrivals, with and without parts of the loop.
#ifndef RINGWAY_BENCH_LOOP_CELL_H_
#define RINGWAY_BENCH_LOOP_CELL_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/claim.h"
#include "bench/loop/worlds.h"

namespace ringway::bench {

struct Judged {
  std::string name;
  std::vector<Claim> claims;
  std::string rows;  // for people
};

struct Cell {
  std::shared_ptr<const Fleet> fleet;
  Traffic traffic;
  bool alone = false;  // only the loop as shipped, and the claims that compare it with no other loop
};
// Pure: the same cell, the same figures, on any thread.
Judged JudgeCell(const Cell& cell);

// Cells side by side on all processors; each is printed (unless `brief`) as soon as all before it have been.
std::vector<Claim> JudgeCells(const std::vector<Cell>& cells, bool brief);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_CELL_H_
