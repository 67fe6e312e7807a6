#include "engine/cpu/parallel.h"

#include "engine/cpu/thread_pool.h"

namespace ringway::engine {

void RunParallel(std::int64_t tasks, int threads, ParallelTask run, void* context) {
  if (tasks > 1 && threads > 1) return ThreadPool::OfProcess().Run({tasks, run, context}, threads);
  for (std::int64_t task = 0; task < tasks; ++task) run(context, task, 0);
}

}  // namespace ringway::engine
