// The order of things in virtual time: a priority queue keyed by (time, sequence).
//
// Two events at the same nanosecond run in the order in which they were scheduled. That makes a run a
// function of its seed, whatever the queue's inside looks like. Inside are two timing wheels (Varghese and
// Lauck 1987): a fine one whose current bucket is sorted when its turn comes (a one-rung ladder queue; Tang,
// Goh and Thng 2005), and a coarse one, each of whose buckets is a turn of the fine one. What lies beyond
// both waits in a 4-ary heap. Buckets are chains of chunks of two cache lines, so that an event which waits
// for long is written and read beside its like: at 100k pending events memory is what a queue costs.
//
// Invariants: Pop never goes back in time; Push must not be earlier than the last popped time (checked).
// Complexity: O(1) amortised within the wheels, O(log n) beyond. No allocation in steady state. Bounds: 2^32
// - 1 chunks pending, 2^56 events in all. Threads: one owner.
#ifndef RINGWAY_SIM_KERNEL_EVENT_QUEUE_H_
#define RINGWAY_SIM_KERNEL_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check.h"
#include "sim/kernel/prefetch.h"

namespace ringway::sim {

// What happens is the owner's business: a kind and two numbers are all the queue carries.
struct SimEvent {
  std::int64_t at_ns = 0;
  std::uint64_t order = 0;  // sequence number, then kind
  std::uint32_t subject = 0;
  std::uint32_t detail = 0;
  std::uint8_t kind() const { return static_cast<std::uint8_t>(order); }
};

class EventQueue {
 public:
  // A bucket of the fine wheel is 2^bucket_bits ns wide; either wheel has 2^wheel_bits buckets. The default,
  // 66 us x 1024 and 67 ms x 1024, fits fleets of 10k workers; fine buckets should hold a handful of events.
  // `now_ns`: when it starts.
  explicit EventQueue(int bucket_bits = 16, int wheel_bits = 10, std::int64_t now_ns = 0);

  void Push(std::int64_t at_ns, std::uint8_t kind, std::uint32_t subject = 0, std::uint32_t detail = 0) {
    RINGWAY_CHECK(at_ns >= now_ns_);
    ++size_;
    const SimEvent event{at_ns, sequence_++ << kKindBits | kind, subject, detail};
    if (at_ns >> bucket_bits_ <= bucket_) {
      PutInCurrent(event);  // as most
    } else {
      Place(event);
    }
  }
  // Precondition: not empty.
  SimEvent Pop() {
    RINGWAY_CHECK(size_ > 0);
    Advance();
    --size_;
    const SimEvent event = current_[position_++];
    now_ns_ = event.at_ns;
    return event;
  }
  // Time of the next event. Precondition: not empty. Moves the wheel forward, so not const.
  std::int64_t NextTime() {
    RINGWAY_CHECK(size_ > 0);
    Advance();
    return current_[position_].at_ns;
  }
  // The next event, if there is one by then. False: there is none.
  bool PopBy(std::int64_t end_ns, SimEvent& event) {
    if (size_ == 0) return false;
    Advance();
    const SimEvent& next = current_[position_];
    if (next.at_ns > end_ns) return false;
    RINGWAY_CHECK(next.at_ns >= now_ns_);
    --size_;
    ++position_;
    now_ns_ = next.at_ns;
    event = next;
    return true;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::int64_t now_ns() const { return now_ns_; }

  // For those who want to know what comes soon: the number of the bucket whose events run now, and, in no
  // order, the events of the one `buckets` after it that are known by now.
  std::int64_t bucket() const { return bucket_; }
  template <class F>
  void Foresee(std::int64_t buckets, F f) const {
    const std::int64_t bucket = bucket_ + buckets;
    if (bucket >> wheel_bits_ != turn_) return;  // still on the coarse wheel
    for (std::uint32_t c = fine_[bucket & mask_]; c != kNone; c = chunks_[c].next) {
      for (std::uint32_t i = 0; i < chunks_[c].count; ++i) f(chunks_[c].events[i]);
    }
  }

  // Hints: an event will be pushed for this time, and events will be read and pushed this many buckets on.
  void ForeseePush(std::int64_t at_ns) const {
    const std::int64_t bucket = at_ns >> bucket_bits_;
    const std::int64_t turn = bucket >> wheel_bits_;
    const bool fine = turn == turn_;
    if (!fine && turn - turn_ > mask_) return;
    const std::uint32_t head = fine ? fine_[bucket & mask_] : coarse_[turn & mask_];
    if (head != kNone) Prefetch(&chunks_[head]);
  }
  void ForeseeBucket(std::int64_t buckets) const {
    if ((bucket_ + buckets) >> wheel_bits_ == turn_) ForeseePush((bucket_ + buckets) << bucket_bits_);
  }
  // What the first chunk of that bucket names.
  void ForeseeChain(std::int64_t buckets) const {
    if ((bucket_ + buckets) >> wheel_bits_ != turn_) return;
    const std::uint32_t head = fine_[(bucket_ + buckets) & mask_];
    if (head != kNone && chunks_[head].next != kNone) Prefetch(&chunks_[chunks_[head].next]);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kInChunk = 5;
  static constexpr int kKindBits = 8;
  // Events of the current bucket that an insertion may move.
  static constexpr std::size_t kWalkMax = 256;
  struct alignas(64) Chunk {
    SimEvent events[kInChunk];
    std::uint32_t count = 0;
    std::uint32_t next = kNone;
  };
  using Wheel = std::vector<std::uint32_t>;  // the first chunk of each bucket
  static constexpr int kWordBits = 6;

  void Place(const SimEvent& event);
  void PutInto(std::uint32_t& head, const SimEvent& event) {
    if (head == kNone || chunks_[head].count == kInChunk) AddChunk(head);
    Chunk& chunk = chunks_[head];
    chunk.events[chunk.count++] = event;
  }
  void AddChunk(std::uint32_t& head);
  void Free(std::uint32_t chunk) {
    chunks_[chunk].next = free_;
    free_ = chunk;
  }
  void PutInCurrent(const SimEvent& event);
  // For so many more after end_.
  void MakeRoom(std::size_t events) {
    if (room_ < end_ + events) Grow(events);
  }
  void Grow(std::size_t events);
  void PutLate(const SimEvent& event);
  void MergeLate();
  void PushFar(const SimEvent& event);
  SimEvent PopFar();
  // Makes `current_` hold the next event. Precondition: not empty.
  void Advance() {
    if (!late_.empty()) MergeLate();
    if (position_ == end_) NextBucket();
  }
  void NextBucket();
  // Of the fine wheel, after the current one. Precondition: it is not empty.
  std::int64_t NextFilled() const;
  // Lays the events of a turn out on the fine wheel.
  void BeginTurn(std::int64_t turn);
  void TakeBucket();

  const int bucket_bits_;
  const int wheel_bits_;
  const std::int64_t mask_;
  Wheel fine_;
  Wheel coarse_;
  std::vector<std::uint64_t> filled_;  // of the fine wheel, a bit a bucket: has it events
  std::vector<Chunk> chunks_;
  std::uint32_t free_ = kNone;
  std::vector<SimEvent> far_;      // 4-ary heap
  std::vector<SimEvent> current_;  // sorted from position_, the next, to before end_
  std::vector<SimEvent> late_;     // also of the current bucket, in no order; empty when the next is taken
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  std::size_t room_ = 0;     // size of current_
  std::int64_t bucket_ = 0;  // number of the current fine bucket
  std::int64_t turn_ = 0;    // of the fine wheel: number of the current coarse bucket
  std::size_t on_fine_ = 0;
  std::size_t on_coarse_ = 0;
  std::size_t size_ = 0;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ns_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_KERNEL_EVENT_QUEUE_H_
