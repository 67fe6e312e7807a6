// Times the way of a report through a real controller to the last of 50 routers.
//
// Daemon and routers stand in one process and read one clock; everything between them is real loopback gRPC.
// All routers report every period; in each round one of them suddenly reports a demand that changes the plan,
// at a random moment of the epoch. Time runs from just before that report is written until the last router
// has decoded the first table planned after it. Between rounds the old demand returns and the tables settle.
// Takes about 4 s a round; threads: one a router, and one that reports.
#ifndef RINGWAY_BENCH_PROPAGATION_MEASURE_H_
#define RINGWAY_BENCH_PROPAGATION_MEASURE_H_

namespace ringway::bench {

// The exit code: 0 if the claim holds, 1 if not, 2 if it could not be measured.
int RunPropagation(bool quick, bool brief);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PROPAGATION_MEASURE_H_
