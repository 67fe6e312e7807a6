// Days played and held against hindsight: the claims of one kind of days, and other settings beside each
// other.
//
// The claims: GPU hours over the least of hindsight at the p99 wait that was had (at one service time where
// that is shorter, which is a figure beside the claim then), thrash over starts, every
// job served; of days without spikes also the p99 wait, and how often the rate was above what had been
// provided for one start-up time before.
#ifndef RINGWAY_BENCH_SCALING_JUDGE_H_
#define RINGWAY_BENCH_SCALING_JUDGE_H_

#include <string>
#include <vector>

#include "bench/claim.h"
#include "bench/scaling/days.h"

namespace ringway::bench {

void PrintHead();
void JudgeCell(const std::string& cell, const Days& days, bool brief, std::vector<Claim>& claims);
// The same days with other settings.
void Tune(const std::string& cell, const Days& days);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_JUDGE_H_
