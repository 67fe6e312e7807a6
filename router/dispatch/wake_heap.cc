#include "router/dispatch/wake_heap.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::dispatch {

void WakeHeap::SiftUp(std::size_t i, const Entry& entry) {
  while (i > 0) {
    const std::size_t parent = (i - 1) / kArity;
    if (!(entry.at < heap_[parent].at)) break;
    Place(i, heap_[parent]);
    i = parent;
  }
  Place(i, entry);
}

void WakeHeap::SiftDown(std::size_t i, const Entry& entry) {
  for (;;) {
    const std::size_t first = kArity * i + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child].at < heap_[least].at) least = child;
    }
    if (!(heap_[least].at < entry.at)) break;
    Place(i, heap_[least]);
    i = least;
  }
  Place(i, entry);
}

void WakeHeap::Settle(std::size_t i, const Entry& entry) {
  if (i > 0 && entry.at < heap_[(i - 1) / kArity].at) {
    SiftUp(i, entry);
  } else {
    SiftDown(i, entry);
  }
}

void WakeHeap::RemoveAt(std::size_t i) {
  place_[heap_[i].id] = kNowhere;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (i < heap_.size()) Settle(i, last);
}

void WakeHeap::MakeRoom(std::size_t id) { place_.resize(id + 1, kNowhere); }

void WakeHeap::Set(std::size_t id, Time at) {
  if (id >= place_.size()) MakeRoom(id);
  const Entry entry{at, static_cast<std::uint32_t>(id)};
  if (place_[id] != kNowhere) return Settle(place_[id], entry);
  heap_.push_back(entry);
  SiftUp(heap_.size() - 1, entry);
}

std::size_t WakeHeap::Pop() {
  RINGWAY_CHECK(!heap_.empty());
  const std::size_t id = heap_.front().id;
  RemoveAt(0);
  return id;
}

void WakeHeap::FindPlaces(std::size_t ids) {
  place_.assign(std::min(ids, kIdsMax), kNowhere);
  for (std::size_t i = 0; i < heap_.size(); ++i) {
    if (heap_[i].id >= place_.size()) {
      heap_.clear();  // bytes that were damaged
      place_.assign(place_.size(), kNowhere);
      return;
    }
    place_[heap_[i].id] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace ringway::dispatch
