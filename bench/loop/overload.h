// Who pays when one region asks for more than the whole fleet has: each policy of isolation side by side.
//
// Load .5 everywhere, then for two minutes the biggest region asks for so much that the fleet as a whole is
// at 146 %; deadline 30 s. For the users of the hot region and for all others: the share that is served, and
// how long these wait. The least that can be lost is what the fleet cannot serve at all.
#ifndef RINGWAY_BENCH_LOOP_OVERLOAD_H_
#define RINGWAY_BENCH_LOOP_OVERLOAD_H_

#include <vector>

#include "bench/claim.h"

namespace ringway::bench {

void JudgeOverload(bool quick, bool brief, std::vector<Claim>& claims);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_OVERLOAD_H_
