#include "engine/threads/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ringway::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kLookOn(20);  // before a helper, or a caller at the end, sleeps
constexpr int kRest = 24;                         // times what a task of background work took
constexpr std::chrono::milliseconds kGap(5);      // between pieces of one job's work, at most

std::int64_t NowNs() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True as soon as done() is; false after kLookOn. The clock is read now and then.
template <typename Done>
bool LookOn(Done done) {
  constexpr int kPauses = 32;
  const auto until = Clock::now() + kLookOn;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (done()) return true;
      Pause();
    }
  } while (Clock::now() < until);
  return done();
}

}  // namespace

// Never destroyed: helpers may still sleep in it when the process ends.
ThreadPool& ThreadPool::OfProcess() {
  static ThreadPool& pool = *new ThreadPool;
  return pool;
}

void ThreadPool::DoTasks(Work& work, int thread) {
  const bool background = work.tasks.background;
  for (std::int64_t task = work.next.fetch_add(1, std::memory_order_relaxed); task < work.tasks.count;
       task = work.next.fetch_add(1, std::memory_order_relaxed)) {
    const Clock::time_point begun = background ? Clock::now() : Clock::time_point();
    work.tasks.run(work.tasks.context, task, thread);
    if (background && !Rest(thread, begun)) return;
  }
}

bool ThreadPool::Rest(int thread, Clock::time_point begun) const {
  if (!HasForeground()) return true;
  if (thread != 0) return false;
  std::this_thread::sleep_for(kRest * (Clock::now() - begun));
  return true;
}

bool ThreadPool::HasForeground() const {
  if (foreground_.load(std::memory_order_relaxed) > 0) return true;
  const std::int64_t since = NowNs() - foreground_end_ns_.load(std::memory_order_relaxed);
  return since < std::chrono::nanoseconds(kGap).count();
}

void ThreadPool::EndForeground() {
  if (background_.load(std::memory_order_relaxed) > 0)
    foreground_end_ns_.store(NowNs(), std::memory_order_relaxed);
  foreground_.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::Run(const Tasks& tasks, int threads) {
  (tasks.background ? background_ : foreground_).fetch_add(1, std::memory_order_relaxed);
  Work work;
  work.tasks = tasks;
  work.seats = static_cast<int>(std::min<std::int64_t>(threads, tasks.count)) - 1;
  if (tasks.background && HasForeground()) work.seats = 0;
  if (work.seats > 0)
    RunWithHelpers(work);
  else
    DoTasks(work, 0);
  if (tasks.background)
    background_.fetch_sub(1, std::memory_order_relaxed);
  else
    EndForeground();
}

void ThreadPool::RunWithHelpers(Work& work) {
  const int wanted = work.seats;
  List(work);
  Wake(wanted);
  DoTasks(work, 0);
  Unlist(work);
  LookOn([&] { return work.inside.load(std::memory_order_acquire) == 0; });
  for (std::uint32_t inside = work.inside.load(std::memory_order_acquire); inside != 0;
       inside = work.inside.load(std::memory_order_acquire))
    work.inside.wait(inside, std::memory_order_acquire);
  const std::lock_guard lock(mutex_);  // who left last has let go of the work
}

void ThreadPool::List(Work& work) {
  const std::lock_guard lock(mutex_);
  Work** end = &first_;
  while (*end != nullptr) end = &(*end)->following;
  *end = &work;
  for (; helpers_ - busy_ < work.seats; ++helpers_) std::thread([this] { Help(); }).detach();
  listed_.fetch_add(1, std::memory_order_seq_cst);
}

void ThreadPool::Unlist(Work& work) {
  const std::lock_guard lock(mutex_);
  Work** at = &first_;
  while (*at != &work) at = &(*at)->following;
  *at = work.following;
}

void ThreadPool::Wake(int helpers) {
  const std::uint32_t asleep = sleepers_.load(std::memory_order_seq_cst);
  if (asleep == 0) return;
  if (static_cast<std::uint32_t>(helpers) >= asleep) return listed_.notify_all();
  for (int i = 0; i < helpers; ++i) listed_.notify_one();
}

ThreadPool::Work* ThreadPool::Join(int& thread) {
  const std::lock_guard lock(mutex_);
  for (Work* work = first_; work != nullptr; work = work->following) {
    if (work->seats == 0) continue;
    --work->seats;
    thread = ++work->joined;
    work->inside.fetch_add(1, std::memory_order_relaxed);
    ++busy_;
    return work;
  }
  return nullptr;
}

void ThreadPool::Leave(Work& work) {
  const std::lock_guard lock(mutex_);
  --busy_;
  if (work.inside.fetch_sub(1, std::memory_order_release) == 1) work.inside.notify_one();
}

void ThreadPool::Help() {
  while (true) {
    const std::uint32_t seen = listed_.load(std::memory_order_acquire);
    int thread = 0;
    if (Work* work = Join(thread)) {
      DoTasks(*work, thread);
      Leave(*work);
    } else {
      Await(seen);
    }
  }
}

void ThreadPool::Await(std::uint32_t seen) {
  if (LookOn([&] { return listed_.load(std::memory_order_acquire) != seen; })) return;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  listed_.wait(seen, std::memory_order_seq_cst);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace ringway::engine
