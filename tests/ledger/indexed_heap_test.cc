#include "router/dispatch/ledger/indexed_heap.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::ledger {
namespace {

TEST(IndexedHeap, AgreesWithASortedSetUnderRandomChanges) {
  Rng rng(11);
  for (int round = 0; round < 50; ++round) {
    IndexedHeap<std::int64_t> heap;
    std::set<std::pair<std::int64_t, std::uint32_t>> expected;
    std::map<std::uint32_t, std::int64_t> key_of;
    const std::uint64_t ids = 1 + rng.Below(80);
    for (int step = 0; step < 1000; ++step) {
      const auto id = static_cast<std::uint32_t>(rng.Below(ids));
      if (key_of.count(id) > 0) expected.erase({key_of[id], id});
      if (rng.Chance(0.6)) {
        const auto key = static_cast<std::int64_t>(rng.Below(50));
        heap.Set(id, key);
        key_of[id] = key;
        expected.insert({key, id});
      } else {
        heap.Remove(id);
        key_of.erase(id);
      }
      ASSERT_EQ(heap.size(), expected.size());
      ASSERT_EQ(heap.Contains(id), key_of.count(id) > 0);
      if (expected.empty()) continue;
      ASSERT_EQ(heap.Top().key, expected.begin()->first);
      ASSERT_EQ(heap.Top().id, expected.begin()->second);
    }
  }
}

TEST(IndexedHeap, ClearForgetsEverybody) {
  IndexedHeap<int> heap;
  heap.Reserve(4);
  for (std::uint32_t id = 0; id < 4; ++id) heap.Set(id, static_cast<int>(10 - id));
  heap.Clear();
  EXPECT_TRUE(heap.empty());
  EXPECT_FALSE(heap.Contains(2));
  heap.Set(2, 7);
  EXPECT_EQ(heap.Top().id, 2u);
}

}  // namespace
}  // namespace ringway::ledger
