#include "engine/cpu/parallel.h"

#include <atomic>

// libgomp's interface; its header is only in the search path of one of our compilers.
extern "C" {
void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num();
}

namespace ringway::engine {
namespace {

struct Work {
  std::atomic<std::int64_t> next{0};
  std::int64_t tasks = 0;
  ParallelTask run = nullptr;
  void* context = nullptr;
};

void Drain(void* data) {
  Work& work = *static_cast<Work*>(data);
  const int thread = omp_get_thread_num();
  for (std::int64_t task = work.next.fetch_add(1, std::memory_order_relaxed); task < work.tasks;
       task = work.next.fetch_add(1, std::memory_order_relaxed))
    work.run(work.context, task, thread);
}

}  // namespace

void RunParallel(std::int64_t tasks, int threads, ParallelTask run, void* context) {
  if (tasks <= 1 || threads <= 1) {
    for (std::int64_t task = 0; task < tasks; ++task) run(context, task, 0);
    return;
  }
  Work work;
  work.tasks = tasks;
  work.run = run;
  work.context = context;
  GOMP_parallel(Drain, &work, static_cast<unsigned>(threads), 0);
}

}  // namespace ringway::engine
