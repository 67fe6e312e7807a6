#include "runtime/event_loop.h"

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/clock.h"
#include "runtime/machine_driver.h"

namespace ringway::runtime {
namespace {

TEST(EventLoopTest, RunsTasksInOrderOnItsOwnThread) {
  EventLoop loop("test");
  std::vector<int> order;
  std::promise<bool> done;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(loop.Post([&order, i] { order.push_back(i); }));
  ASSERT_TRUE(loop.Post([&] { done.set_value(loop.OnLoopThread()); }));
  loop.Start();
  EXPECT_TRUE(done.get_future().get());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(EventLoopTest, RefusesWhenTheInboxIsFullAndAfterStop) {
  EventLoop loop("test", 2);
  EXPECT_TRUE(loop.Post([] {}));
  EXPECT_TRUE(loop.Post([] {}));
  EXPECT_FALSE(loop.Post([] {}));
  EXPECT_EQ(loop.inbox_depth(), 2u);
  loop.Stop();
  EXPECT_FALSE(loop.Post([] {}));
}

// Whoever posts while the loop stops is refused, or its task ran before Stop returned, or it is dropped: it
// never runs later. What was taken is let go with the loop.
TEST(EventLoopTest, NothingRunsOnceStopHasReturnedAndWhatWasTakenIsLetGo) {
  const auto held = std::make_shared<int>();
  {
    EventLoop loop("test");
    std::atomic<bool> returned{false}, late{false};
    loop.Start();
    std::vector<std::thread> posters;
    for (int i = 0; i < 2; ++i) {
      posters.emplace_back([&] {
        while (!returned) (void)loop.Post([&late, &returned, held] { late = late || returned; });
        EXPECT_FALSE(loop.Post([] {}));
      });
    }
    std::promise<void> runs;
    while (!loop.Post([&runs] { runs.set_value(); })) {
    }
    runs.get_future().wait();
    loop.Stop();
    returned = true;
    for (std::thread& poster : posters) poster.join();
    EXPECT_FALSE(late);
  }
  EXPECT_EQ(held.use_count(), 1) << "a task that was dropped still holds what it was given";
}

TEST(EventLoopTest, WhatWasPostedToALoopThatNeverRanIsLetGo) {
  const auto held = std::make_shared<int>();
  bool ran = false;
  {
    EventLoop loop("test");
    ASSERT_TRUE(loop.Post([&ran, held] { ran = true; }));
    loop.Stop();
    loop.Stop();
  }
  EXPECT_FALSE(ran);
  EXPECT_EQ(held.use_count(), 1);
}

// Counts up on every wake, and wants to be woken twice.
class Counter {
 public:
  void Step(Time now, const int& event, std::vector<int>& actions) {
    if (event != 0) next_ = now;
    if (event == 0 && ++wakes_ >= 2) next_ = InfiniteFuture();
    actions.push_back(event);
  }
  Time NextWake() const { return next_; }

 private:
  int wakes_ = 0;
  Time next_ = InfiniteFuture();
};

TEST(MachineDriverTest, StepsOnEventsAndAtNextWake) {
  EventLoop loop("test");
  std::vector<int> performed;
  std::promise<void> done;
  MachineDriver<Counter, int, int> driver(loop, Counter(), 0, [&](int& action) {
    performed.push_back(action);
    if (performed.size() == 3) done.set_value();
  });
  loop.Start();
  ASSERT_TRUE(driver.Send(7));
  done.get_future().wait();
  loop.Stop();
  EXPECT_EQ(performed, (std::vector<int>{7, 0, 0}));
}

TEST(AlarmTest, ArmingAgainReplacesTheEarlierTime) {
  EventLoop loop("test");
  int rings = 0;
  std::promise<void> done;
  Alarm alarm(loop, [&] {
    ++rings;
    done.set_value();
  });
  alarm.Arm(MonotonicNow() + Hours(1));
  alarm.Arm(MonotonicNow());
  loop.Start();
  done.get_future().wait();
  loop.Stop();
  EXPECT_EQ(rings, 1);
}

}  // namespace
}  // namespace ringway::runtime
