// How calm the table is while nothing happens, and what it does when something does, in the whole simulator.
//
// Calm: Poisson and burstier arrivals at load .72, after the minutes in which rates are measured anew: new
// tables a minute, and the share of all requests that a new table sends elsewhere, spread over the rounds.
// Events: the biggest region's demand x 1.8, its workers half as fast, and its loss, each judged by how long
// jobs wait in the two minutes after, beside the same run without a controller.
//
// Worlds of even seeds were used while constants were chosen; claims are made on odd ones.
#ifndef RINGWAY_BENCH_LOOP_CALM_H_
#define RINGWAY_BENCH_LOOP_CALM_H_

#include <vector>

#include "bench/claim.h"

namespace ringway::bench {

// False: a world could not be read.
bool JudgeCalm(bool quick, bool brief, std::vector<Claim>& claims);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_CALM_H_
