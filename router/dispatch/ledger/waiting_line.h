// The jobs of one region and tier that wait for a slot, and which of them runs next.
//
// Order: the more important priority first. Within a priority, the job that must start soonest (its deadline
// less its expected service), then the one that joined first. Expected services are measured and never stand
// still: those within a third of the one with which the line began count as equal, so that equal jobs with
// equal patience are served first come, first served. When the head has used up three quarters of the time
// that it could wait, waiting has become hopeless: jobs are served when they are about to die, and every one
// that takes a little longer than expected ends too late and has wasted its GPU. The priority then flips to
// newest first until its head has used less than half again (adaptive LIFO; Maurer, "Fail at Scale", ACM
// Queue 13(8), 2015; the two shares were chosen in virtual time, see docs/dispatch.md).
//
// Bound: `waiting_max` jobs. When it is passed, the one that would be served last is given up: of the least
// important priority present, the newest, or the oldest when that priority runs newest first.
//
// Invariants: a ticket stands in the line at most once; TakeInfeasible returns every job whose latest start
// has passed before Next offers it. Behind others such a job may stand a third of its service longer. Two
// indexed heaps a priority: Add and Remove O(log n), the rest O(1). No allocation once `waiting_max` tickets
// have been seen. Pure. One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_WAITING_LINE_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_WAITING_LINE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/tier.h"
#include "core/time.h"
#include "router/dispatch/ledger/indexed_heap.h"

namespace ringway::ledger {

// A place in the caller's array of waiting jobs.
using Ticket = std::uint32_t;

struct Waiter {
  Priority priority = 0;
  Time arrived;                        // at the entry router; newest first goes by it
  Time joined;                         // this line
  Time start_by;                       // latest start that still meets the deadline
  Duration expected = ZeroDuration();  // service; what start_by leaves room for
};

class WaitingLine {
 public:
  // Share of its patience that the head has used when the order flips; and of that, when it flips back.
  static constexpr double kHopeless = 0.75;
  static constexpr double kCalmAgain = 2.0 / 3;

  // `waiting_max` 0: whoever is not granted a slot at once is given up. `newest_first_at` 1: never; 0:
  // always.
  explicit WaitingLine(std::size_t waiting_max, double newest_first_at = kHopeless);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool newest_first(Priority priority) const { return lanes_[priority].newest_first; }

  void Add(Ticket ticket, const Waiter& waiter);
  // Does nothing when the ticket is not in the line.
  void Remove(Ticket ticket, Priority priority);
  // Looks at the clock: which order each priority is in now.
  void Reconsider(Time now);
  // Who runs next. Does not remove it.
  std::optional<Ticket> Next() const;
  // Removes and returns a job that cannot start in time any more; call until it returns nothing.
  std::optional<Ticket> TakeInfeasible(Time now);
  // Removes and returns who is given up because the line is longer than its bound.
  std::optional<Ticket> TakeOverflow();
  // When the next job becomes infeasible: strictly after its latest start.
  Time NextInfeasible() const;
  void Clear();
  // A new bound; those beyond it are TakeOverflow's.
  void Bound(std::size_t waiting_max) { waiting_max_ = waiting_max; }

 private:
  // Nanoseconds since the Unix epoch; half the size of Time.
  struct Key {
    std::int64_t first = 0;
    std::int64_t then = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Lane {
    IndexedHeap<Key> soonest;   // by (start_by with the usual service, joined)
    IndexedHeap<Key> newest;    // by (-arrived, -start_by)
    std::int64_t usual_ns = 0;  // expected service of the job with which it began
    bool newest_first = false;
  };

  // What is added to a latest start to compare it with others of its lane.
  static std::int64_t Evened(const Lane& lane, std::int64_t expected_ns);
  static void RemoveFrom(Lane& lane, Ticket ticket);
  static Ticket NextOf(const Lane& lane) {
    return lane.newest_first ? lane.newest.Top().id : lane.soonest.Top().id;
  }
  static Ticket LastOf(const Lane& lane) {
    return lane.newest_first ? lane.soonest.Top().id : lane.newest.Top().id;
  }

  PerPriority<Lane> lanes_;
  std::vector<std::int64_t> start_by_ns_;  // by ticket
  std::size_t size_ = 0;
  std::size_t waiting_max_;
  double newest_first_at_;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_WAITING_LINE_H_
