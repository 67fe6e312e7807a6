// Keeps the threads of libgomp's pool (parallel.h) from spinning while they have nothing to do.
//
// By default they spin for milliseconds before they sleep, in the hope of the next piece of work. That wins
// nothing measurable on a machine of its own here, and where others want the cores, a router beside a worker
// or a second worker, they spin away what the one thread that has work would need: a picture took 4 to 13
// times as long (docs/benchmarks.md). libgomp reads GOMP_SPINCOUNT once, when it is loaded, so the only way
// is to set it and to start the program again.
//
// Threads: before any other is started.
#ifndef RINGWAY_ENGINE_CPU_IDLE_THREADS_H_
#define RINGWAY_ENGINE_CPU_IDLE_THREADS_H_

namespace ringway::engine {

// Starts this process anew with GOMP_SPINCOUNT=0 and the same arguments, unless the environment says how
// threads are to wait (GOMP_SPINCOUNT, OMP_WAIT_POLICY). Returns when nothing needs to be done or when it
// cannot be done; the program is slower then, and right.
void LetIdleThreadsSleep();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_IDLE_THREADS_H_
