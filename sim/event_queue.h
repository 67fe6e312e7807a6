// The order of things in virtual time: a priority queue keyed by (time, sequence).
//
// Two events at the same nanosecond run in the order in which they were scheduled. That makes a run a
// function of its seed, whatever the queue's inside looks like. Inside it is a timing wheel whose current
// bucket is kept sorted (a one-rung ladder queue; Tang, Goh and Thng 2005), with a 4-ary heap for what lies
// beyond the wheel's horizon; nodes are pooled, so nothing is allocated in steady state. Measured 1.5 to 2
// times the throughput of a binary heap at 1k to 100k pending events.
//
// Invariants: Pop never goes back in time; Push must not be earlier than the last popped time (checked).
// Complexity: O(1) amortised near the present, O(log n) beyond the horizon. Bound: 2^32 - 1 pending events.
// Threads: one owner.
#ifndef RINGWAY_SIM_EVENT_QUEUE_H_
#define RINGWAY_SIM_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringway::sim {

// What happens is the owner's business: `kind` and two numbers are all the queue carries.
struct SimEvent {
  std::int64_t at_ns = 0;
  std::uint64_t sequence = 0;
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;
  std::uint64_t detail = 0;
};

class EventQueue {
 public:
  // A bucket is 2^bucket_bits ns wide and the wheel has 2^wheel_bits of them. The default, 0.52 ms x 16384,
  // fits fleets of 1k to 100k workers; buckets should hold a handful of events.
  explicit EventQueue(int bucket_bits = 19, int wheel_bits = 14);

  void Push(std::int64_t at_ns, std::uint32_t kind, std::uint32_t subject = 0, std::uint64_t detail = 0);
  // Precondition: not empty.
  SimEvent Pop();
  // Time of the next event. Precondition: not empty. Moves the wheel forward, so not const.
  std::int64_t NextTime();
  // The event that comes `steps` after the next one; null: not known yet, or there is none.
  const SimEvent* Ahead(std::size_t steps) const {
    const std::size_t at = position_ + steps;
    return at < current_.size() ? &current_[at] : nullptr;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::int64_t now_ns() const { return now_ns_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Node {
    SimEvent event;
    std::uint32_t next = kNone;
  };

  std::int64_t BucketOf(std::int64_t at_ns) const { return at_ns >> bucket_bits_; }
  void PutOnWheel(const SimEvent& event);
  void PushFar(const SimEvent& event);
  SimEvent PopFar();
  // Makes `current_` hold the next event. Precondition: not empty.
  void Advance();
  void TakeBucket();

  const int bucket_bits_;
  const std::int64_t buckets_;
  std::vector<std::uint32_t> heads_;
  std::vector<Node> pool_;
  std::uint32_t free_ = kNone;
  std::vector<SimEvent> far_;      // 4-ary heap
  std::vector<SimEvent> current_;  // sorted; next at current_[position_]
  std::size_t position_ = 0;
  std::int64_t bucket_ = 0;  // number of the current bucket
  std::size_t on_wheel_ = 0;
  std::size_t size_ = 0;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ns_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_EVENT_QUEUE_H_
