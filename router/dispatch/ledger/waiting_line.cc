#include "router/dispatch/ledger/waiting_line.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/check.h"

namespace ringway::ledger {

WaitingLine::WaitingLine(std::size_t waiting_max, double newest_first_at)
    : waiting_max_(waiting_max), newest_first_at_(newest_first_at) {}

void WaitingLine::Add(Ticket ticket, const Waiter& waiter) {
  RINGWAY_CHECK(waiter.priority < kMaxPriorities);
  Lane& lane = lanes_[waiter.priority];
  RINGWAY_CHECK(!lane.soonest.Contains(ticket));
  const std::int64_t arrived = ToUnixNanos(waiter.arrived);
  const std::int64_t joined = ToUnixNanos(waiter.joined);
  const std::int64_t start_by = ToUnixNanos(waiter.start_by);
  const std::int64_t expected = ToInt64Nanoseconds(waiter.expected);
  if (lane.soonest.empty()) lane.usual_ns = expected;
  if (ticket >= start_by_ns_.size()) start_by_ns_.resize(ticket + 1);
  start_by_ns_[ticket] = start_by;
  lane.soonest.Set(ticket, {start_by + Evened(lane, expected), joined});
  lane.newest.Set(ticket, {-arrived, -start_by});
  ++size_;
}

std::int64_t WaitingLine::Evened(const Lane& lane, std::int64_t expected_ns) {
  const std::int64_t apart = expected_ns - lane.usual_ns;
  return std::abs(apart) <= lane.usual_ns / 3 ? apart : 0;
}

void WaitingLine::Remove(Ticket ticket, Priority priority) {
  Lane& lane = lanes_[priority];
  if (!lane.soonest.Contains(ticket)) return;
  RemoveFrom(lane, ticket);
  --size_;
}

void WaitingLine::Reconsider(Time now) {
  const std::int64_t now_ns = ToUnixNanos(now);
  for (Lane& lane : lanes_) {
    if (lane.soonest.empty()) continue;
    // The head has the least time left of all.
    const Key& head = lane.soonest.Top().key;
    const auto patience = static_cast<double>(head.first - head.then);
    const auto used = static_cast<double>(now_ns - head.then);
    if (used > newest_first_at_ * patience) lane.newest_first = true;
    if (used < kCalmAgain * newest_first_at_ * patience) lane.newest_first = false;
  }
}

std::optional<Ticket> WaitingLine::Next() const {
  for (const Lane& lane : lanes_) {
    if (!lane.soonest.empty()) return NextOf(lane);
  }
  return std::nullopt;
}

std::optional<Ticket> WaitingLine::TakeInfeasible(Time now) {
  const std::int64_t now_ns = ToUnixNanos(now);
  for (Lane& lane : lanes_) {
    if (lane.soonest.empty()) continue;
    for (const Ticket ticket : {lane.soonest.Top().id, NextOf(lane)}) {
      if (start_by_ns_[ticket] >= now_ns) continue;
      RemoveFrom(lane, ticket);
      --size_;
      return ticket;
    }
  }
  return std::nullopt;
}

std::optional<Ticket> WaitingLine::TakeOverflow() {
  if (size_ <= waiting_max_) return std::nullopt;
  for (std::size_t p = kMaxPriorities; p-- > 0;) {
    Lane& lane = lanes_[p];
    if (lane.soonest.empty()) continue;
    const Ticket ticket = LastOf(lane);
    RemoveFrom(lane, ticket);
    --size_;
    return ticket;
  }
  return std::nullopt;
}

Time WaitingLine::NextInfeasible() const {
  if (size_ == 0) return InfiniteFuture();
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const Lane& lane : lanes_) {
    if (lane.soonest.empty()) continue;
    first_ns = std::min({first_ns, start_by_ns_[lane.soonest.Top().id], start_by_ns_[NextOf(lane)]});
  }
  return FromUnixNanos(first_ns) + Nanoseconds(1);
}

void WaitingLine::Clear() {
  for (Lane& lane : lanes_) {
    lane.soonest.Clear();
    lane.newest.Clear();
    lane.newest_first = false;
  }
  size_ = 0;
}

void WaitingLine::RemoveFrom(Lane& lane, Ticket ticket) {
  lane.soonest.Remove(ticket);
  lane.newest.Remove(ticket);
  if (lane.soonest.empty()) lane.newest_first = false;
}

}  // namespace ringway::ledger
