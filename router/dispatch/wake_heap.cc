#include "router/dispatch/wake_heap.h"

#include "core/check.h"

namespace ringway::dispatch {

void WakeHeap::Place(std::size_t i, const Entry& entry) {
  heap_[i] = entry;
  place_[entry.id] = static_cast<std::uint32_t>(i);
}

void WakeHeap::SiftUp(std::size_t i, const Entry& entry) {
  while (i > 0) {
    const std::size_t parent = (i - 1) / 2;
    if (!(entry.at < heap_[parent].at)) break;
    Place(i, heap_[parent]);
    i = parent;
  }
  Place(i, entry);
}

void WakeHeap::SiftDown(std::size_t i, const Entry& entry) {
  for (;;) {
    std::size_t child = 2 * i + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].at < heap_[child].at) ++child;
    if (!(heap_[child].at < entry.at)) break;
    Place(i, heap_[child]);
    i = child;
  }
  Place(i, entry);
}

void WakeHeap::RemoveAt(std::size_t i) {
  place_[heap_[i].id] = kNowhere;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (i == heap_.size()) return;
  if (i > 0 && last.at < heap_[(i - 1) / 2].at) {
    SiftUp(i, last);
  } else {
    SiftDown(i, last);
  }
}

void WakeHeap::Set(std::size_t id, absl::Time at) {
  Clear(id);
  const Entry entry{at, static_cast<std::uint32_t>(id)};
  heap_.push_back(entry);
  SiftUp(heap_.size() - 1, entry);
}

void WakeHeap::Clear(std::size_t id) {
  if (place_[id] != kNowhere) RemoveAt(place_[id]);
}

std::size_t WakeHeap::Pop() {
  RINGWAY_CHECK(!heap_.empty());
  const std::size_t id = heap_.front().id;
  RemoveAt(0);
  return id;
}

}  // namespace ringway::dispatch
