// What is measured of the ledger between processes: see hand_over.cc and lost_leader.cc.
//
// Both run on one fleet, one after the other. Threads: the caller's, and those of the loads.
#ifndef RINGWAY_BENCH_LEDGER_MEASURES_H_
#define RINGWAY_BENCH_LEDGER_MEASURES_H_

#include <vector>

#include "bench/claim.h"
#include "bench/ledger/fleet.h"

namespace ringway::bench {

struct Run {
  bool quick = false;
  bool brief = false;
  int kills = 100;
};

// From the end of a worker's job to the start of its next one while jobs wait all the time, by ledger and by
// probes, beside a bare gRPC round trip to a worker at the same time.
std::vector<Claim> HandOver(Fleet& fleet, const Run& run);
// The leader stopped, and the leader killed again and again: when the next one grants, what becomes of the
// jobs sent meanwhile beside those of a tier that probes, and whether any slot is granted twice.
std::vector<Claim> LostLeader(Fleet& fleet, const Run& run);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LEDGER_MEASURES_H_
