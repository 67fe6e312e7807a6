// bench_loop [--quick] [--brief] [calm] [overload] [waits], or single cells of the waits: bench_loop --world
// mix60
// --load 0.9 [--cv 2] [--alone] [--tuning]. How calm the closed loop is and how long jobs wait in it, on
// worlds, seeds and arrivals that no constant was chosen on, beside the loop without its parts and beside one
// queue of all workers.
#include <vector>

#include "bench/claim.h"
#include "bench/loop/calm.h"
#include "bench/loop/cell.h"
#include "bench/loop/options.h"
#include "bench/loop/overload.h"

int main(int argc, char** argv) {
  using namespace ringway::bench;
  int exit_code = 0;
  const auto options = ReadLoopOptions(argc, argv, exit_code);
  if (!options) return exit_code;
  std::vector<Cell> cells;
  std::vector<Claim> claims;
  if (options->Wants("waits") && !CellsOf(*options, cells)) return 2;
  if (options->Wants("calm") && !JudgeCalm(options->quick, options->brief, claims)) return 2;
  if (options->Wants("overload")) JudgeOverload(options->quick, options->brief, claims);
  const std::vector<Claim> waits = JudgeCells(cells, options->brief);
  claims.insert(claims.end(), waits.begin(), waits.end());
  return Report(claims, options->brief);
}
