// What can happen to a controller as a whole, and what it wants done: the input and output of its node
// (controller_node.h).
//
// Of the machine's events (events.h) a shell gives those that came over a stream as they were decoded, and
// Tick, TopologyLoaded, MetricSampled and OperatorCommand as they happen; RouterDisconnected is the node's
// own. Here is what concerns the streams themselves. Actions are performed in order, each to one stream or to
// none: who gets a table has been decided, and Persist comes before what must not be seen unless it is on
// disk.
//
// Streams are numbered by the shell and never reused. Plain values.
#ifndef RINGWAY_CONTROLLER_NODE_EVENT_H_
#define RINGWAY_CONTROLLER_NODE_EVENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "controller/events.h"
#include "controller/fleet/fleet_view.h"
#include "core/table.h"
#include "core/time.h"

namespace ringway::controller {

// ---- events ----
struct StreamOpened {
  StreamId stream = 0;
};
// It is over, whoever ended it.
struct StreamClosed {
  StreamId stream = 0;
};
// Something came that is no message, or not one of this fleet.
struct MessageRefused {
  StreamId stream = 0;
  bool hello = false;  // meant as one
  std::string why;
};
// What an operator had a router do.
struct OrderTold {
  std::uint64_t number = 0;  // the router's own
  std::string id = {};       // the same from all routers that carried it out
  Time at = InfinitePast();  // by the router's clock; infinite past: it does not say
  std::string who = {};
  std::string why = {};
  std::string action = {};
  std::string refusal = {};  // not empty: it cannot be recorded
};
// With a report, and before it.
struct OrdersTold {
  StreamId stream = 0;
  std::vector<OrderTold> orders;
};
// The controller ends in good order.
struct GoDown {};

using StreamEvent = std::variant<StreamOpened, StreamClosed, MessageRefused, OrdersTold, GoDown>;
// For whoever has to keep one.
using NodeEvent = std::variant<StreamEvent, ControllerEvent>;

// ---- actions, besides those of the machine that are passed on as they are ----
struct SendMapTo {
  StreamId stream = 0;
};
struct SendTableTo {
  StreamId stream = 0;
  std::shared_ptr<const RoutingTable> table;
};
// The router need not tell orders up to this one any more.
struct SendRecorded {
  StreamId stream = 0;
  std::uint64_t number = 0;
};
enum class StreamEnd : std::uint8_t { kRefused, kSilent, kReplaced, kGoingDown };
struct EndStream {
  StreamId stream = 0;
  StreamEnd end = StreamEnd::kRefused;
  std::string reason;
};
// A table is in force from now on; why, for the history.
struct TableMade {
  std::shared_ptr<const RoutingTable> table;
  std::string cause;
};
// Durable() of the machine goes to disk: `now`, or when it suits.
struct Persist {
  bool now = false;
};

using NodeAction = std::variant<SendWelcome, SendMapTo, SendTableTo, SendDirectory, SendRecorded, EndStream,
                                TableMade, Persist, PlanMade, AuditEntry, Note, CommandAnswered, EpochEnded>;

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_NODE_EVENT_H_
