// What a run of the comparison is asked for, and the rows that this comes to.
//
// Without anything the whole grid; with --quick the rows that the claims need; with loads, numbers or means
// the grid of those.
//
// Pure.
#ifndef RINGWAY_BENCH_PEERS_OPTIONS_H_
#define RINGWAY_BENCH_PEERS_OPTIONS_H_

#include <string>
#include <vector>

#include "bench/peers/row.h"

namespace ringway::bench {

struct Options {
  bool quick = false;
  bool brief = false;
  std::string config = RINGWAY_SOURCE_DIR "/bench/peers/scenario.yaml";
  std::string only;
  std::vector<double> rhos;
  std::vector<int> instances;
  std::vector<double> means_s;
  Effort effort;
  double overload_deadline_s() const { return quick ? 1 : RowSpec().deadline_s; }
};

std::vector<RowSpec> RowsOf(const Options& options);
// Short of seconds, a mean of 500 ms needs more of them, and so does a line that has to grow first.
Effort EffortFor(const RowSpec& row, const Options& options);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_OPTIONS_H_
