#include "sim/kernel/event_queue.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.h"
#include "sim/kernel/prefetch.h"

namespace ringway::sim {
namespace {

// A type, so that sorting inlines it.
struct Earlier {
  bool operator()(const SimEvent& a, const SimEvent& b) const {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
  }
};
constexpr Earlier Before;

// Few, and shuffled: what straight insertion is best at.
void SortFew(SimEvent* events, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const SimEvent event = events[i];
    std::size_t j = i;
    for (; j > 0 && Before(event, events[j - 1]); --j) events[j] = events[j - 1];
    events[j] = event;
  }
}

}  // namespace

EventQueue::EventQueue(int bucket_bits, int wheel_bits, std::int64_t now_ns)
    : bucket_bits_(bucket_bits),
      wheel_bits_(wheel_bits),
      mask_((std::int64_t{1} << wheel_bits) - 1),
      fine_(static_cast<std::size_t>(mask_ + 1), kNone),
      coarse_(static_cast<std::size_t>(mask_ + 1), kNone),
      filled_(static_cast<std::size_t>((mask_ >> kWordBits) + 1), 0),
      bucket_(now_ns >> bucket_bits),
      turn_(bucket_ >> wheel_bits),
      now_ns_(now_ns) {}

void EventQueue::Place(const SimEvent& event) {
  const std::int64_t bucket = event.at_ns >> bucket_bits_;
  const std::int64_t turn = bucket >> wheel_bits_;
  if (bucket <= bucket_) {
    PutInCurrent(event);
  } else if (turn == turn_) {
    const auto at = static_cast<std::size_t>(bucket & mask_);
    PutInto(fine_[at], event);
    filled_[at >> kWordBits] |= std::uint64_t{1} << (at & 63);
    ++on_fine_;
  } else if (turn - turn_ <= mask_) {
    PutInto(coarse_[static_cast<std::size_t>(turn & mask_)], event);
    ++on_coarse_;
  } else {
    PushFar(event);
  }
}

// The newest goes after its equals, so it is mostly the last of all.
void EventQueue::PutInCurrent(const SimEvent& event) {
  // At the start of a run a hundred thousand watch streams open within one bucket.
  if (!late_.empty() || (end_ - position_ > kWalkMax && Before(event, current_[end_ - kWalkMax]))) {
    return PutLate(event);
  }
  MakeRoom(1);
  SimEvent* const first = current_.data() + position_;
  SimEvent* at = current_.data() + end_++;
  for (; at != first && Before(event, at[-1]); --at) *at = at[-1];
  *at = event;
}

void EventQueue::PutLate(const SimEvent& event) { late_.push_back(event); }

void EventQueue::Grow(std::size_t events) {
  room_ = 2 * (end_ + events);
  current_.resize(room_);
}

void EventQueue::MergeLate() {
  std::sort(late_.begin(), late_.end(), Before);
  MakeRoom(late_.size());
  SimEvent* const middle = current_.data() + end_;
  std::copy(late_.begin(), late_.end(), middle);
  end_ += late_.size();
  std::inplace_merge(current_.data() + position_, middle, current_.data() + end_, Before);
  late_.clear();
}

void EventQueue::AddChunk(std::uint32_t& head) {
  std::uint32_t fresh = free_;
  if (fresh != kNone) {
    free_ = chunks_[fresh].next;
    if (free_ != kNone) Prefetch(&chunks_[free_]);
  } else {
    RINGWAY_CHECK(chunks_.size() < kNone);
    fresh = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  chunks_[fresh].count = 0;
  chunks_[fresh].next = head;
  head = fresh;
}

void EventQueue::NextBucket() {
  position_ = end_ = 0;
  while (end_ == 0) {
    if (on_fine_ == 0) {
      // An empty wheel need not be walked bucket by bucket.
      const bool far_next = on_coarse_ == 0;
      BeginTurn(far_next ? far_.front().at_ns >> (bucket_bits_ + wheel_bits_) : turn_ + 1);
    } else {
      bucket_ = NextFilled();
    }
    TakeBucket();
  }
  // A turn may begin with more events than current_ takes one by one.
  if (!late_.empty()) MergeLate();
}

std::int64_t EventQueue::NextFilled() const {
  const auto after = static_cast<std::size_t>(bucket_ & mask_) + 1;
  std::size_t message = after >> kWordBits;
  std::uint64_t bits = filled_[message] & (~std::uint64_t{0} << (after & 63));
  while (bits == 0) bits = filled_[++message];
  return (turn_ << wheel_bits_) + static_cast<std::int64_t>((message << kWordBits)) + std::countr_zero(bits);
}

void EventQueue::BeginTurn(std::int64_t turn) {
  turn_ = turn;
  bucket_ = turn << wheel_bits_;
  // What was beyond the horizon and is not any more.
  while (!far_.empty() && (far_.front().at_ns >> (bucket_bits_ + wheel_bits_)) - turn_ <= mask_) {
    Place(PopFar());
  }
  std::uint32_t chunk = std::exchange(coarse_[static_cast<std::size_t>(turn & mask_)], kNone);
  while (chunk != kNone) {
    const std::uint32_t next = chunks_[chunk].next;
    if (next != kNone) __builtin_prefetch(&chunks_[next]);
    const Chunk events = chunks_[chunk];
    Free(chunk);
    on_coarse_ -= events.count;
    for (std::uint32_t i = 0; i < events.count; ++i) Place(events.events[i]);
    chunk = next;
  }
}

void EventQueue::TakeBucket() {
  const auto at = static_cast<std::size_t>(bucket_ & mask_);
  std::uint32_t chunk = std::exchange(fine_[at], kNone);
  if (chunk == kNone && end_ < 2) return;
  filled_[at >> kWordBits] &= ~(std::uint64_t{1} << (at & 63));
  while (chunk != kNone) {
    const Chunk& events = chunks_[chunk];
    const std::uint32_t next = events.next;
    MakeRoom(events.count);
    std::copy_n(events.events, events.count, current_.data() + end_);
    end_ += events.count;
    on_fine_ -= events.count;
    Free(chunk);
    chunk = next;
  }
  constexpr std::size_t kFew = 24;
  if (end_ <= kFew) {
    SortFew(current_.data(), end_);
  } else {
    std::sort(current_.data(), current_.data() + end_, Before);
  }
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
