// All that a router's machine has become, as bytes, and back (journal/state.h). A machine made from the same
// settings and the fleet of that moment, and loaded with them, decides as the first one goes on to.
//
// `words` keeps what the machine's names point at, and outlives it. Size: some 100 bytes for each job, worker
// and idempotency key that the router knows. Time: linear in that. Pure.
#ifndef RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_
#define RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_

#include <deque>
#include <string>
#include <string_view>

#include "journal/shape.h"
#include "router/router_machine.h"

namespace ringway::router {

std::string Save(const RouterMachine& machine, const journal::Shapes* shapes = nullptr);
bool Load(std::string_view bytes, std::deque<std::string>& words, RouterMachine& machine,
          const journal::Shapes* shapes = nullptr);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOURNAL_CHECKPOINT_H_
