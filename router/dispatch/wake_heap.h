// When each of many things next needs attention: an indexed min-heap over dense ids.
//
// Every job has at most one wake-up; setting it again moves it, so nothing stale is ever in the heap and its
// size is bounded by the number of ids. A 4-ary heap of (time, index), with each index's place beside it.
// Equal times come out in an order that depends only on the calls made, so a replay is exact.
//
// Complexity: Set and Clear O(log n), earliest O(1), no allocation for ids below those it was made for. One
// owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_WAKE_HEAP_H_
#define RINGWAY_ROUTER_DISPATCH_WAKE_HEAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/state.h"
#include "core/time.h"

namespace ringway::dispatch {

class WakeHeap {
 public:
  // `ids` that will be used; more make it grow.
  explicit WakeHeap(std::size_t ids) : place_(ids, kNowhere) { heap_.reserve(ids); }

  // Replaces the wake-up that `id` had, if any.
  void Set(std::size_t id, Time at);
  void Clear(std::size_t id) {
    if (IsSet(id)) RemoveAt(place_[id]);
  }
  bool IsSet(std::size_t id) const { return id < place_.size() && place_[id] != kNowhere; }

  bool empty() const { return heap_.empty(); }
  // Some wake-up is at `now` or earlier.
  bool Due(Time now) const { return !heap_.empty() && heap_.front().at <= now; }
  // InfiniteFuture when empty.
  Time earliest() const { return heap_.empty() ? InfiniteFuture() : heap_.front().at; }
  // Whose the earliest is. Not to be called when empty.
  std::size_t first() const { return heap_.front().id; }
  // Removes the earliest and returns its id. Not to be called when empty.
  std::size_t Pop();

  // As RINGWAY_STATE does: how many ids there are, and the heap, from which their places follow.
  template <class F>
  void VisitState(F&& f) {
    std::size_t ids = place_.size();
    f(ids, heap_);
    FindPlaces(ids);
  }
  template <class F>
  auto VisitState(F&& f) const {
    const std::size_t ids = place_.size();
    return f(ids, heap_);
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::size_t kIdsMax = std::size_t{1} << 24;  // in a saved state
  static constexpr std::size_t kArity = 4;
  struct Entry {
    Time at;
    std::uint32_t id;
    RINGWAY_STATE(at, id)
  };
  void Place(std::size_t i, const Entry& entry) {
    heap_[i] = entry;
    place_[entry.id] = static_cast<std::uint32_t>(i);
  }
  void SiftUp(std::size_t i, const Entry& entry);
  void SiftDown(std::size_t i, const Entry& entry);
  // The entry belongs at `i`, or above or below it.
  void Settle(std::size_t i, const Entry& entry);
  void RemoveAt(std::size_t i);
  void MakeRoom(std::size_t id);
  // Of every entry of the heap; no more than kIdsMax.
  void FindPlaces(std::size_t ids);

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_WAKE_HEAP_H_
