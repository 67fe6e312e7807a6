#include "sim/event_queue.h"

#include <algorithm>

#include "core/check.h"

namespace ringway::sim {
namespace {

// A type, so that sorting inlines it.
struct Earlier {
  bool operator()(const SimEvent& a, const SimEvent& b) const {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.sequence < b.sequence;
  }
};
constexpr Earlier Before;

}  // namespace

EventQueue::EventQueue(int bucket_bits, int wheel_bits)
    : bucket_bits_(bucket_bits), buckets_(std::int64_t{1} << wheel_bits), heads_(buckets_, kNone) {}

void EventQueue::Push(std::int64_t at_ns, std::uint32_t kind, std::uint32_t subject, std::uint64_t detail) {
  RINGWAY_CHECK(at_ns >= now_ns_);
  const SimEvent event{at_ns, sequence_++, kind, subject, detail};
  ++size_;
  const std::int64_t bucket = BucketOf(at_ns);
  if (bucket <= bucket_) {
    // The newest of equal times goes last, so upper_bound by time alone would do; Before keeps it obvious.
    current_.insert(std::upper_bound(current_.begin() + position_, current_.end(), event, Before), event);
  } else if (bucket < bucket_ + buckets_) {
    PutOnWheel(event);
  } else {
    PushFar(event);
  }
}

SimEvent EventQueue::Pop() {
  RINGWAY_CHECK(size_ > 0);
  Advance();
  --size_;
  const SimEvent event = current_[position_++];
  now_ns_ = event.at_ns;
  return event;
}

std::int64_t EventQueue::NextTime() {
  RINGWAY_CHECK(size_ > 0);
  Advance();
  return current_[position_].at_ns;
}

void EventQueue::PutOnWheel(const SimEvent& event) {
  std::uint32_t node = free_;
  if (node != kNone) {
    free_ = pool_[node].next;
  } else {
    RINGWAY_CHECK(pool_.size() < kNone);
    node = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  }
  std::uint32_t& head = heads_[BucketOf(event.at_ns) & (buckets_ - 1)];
  pool_[node] = {event, head};
  head = node;
  ++on_wheel_;
}

void EventQueue::Advance() {
  while (position_ >= current_.size()) {
    current_.clear();
    position_ = 0;
    // An empty wheel need not be walked bucket by bucket.
    bucket_ = on_wheel_ > 0 || far_.empty() ? bucket_ + 1 : BucketOf(far_.front().at_ns);
    while (!far_.empty() && BucketOf(far_.front().at_ns) < bucket_ + buckets_) PutOnWheel(PopFar());
    TakeBucket();
  }
}

void EventQueue::TakeBucket() {
  std::uint32_t& head = heads_[bucket_ & (buckets_ - 1)];
  while (head != kNone) {
    const std::uint32_t node = head;
    current_.push_back(pool_[node].event);
    head = pool_[node].next;
    pool_[node].next = free_;
    free_ = node;
    --on_wheel_;
  }
  if (current_.size() > 1) std::sort(current_.begin(), current_.end(), Before);
}

void EventQueue::PushFar(const SimEvent& event) {
  std::size_t i = far_.size();
  far_.push_back(event);
  while (i > 0) {
    const std::size_t parent = (i - 1) / 4;
    if (!Before(event, far_[parent])) break;
    far_[i] = far_[parent];
    i = parent;
  }
  far_[i] = event;
}

SimEvent EventQueue::PopFar() {
  const SimEvent top = far_.front();
  const SimEvent last = far_.back();
  far_.pop_back();
  if (far_.empty()) return top;
  std::size_t i = 0;
  for (;;) {
    const std::size_t first = 4 * i + 1;
    if (first >= far_.size()) break;
    const std::size_t end = std::min(first + 4, far_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (Before(far_[child], far_[least])) least = child;
    }
    if (!Before(far_[least], last)) break;
    far_[i] = far_[least];
    i = least;
  }
  far_[i] = last;
  return top;
}

}  // namespace ringway::sim
