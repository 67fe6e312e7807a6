// bench_loop [--quick] [--brief] [calm] [overload] [waits]: how calm the closed loop is and how long jobs
// wait in it, on worlds, seeds and arrivals that no constant was chosen on, beside the loop without its parts
// and beside one queue of all workers.
#include <memory>
#include <utility>
#include <vector>

#include "bench/claim.h"
#include "bench/loop/calm.h"
#include "bench/loop/cell.h"
#include "bench/loop/overload.h"
#include "bench/loop/worlds.h"
#include "bench/options.h"

namespace ringway::bench {
namespace {

// Shares of the demand are even where the world's own sizes are recorded.
std::vector<std::pair<std::shared_ptr<const Fleet>, double>> Worlds(bool quick) {
  std::vector<std::pair<std::shared_ptr<const Fleet>, double>> worlds = {
      {Generate({"mix60", 60, 3, 40, 101}), 0.2}, {ThreeOfTen(), 0}};
  if (quick) return worlds;
  worlds.emplace_back(Shipped("aws"), 0);
  worlds.emplace_back(Shipped("azure"), 0);
  worlds.emplace_back(Generate({"mix100", 100, 3, 400, 103}), 0.2);
  worlds.emplace_back(Generate({"mix200", 200, 3, 100, 105}), 0.2);
  return worlds;
}

// The largest worlds last: their time is most of the whole.
bool CellsOf(bool quick, std::vector<Cell>& cells) {
  const std::vector<double> loads =
      quick ? std::vector<double>{0.7, 0.9} : std::vector<double>{0.5, 0.7, 0.8, 0.9, 0.95};
  const std::vector<double> laws = quick ? std::vector<double>{1} : std::vector<double>{1, 2};
  for (const auto& [fleet, skew] : Worlds(quick)) {
    if (fleet == nullptr) return false;
    for (const double gaps_cv : laws) {
      for (const double load : loads) {
        Traffic traffic{.load = load, .gaps_cv = gaps_cv, .skew = skew, .seed = 11};
        if (quick) traffic.duration_s = 400;
        cells.push_back({fleet, traffic});
      }
    }
  }
  return true;
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  using namespace ringway::bench;
  const auto options = ReadOptions("bench_loop", argc, argv, {"calm", "overload", "waits"});
  if (!options) return 2;
  std::vector<Cell> cells;
  std::vector<Claim> claims;
  if (options->Wants("waits") && !CellsOf(options->quick, cells)) return 2;
  if (options->Wants("calm") && !JudgeCalm(options->quick, options->brief, claims)) return 2;
  if (options->Wants("overload")) JudgeOverload(options->quick, options->brief, claims);
  const std::vector<Claim> waits = JudgeCells(cells, options->brief);
  claims.insert(claims.end(), waits.begin(), waits.end());
  return Report(claims, options->brief);
}
