#include "router/dispatch/wake_heap.h"

#include <gtest/gtest.h>

#include <map>

#include "core/rng.h"

namespace ringway::dispatch {
namespace {

Time At(std::uint64_t ms) { return FromUnixMillis(static_cast<std::int64_t>(ms)); }

TEST(WakeHeap, EmptyWaitsForever) {
  WakeHeap heap(4);
  EXPECT_EQ(heap.earliest(), InfiniteFuture());
  heap.Clear(2);
  heap.Set(2, At(5));
  heap.Set(2, At(9));
  EXPECT_EQ(heap.earliest(), At(9));
  EXPECT_EQ(heap.Pop(), 2u);
  EXPECT_TRUE(heap.empty());
}

// Against a plain map, by thousands of random calls.
TEST(WakeHeap, AgreesWithASlowModel) {
  constexpr std::size_t kIds = 60;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    WakeHeap heap(kIds);
    std::map<std::size_t, Time> model;
    for (int i = 0; i < 600; ++i) {
      const std::size_t id = rng.Below(kIds);
      const std::uint64_t what = rng.Below(10);
      if (what < 6) {
        const Time at = At(rng.Below(1000));
        heap.Set(id, at);
        model[id] = at;
      } else if (what < 8) {
        heap.Clear(id);
        model.erase(id);
      } else if (!model.empty()) {
        Time least = InfiniteFuture();
        for (const auto& [unused, at] : model) least = std::min(least, at);
        ASSERT_EQ(heap.earliest(), least);
        const std::size_t popped = heap.Pop();
        ASSERT_TRUE(model.contains(popped));
        ASSERT_EQ(model[popped], least);
        model.erase(popped);
      }
      ASSERT_EQ(heap.empty(), model.empty());
      ASSERT_EQ(heap.IsSet(id), model.contains(id));
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
