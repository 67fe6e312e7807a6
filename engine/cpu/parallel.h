// Splitting work over threads that are kept: libgomp's pool.
//
// It is entered through its documented entry point GOMP_parallel, which both compilers can link without
// -fopenmp. Every call asks for the same number of threads, for libgomp allocates when a team changes its
// size; a thread that finds no task left returns at once. Tasks are handed out one by one from an atomic
// counter, so the result of a task must not depend on which thread ran it: all kernels here keep to that, and
// results are then the same for any number of threads. No allocation.
#ifndef RINGWAY_ENGINE_CPU_PARALLEL_H_
#define RINGWAY_ENGINE_CPU_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace ringway::engine {

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
