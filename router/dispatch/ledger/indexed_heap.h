// A priority queue over dense numbers whose members can be taken out or moved at any time.
//
// A 4-ary implicit heap of (key, id) pairs with an array that tells where each id stands (Sedgewick's indexed
// priority queue; four children fit a cache line and halve the depth). The smallest key is on top; of equal
// keys the smaller id, so the order never depends on history.
//
// Invariants: an id is in the heap at most once; position_[id] is its place or kAbsent. Complexity: Set and
// Remove O(log n), and O(1) for keys that arrive in rising order and leave from the bottom, which is the
// common case for deadlines; Contains and Top O(1). Memory is kept between uses. One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_INDEXED_HEAP_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_INDEXED_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/check.h"

namespace ringway::ledger {

template <class Key>
class IndexedHeap {
 public:
  struct Entry {
    Key key;
    std::uint32_t id;
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Entry& Top() const { return heap_.front(); }
  bool Contains(std::uint32_t id) const { return id < position_.size() && position_[id] != kAbsent; }

  // Room for ids below `ids` without another allocation.
  void Reserve(std::size_t ids) {
    heap_.reserve(ids);
    if (position_.size() < ids) position_.resize(ids, kAbsent);
  }
  // Puts `id` in with `key`, or changes its key.
  void Set(std::uint32_t id, const Key& key) {
    if (id >= position_.size()) position_.resize(id + 1, kAbsent);
    std::uint32_t at = position_[id];
    if (at == kAbsent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({key, id});
    }
    Place(at, {key, id});
  }
  // Does nothing when the id is not in.
  void Remove(std::uint32_t id) {
    if (!Contains(id)) return;
    const std::uint32_t at = position_[id];
    RINGWAY_CHECK(heap_[at].id == id);
    position_[id] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.id != id) Place(at, last);
  }
  void Clear() {
    for (const Entry& entry : heap_) position_[entry.id] = kAbsent;
    heap_.clear();
  }

 private:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kArity = 4;

  static bool Before(const Entry& a, const Entry& b) {
    return a.key < b.key || (a.key == b.key && a.id < b.id);
  }
  // Writes `entry` where it belongs, starting from the free place `at`: upwards, or else downwards.
  void Place(std::uint32_t at, const Entry& entry) {
    std::uint32_t hole = at;
    while (hole > 0) {
      const std::uint32_t parent = (hole - 1) / kArity;
      if (!Before(entry, heap_[parent])) break;
      Write(hole, heap_[parent]);
      hole = parent;
    }
    if (hole == at) hole = SinkHole(at, entry);
    Write(hole, entry);
  }
  // Moves smaller children up until `entry` may stand in the hole.
  std::uint32_t SinkHole(std::uint32_t hole, const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    while (true) {
      const std::uint32_t first = hole * kArity + 1;
      if (first >= size) return hole;
      const std::uint32_t end = first + kArity < size ? first + kArity : size;
      std::uint32_t least = first;
      for (std::uint32_t child = first + 1; child < end; ++child) {
        if (Before(heap_[child], heap_[least])) least = child;
      }
      if (!Before(heap_[least], entry)) return hole;
      Write(hole, heap_[least]);
      hole = least;
    }
  }
  void Write(std::uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    position_[entry.id] = at;
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> position_;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_INDEXED_HEAP_H_
