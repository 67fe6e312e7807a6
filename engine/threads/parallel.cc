#include "engine/threads/parallel.h"

#include "engine/threads/thread_pool.h"

namespace ringway::engine {
namespace {

thread_local int background_depth = 0;

}  // namespace

void RunParallel(std::int64_t tasks, int threads, ParallelTask run, void* context) {
  if (tasks > 0) ThreadPool::OfProcess().Run({tasks, run, context, background_depth > 0}, threads);
}

BackgroundWork::BackgroundWork() { ++background_depth; }
BackgroundWork::~BackgroundWork() { --background_depth; }

}  // namespace ringway::engine
