// All that a router's machine has become, as bytes, so that a journal need not begin at its birth.
//
// The bytes depend on the state alone: two machines in the same state give the same ones. A machine made from
// the same settings and the fleet of that moment, and loaded with them, decides as the first one goes on to;
// the random numbers to come are part of the state. Another release's shapes (shape.h) are given where it
// wrote them, or would have.
//
// Size: some 100 bytes for each job, worker and idempotency key that the router knows. Time: linear in that.
// Pure.
#ifndef RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_
#define RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_

#include <deque>
#include <string>
#include <string_view>

#include "router/journal/shape.h"
#include "router/router_machine.h"

namespace ringway::router::journal {

std::string Save(const RouterMachine& machine, const Shapes* shapes = nullptr);

// Into a machine that is as new. `words` keeps what its names point at, and outlives it. False: the bytes are
// damaged, or of other settings; the machine is of no use then.
bool Load(std::string_view bytes, std::deque<std::string>& words, RouterMachine& machine,
          const Shapes* shapes = nullptr);

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_
