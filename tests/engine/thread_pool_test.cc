// Every task is done once, by threads that are told apart, whoever else calls; and threads without work
// sleep.
#include "engine/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <thread>
#include <vector>

namespace ringway::engine {
namespace {

constexpr int kThreads = 5;

TEST(ThreadPool, EveryTaskIsDoneOnceByAThreadOfItsOwn) {
  for (const std::int64_t tasks : {0, 1, 2, 3, 5, 6, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(tasks));
    std::atomic<bool> inside[kThreads] = {}, shared = false;
    ParallelFor(tasks, kThreads, [&](std::int64_t task, int thread) {
      ASSERT_TRUE(0 <= thread && thread < kThreads);
      if (inside[thread].exchange(true)) shared = true;
      ++done[static_cast<std::size_t>(task)];
      inside[thread] = false;
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
    EXPECT_FALSE(shared) << "two threads of one number at once, of " << tasks << " tasks";
  }
}

// Helpers join: the tasks wait for each other, so each is on a thread of its own.
TEST(ThreadPool, TasksRunSideBySideOnThreadsOfDifferentNumbers) {
  std::atomic<int> arrived = 0, of_thread[kThreads] = {};
  ParallelFor(kThreads, kThreads, [&](std::int64_t, int thread) {
    ++of_thread[thread];
    ++arrived;
    while (arrived < kThreads) std::this_thread::yield();
  });
  for (const std::atomic<int>& tasks : of_thread) EXPECT_EQ(tasks, 1);
}

TEST(ThreadPool, CallersDoNotDisturbEachOther) {
  constexpr int kCallers = 4, kRounds = 2000, kTasks = 7;
  std::vector<std::int64_t> sums(kCallers);
  std::vector<std::thread> callers;
  for (std::int64_t& sum : sums)
    callers.emplace_back([&sum] {
      for (int round = 0; round < kRounds; ++round) {
        std::int64_t of_task[kTasks] = {};
        ParallelFor(kTasks, 3, [&](std::int64_t task, int) { of_task[task] += task + round; });
        for (const std::int64_t value : of_task) sum += value;
      }
    });
  for (std::thread& caller : callers) caller.join();
  std::int64_t expected = 0;
  for (std::int64_t round = 0; round < kRounds; ++round)
    expected += kTasks * (kTasks - 1) / 2 + kTasks * round;
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, expected);
}

TEST(ThreadPool, ATaskMayCallForHelpItself) {
  std::atomic<int> done = 0;
  ParallelFor(6, 3, [&](std::int64_t, int) { ParallelFor(8, 3, [&](std::int64_t, int) { ++done; }); });
  EXPECT_EQ(done, 48);
}

// Of a thread that works in the background for `span`, tasks done, one after the other.
int TasksInBackground(std::chrono::milliseconds span) {
  int done = 0;
  std::thread([&done, span] {
    const BackgroundWork gives_way;
    const auto end = std::chrono::steady_clock::now() + span;
    while (std::chrono::steady_clock::now() < end)
      ParallelFor(4, 1, [&done](std::int64_t, int) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
        while (std::chrono::steady_clock::now() < until) continue;
        ++done;
      });
  }).join();
  return done;
}

TEST(ThreadPool, BackgroundWorkGivesWay) {
  constexpr std::chrono::milliseconds kSpan(300);
  const int alone = TasksInBackground(kSpan);
  std::atomic<bool> stop = false;
  std::thread foreground([&stop] {
    while (!stop) ParallelFor(8, 2, [](std::int64_t, int) { std::this_thread::yield(); });
  });
  const int beside = TasksInBackground(kSpan);
  stop = true;
  foreground.join();
  EXPECT_GT(beside, 0) << "it goes on, slowly";
  EXPECT_LT(beside, alone / 4) << alone << " tasks where nobody else works";
}

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// A router beside the worker needs the cores. Four spinning helpers would take four times as long as is
// waited.
TEST(ThreadPool, IdleThreadsSleep) {
  constexpr double kWait = 0.2;  // s
  ParallelFor(1000, kThreads, [](std::int64_t, int) {});
  const double before = ProcessorSeconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(kWait));
  EXPECT_LT(ProcessorSeconds() - before, kWait / 10);
}

}  // namespace
}  // namespace ringway::engine
