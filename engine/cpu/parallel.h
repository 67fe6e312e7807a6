// Splitting work over the threads that oneDNN also uses, without a second pool beside it.
//
// oneDNN on Debian runs on libgomp's pool. Own kernels enter the same pool through its documented entry point
// GOMP_parallel, which both compilers can link without -fopenmp; a second pool would fight the first for the
// cores while it spins. Tasks are handed out one by one from an atomic counter, so the result of a task must
// not depend on which thread ran it: all kernels here keep to that, and results are then the same for any
// number of threads. No allocation.
#ifndef RINGWAY_ENGINE_CPU_PARALLEL_H_
#define RINGWAY_ENGINE_CPU_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace ringway::engine {

// Sets how many threads the calling thread's parallel work uses, oneDNN's included.
void UseThreads(int threads);

using ParallelTask = void (*)(void* context, std::int64_t task, int thread);
void RunParallel(std::int64_t tasks, int threads, ParallelTask run, void* context);

// fn(task, thread) for every task in [0, tasks); returns when all are done.
template <typename Fn>
void ParallelFor(std::int64_t tasks, int threads, Fn&& fn) {
  RunParallel(
      tasks, threads,
      [](void* context, std::int64_t task, int thread) {
        (*static_cast<std::remove_reference_t<Fn>*>(context))(task, thread);
      },
      const_cast<void*>(static_cast<const void*>(&fn)));
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_PARALLEL_H_
