// The videos API under load: thousands of open event streams on one router, and its rate beside nginx.
//
// One router and one synthetic worker, real processes. 5,000 clients watch one job and hear its end; the
// router's memory is read before and while they are there, and other requests are timed meanwhile. Then wrk
// asks the router and nginx, in turns, for the same small document. Claims go to standard output.
//
// Threads: one owner; blocks. Bounds: about half a minute.
#ifndef RINGWAY_BENCH_HTTP_HTTP_LOAD_H_
#define RINGWAY_BENCH_HTTP_HTTP_LOAD_H_

namespace ringway::bench {

// The exit code: 0 when all claims hold, 1 when one is short, 2 when it could not be measured.
int RunHttpLoad(bool quick, bool brief);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_HTTP_HTTP_LOAD_H_
