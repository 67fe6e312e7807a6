// One line of the benchmark, and what it measures: see hand_over.cc and lost_holder.cc.
//
// `ok|short NAME measured bound` with --brief. A claim holds when measured <= bound, or >= where `at_least`.
// Where the machine's speed would decide, both numbers come from the same run and the claim is their ratio.
#ifndef RINGWAY_BENCH_LEDGER_CLAIM_H_
#define RINGWAY_BENCH_LEDGER_CLAIM_H_

#include <string>
#include <vector>

#include "bench/ledger/fleet.h"

namespace ringway::bench {

struct Claim {
  std::string name;
  double measured = 0;
  double bound = 0;
  std::string unit;
  bool at_least = false;
  bool holds() const { return at_least ? measured >= bound : measured <= bound; }
};

struct Run {
  bool quick = false;
  bool brief = false;
  int kills = 100;
};

// From the end of a worker's job to the start of its next one while jobs wait all the time, by ledger and by
// probes, beside a bare gRPC round trip to a worker at the same time.
std::vector<Claim> HandOver(Fleet& fleet, const Run& run);
// The holder stopped, and the holder killed again and again: when the next one grants, what becomes of the
// jobs sent meanwhile beside those of a tier that probes, and whether any slot is granted twice.
std::vector<Claim> LostHolder(Fleet& fleet, const Run& run);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LEDGER_CLAIM_H_
