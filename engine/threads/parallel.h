// Splitting work over threads that are kept (thread_pool.h).
//
// Tasks are handed out one by one from an atomic counter, so the result of a task must not depend on which
// thread ran it: all kernels here keep to that, and results are then the same for any number of threads. The
// calling thread takes part and never waits for a helper that has not begun: where other programs keep the
// cores busy, it does the work itself. Nothing is allocated once as many threads have been asked for before.
//
// Threads: any, several at once, and from within a task.
#ifndef RINGWAY_ENGINE_THREADS_PARALLEL_H_
#define RINGWAY_ENGINE_THREADS_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace ringway::engine {

using ParallelTask = void (*)(void* context, std::int64_t task, int thread);
void RunParallel(std::int64_t tasks, int threads, ParallelTask run, void* context);

// fn(task, thread) for every task in [0, tasks), with 0 <= thread < threads, of which each is one thread's
// alone; returns when all are done.
template <typename Fn>
void ParallelFor(std::int64_t tasks, int threads, Fn&& fn) {
  RunParallel(
      tasks, threads,
      [](void* context, std::int64_t task, int thread) {
        (*static_cast<std::remove_reference_t<Fn>*>(context))(task, thread);
      },
      const_cast<void*>(static_cast<const void*>(&fn)));
}

// While it lives, the work of its thread gives way to that of all others: as long as these call for threads,
// it is done by its own thread alone, a twenty-fifth of the time. For a model that is opened while a job
// runs.
class BackgroundWork {
 public:
  BackgroundWork();
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_THREADS_PARALLEL_H_
