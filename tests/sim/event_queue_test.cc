#include "sim/kernel/event_queue.h"

#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::sim {
namespace {

TEST(EventQueueTest, EqualTimesRunInTheOrderOfScheduling) {
  EventQueue queue;
  for (std::uint8_t i = 0; i < 100; ++i) queue.Push(5'000'000, i);
  for (std::uint8_t i = 0; i < 100; ++i) EXPECT_EQ(queue.Pop().kind(), i);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueueTest, AnEventMayScheduleAtItsOwnTime) {
  EventQueue queue;
  queue.Push(10, 0);
  queue.Push(10, 1);
  EXPECT_EQ(queue.Pop().kind(), 0u);
  queue.Push(10, 2);
  queue.Push(11, 3);
  EXPECT_EQ(queue.Pop().kind(), 1u);
  EXPECT_EQ(queue.Pop().kind(), 2u);
  EXPECT_EQ(queue.NextTime(), 11);
}

TEST(EventQueueTest, WhatComesLaterThanTheEndStays) {
  EventQueue queue;
  SimEvent event;
  EXPECT_FALSE(queue.PopBy(100, event)) << "empty";
  queue.Push(10, 1);
  queue.Push(200'000'000, 2);
  EXPECT_FALSE(queue.PopBy(9, event));
  EXPECT_TRUE(queue.PopBy(10, event));
  EXPECT_EQ(event.kind(), 1u);
  EXPECT_EQ(queue.now_ns(), 10);
  EXPECT_FALSE(queue.PopBy(199'999'999, event));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_TRUE(queue.PopBy(200'000'000, event));
  EXPECT_EQ(event.kind(), 2u);
  EXPECT_TRUE(queue.empty());
}

// Against the plainest possible queue, over time scales from nanoseconds to days, with small and large
// wheels.
TEST(EventQueueTest, AgreesWithABinaryHeapOnRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    EventQueue queue(static_cast<int>(4 + rng.Below(24)), static_cast<int>(2 + rng.Below(10)));
    using Key = std::tuple<std::int64_t, std::uint32_t>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> reference;
    std::uint32_t number = 0;
    for (int step = 0; step < 4000; ++step) {
      if (reference.empty() || rng.Chance(step < 2000 ? 0.6 : 0.4)) {
        const std::uint64_t range = std::uint64_t{1} << rng.Below(45);
        const std::int64_t at = queue.now_ns() + static_cast<std::int64_t>(rng.Below(range));
        queue.Push(at, static_cast<std::uint8_t>(number), number, number + 2);
        reference.push({at, number});
        ++number;
      } else {
        const SimEvent event = queue.Pop();
        ASSERT_EQ(Key(event.at_ns, event.subject), reference.top()) << "seed " << seed;
        ASSERT_EQ(event.kind(), static_cast<std::uint8_t>(event.subject));
        ASSERT_EQ(event.detail, event.subject + 2u);
        reference.pop();
      }
      ASSERT_EQ(queue.size(), reference.size());
    }
  }
}

// Pushed and popped in turns, so that what is late meets what is sorted.
TEST(EventQueueTest, ThousandsInTheBucketThatRunsNowComeInOrder) {
  constexpr int kBucketBits = 20;
  EventQueue queue(kBucketBits, 6);
  Rng rng(5);
  std::set<std::pair<std::int64_t, std::uint32_t>> wanted;
  std::uint32_t number = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i, ++number) {
      const auto left = static_cast<std::uint64_t>((std::int64_t{1} << kBucketBits) - queue.now_ns());
      const std::int64_t at = queue.now_ns() + static_cast<std::int64_t>(rng.Below(left));
      queue.Push(at, 0, number);
      wanted.insert({at, number});
    }
    for (int i = 0; i < 100; ++i) {
      const SimEvent event = queue.Pop();
      ASSERT_EQ(std::pair(event.at_ns, event.subject), *wanted.begin());
      wanted.erase(wanted.begin());
    }
  }
  EXPECT_EQ(queue.size(), wanted.size());
}

// What is foreseen of a bucket is what then comes of it.
TEST(EventQueueTest, ForeseesTheNextBuckets) {
  constexpr int kBucketBits = 4;
  EventQueue queue(kBucketBits, 6);
  Rng rng(3);
  for (std::uint32_t i = 0; i < 500; ++i) queue.Push(static_cast<std::int64_t>(rng.Below(900)), 0, i);
  while (!queue.empty()) {
    std::set<std::uint32_t> foreseen;
    const std::int64_t bucket = queue.bucket() + 1;
    queue.Foresee(1, [&](const SimEvent& event) {
      EXPECT_EQ(event.at_ns >> kBucketBits, bucket);
      foreseen.insert(event.subject);
    });
    while (!queue.empty() && queue.NextTime() >> kBucketBits < bucket) queue.Pop();
    std::set<std::uint32_t> came;
    while (!queue.empty() && queue.NextTime() >> kBucketBits == bucket) came.insert(queue.Pop().subject);
    // The next turn is not laid out yet.
    if (bucket % 64 != 0) {
      EXPECT_EQ(came, foreseen);
    }
  }
}

TEST(EventQueueDeathTest, RefusesThePast) {
  EventQueue queue;
  queue.Push(100, 0);
  queue.Pop();
  EXPECT_DEATH(queue.Push(99, 0), "invariant broken");
}

// Two routers that die fail hundreds of jobs at once, a moment before a turn of the fine wheel.
TEST(EventQueueTest, ManyEventsInTheFirstBucketOfATurnKeepTheirOrder) {
  EventQueue queue;
  const std::int64_t turn_ns = std::int64_t{1} << 26;
  constexpr int kEvents = 1000;
  for (int i = 0; i < kEvents; ++i) queue.Push(turn_ns + (i * 7919) % 60'000, 0);
  std::int64_t last_ns = 0;
  for (int i = 0; i < kEvents; ++i) {
    SimEvent event;
    ASSERT_TRUE(queue.PopBy(2 * turn_ns, event));
    ASSERT_GE(event.at_ns, last_ns);
    last_ns = event.at_ns;
  }
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace ringway::sim
