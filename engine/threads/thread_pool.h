// The engine's threads: helpers that join whatever piece of work has a place left.
//
// A caller lists its work, wakes helpers, does tasks until none is left, takes the work from the list and
// waits for those who joined it, who are each at their last task. Helpers that find nothing look on for some
// microseconds, because a plan's next step follows the last one at once, and then sleep: what spins for
// milliseconds takes the cores from the router beside the worker (docs/benchmarks.md). A caller brings as
// many helpers as it asks for, so callers at the same time do not wait for each other's.
//
// Background work rests after each of its tasks while there is other work, or was a moment ago (the steps of
// a plan follow each other with gaps), and its helpers leave it then.
#ifndef RINGWAY_ENGINE_THREADS_THREAD_POOL_H_
#define RINGWAY_ENGINE_THREADS_THREAD_POOL_H_

#include <atomic>
#include <chrono>
#include <mutex>

#include "engine/threads/parallel.h"

namespace ringway::engine {

class ThreadPool {
 public:
  struct Tasks {
    std::int64_t count = 0;
    ParallelTask run = nullptr;
    void* context = nullptr;
    bool background = false;
  };

  // Lives as long as the process does.
  static ThreadPool& OfProcess();

  // Returns when all tasks are done; `threads` counts the caller.
  void Run(const Tasks& tasks, int threads);

 private:
  // On the stack of its caller. All but `next` and `inside` is under the pool's mutex.
  struct Work {
    Tasks tasks;
    std::atomic<std::int64_t> next{0};     // task to be handed out
    std::atomic<std::uint32_t> inside{0};  // helpers
    int seats = 0;                         // helpers who may still join
    int joined = 0;                        // ever
    Work* following = nullptr;             // in the list
  };

  void RunWithHelpers(Work& work);
  void DoTasks(Work& work, int thread);
  // False: as a helper's, the rest is left to the caller.
  bool Rest(int thread, std::chrono::steady_clock::time_point begun) const;
  bool HasForeground() const;
  void EndForeground();
  void List(Work& work);
  void Unlist(Work& work);
  void Wake(int helpers);
  // The next work with a seat and which thread of it the helper is; null: none is listed.
  Work* Join(int& thread);
  void Leave(Work& work);
  void Help();
  // Until something is listed that was not at `seen`.
  void Await(std::uint32_t seen);

  std::atomic<std::uint32_t> listed_{0};  // counts up with every work
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<int> foreground_{0}, background_{0};  // pieces of work
  std::atomic<std::int64_t> foreground_end_ns_{0};  // of the last one that ended beside background work
  std::mutex mutex_;
  Work* first_ = nullptr;
  int helpers_ = 0, busy_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_THREADS_THREAD_POOL_H_
