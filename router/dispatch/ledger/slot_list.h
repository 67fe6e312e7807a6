// Two orders over slots that are kept by appending only: who has been idle longest, whose lease ends first.
//
// An intrusive doubly linked list through an array of links that the lists of one table share, because a slot
// is in at most one of them. Each entry carries a time; appended times must not fall, so the front is always
// the earliest. That is why all leases have the same span: a list then does in O(1) what a heap does in
// O(log n), and touches two neighbours instead of a path through memory.
//
// Invariants: times rise from front to back; a slot is in at most one list of its links. Pure.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LIST_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LIST_H_

#include <algorithm>
#include <cstddef>

#include "core/check.h"
#include "core/ids.h"
#include "core/time.h"

namespace ringway::ledger {

struct SlotLink {
  WorkerId next, previous;
  Time at;
};
using SlotLinks = IdVector<WorkerId, SlotLink>;

class SlotList {
 public:
  std::size_t size() const { return size_; }
  // Invalid when the list is empty.
  WorkerId Front() const { return front_; }

  // `links` must have room for the worker, which must be in no list.
  void Append(SlotLinks& links, WorkerId worker, Time at) {
    SlotLink& link = links[worker];
    link.next = WorkerId();
    link.previous = back_;
    link.at = at;
    if (back_.valid()) {
      SlotLink& last = links[back_];
      last.next = worker;
      link.at = std::max(at, last.at);
    } else {
      front_ = worker;
    }
    back_ = worker;
    ++size_;
  }
  // The worker must be in this list.
  void Remove(SlotLinks& links, WorkerId worker) {
    RINGWAY_CHECK(size_ > 0);
    const SlotLink& link = links[worker];
    (link.previous.valid() ? links[link.previous].next : front_) = link.next;
    (link.next.valid() ? links[link.next].previous : back_) = link.previous;
    --size_;
  }

 private:
  WorkerId front_, back_;
  std::size_t size_ = 0;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LIST_H_
