// What can happen to the controller, and what it does about it: the events and actions of its machine.
//
// Every event is a value that the journal can write down (controller/journal/), so that a recorded life can
// be lived again. Streams are connections of routers, numbered by the shell and never reused. Actions are
// performed in order by the shell; SaveState comes before what must not be seen unless it is on disk.
//
// Plain values.
#ifndef RINGWAY_CONTROLLER_EVENTS_H_
#define RINGWAY_CONTROLLER_EVENTS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "controller/fleet/directory.h"
#include "controller/fleet/fleet_view.h"
#include "controller/fleet/report.h"
#include "controller/planner/planner.h"
#include "controller/tiers/tier_orders.h"
#include "core/fleet.h"
#include "core/snapshot.h"
#include "core/table.h"
#include "core/time.h"

namespace ringway::controller {

// ---- events ----
struct RouterConnected {
  StreamId stream = 0;
  RouterHello hello;
};
struct RouterReported {
  StreamId stream = 0;
  RouterReport report;
};
struct RouterAcked {
  StreamId stream = 0;
  TableVersion version;
  bool active = true;
  std::string refusal;
};
struct RouterDisconnected {
  StreamId stream = 0;
};
// `text` is what `fleet` was read from; the machine only passes it on.
struct TopologyLoaded {
  std::shared_ptr<const Fleet> fleet;
  std::string text;
};
// A region's value of one metric, as a Prometheus server aggregated it.
struct MetricSampled {
  TierId tier;
  std::size_t metric = 0;  // index into Tier::metrics
  RegionId region;
  double value = 0;
  Duration age;
};
struct Tick {};

// What an operator may ask for. Names, because operators speak in names.
struct DrainCommand {
  std::string region;
  std::string tier;  // empty: all
  bool drain = true;
  double share = 1;         // of the region's capacity
  bool check_room = false;  // refuse where the rest of the fleet has no room for the traffic
};
struct ThresholdCommand {
  std::string tier;
  double overload_threshold = 0;
  std::string region = {};  // empty: of the tier
  bool clear = false;       // back to the topology's
};
struct ModeCommand {
  std::string tier;
  TierMode mode = TierMode::kActive;
};
struct PinnedRoute {
  std::string target;
  double fraction = 0;
  friend bool operator==(const PinnedRoute&, const PinnedRoute&) = default;
};
struct PinCommand {
  std::string tier;
  std::string region;
  bool pin = true;
  Priority priority = 0;
  std::vector<PinnedRoute> routes = {};  // both empty: the rows in force, of all priorities
  double shed_fraction = 0;
};
struct RollbackCommand {
  std::string tier;
  TableVersion version;
  // What the history on disk holds under that version, in the ids of the fleet that is loaded. Null: one of
  // those that the machine keeps.
  std::shared_ptr<const RoutingTable> table = nullptr;
};
// Ends the canary of a configuration: for everybody, or for nobody.
struct CanaryCommand {
  bool promote = false;
};
struct OperatorCommand {
  std::uint64_t request = 0;  // the shell's number for the answer
  std::string who = {};
  std::string why = {};
  std::variant<DrainCommand, ThresholdCommand, ModeCommand, PinCommand, RollbackCommand, CanaryCommand> what;
  Duration lasts = ZeroDuration();  // zero: until it is changed
};

using ControllerEvent = std::variant<Tick, RouterConnected, RouterReported, RouterAcked, RouterDisconnected,
                                     TopologyLoaded, MetricSampled, OperatorCommand>;

// ---- actions ----
struct SendWelcome {
  StreamId stream = 0;
  std::uint64_t epoch = 0;
};
// To one stream, or to all that are open.
struct SendMap {
  std::optional<StreamId> stream;
};
// While a canary runs two tables are in force: one for the streams of its routers, one for all others.
struct Audience {
  std::vector<StreamId> streams;  // sorted
  bool only = true;               // these; else all but these
};
struct SendTable {
  std::optional<StreamId> stream;
  std::shared_ptr<const RoutingTable> table;
  std::shared_ptr<const Audience> audience = nullptr;  // null: whoever `stream` says
  bool For(StreamId other) const {
    if (stream) return *stream == other;
    if (audience == nullptr) return true;
    return std::binary_search(audience->streams.begin(), audience->streams.end(), other) == audience->only;
  }
};
struct SendDirectory {
  StreamId stream = 0;
  RegionId region;  // whose workers it gets
  std::shared_ptr<const Directory> directory;
};
struct CloseStream {
  StreamId stream = 0;
  std::string reason;
};
struct PlanMade {
  std::shared_ptr<const TierSnapshot> snapshot;
  std::shared_ptr<const planner::Plan> plan;
};
// The durable state changed. `now`: before the next action is performed; else soon is enough.
struct SaveState {
  bool now = false;
};
// Who the audit log names for what no operator asked for at that moment: the end of a timed order.
inline constexpr std::string_view kByItself = "ringway";
// And why, of the verdict of a canary.
inline constexpr std::string_view kCanaryWhy = "canary";
struct AuditEntry {
  Time at;
  std::string who;
  std::string why;
  std::string action;
  std::string order = {};  // of what a router did: the id that it told it under (OrderDone)
};
struct Note {
  enum class Level { kInfo, kWarning };
  Level level = Level::kInfo;
  std::string text;
};
// Of a drain: where requests would not fit (room.h), by name because the answer outlives the fleet's ids.
struct NamedShortfall {
  std::string tier;
  std::string region;
  double over_rps = 0;
  double refused_rps = 0;
};
struct CommandAnswered {
  std::uint64_t request = 0;
  bool done = false;
  std::string message;
  std::vector<NamedShortfall> shortfall = {};
};
// An epoch is over: a good moment to refresh what people look at.
struct EpochEnded {};

using ControllerAction = std::variant<SendWelcome, SendMap, SendTable, SendDirectory, CloseStream, PlanMade,
                                      SaveState, AuditEntry, Note, CommandAnswered, EpochEnded>;

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_EVENTS_H_
