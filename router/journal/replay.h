// Plays what a router's machine was told once more: its events to a machine that was restored from the
// recorded checkpoint, its actions held against the digests that were recorded.
//
// The machine is the production one, and gets the recorded times; if every digest agrees, every action came
// out bit for bit as it did then. At each later segment the machine must have come to the state that the
// segment's checkpoint has. Where something differs the rest of that segment is passed over: what was
// recorded after it happened to another machine. `observe` sees each event with what followed.
//
// Errors: DataLoss (not a router's journal), FailedPrecondition (another version). Memory: one machine and
// one batch of events.
#ifndef RINGWAY_ROUTER_JOURNAL_REPLAY_H_
#define RINGWAY_ROUTER_JOURNAL_REPLAY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router::journal {

struct ReplayReport {
  std::uint64_t lives = 0;  // of the router, from a start to its end, as far as the journal has them
  std::uint64_t events = 0;
  std::uint64_t actions = 0;    // recorded
  std::uint64_t different = 0;  // segments in which the actions of an event, or the state, came out otherwise
  std::uint64_t torn = 0;       // segments that end inside a record
  std::uint64_t gaps = 0;       // within a life: what the disk could not take
  std::string first_difference;
};

using Observer = std::function<void(Time, const RouterEvent&, const std::vector<RouterAction>& actions)>;

// Whether the folder's newest segment is a router's, and not a controller's.
bool IsRouterJournal(const std::string& directory);
absl::StatusOr<ReplayReport> Replay(const std::string& directory, const Observer& observe = nullptr);

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_REPLAY_H_
