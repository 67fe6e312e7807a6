// Lives a router's recorded life again: its events through a fresh machine, its actions held against the
// digests that were recorded.
//
// Every segment of the folder is one life. The machine is the production one, and gets the recorded times; if
// every digest agrees, every action came out bit for bit as it did then. Where one differs the life is over:
// what was recorded after it happened to another machine. `observe` sees each event with what followed.
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
  std::uint64_t lives = 0;
  std::uint64_t events = 0;
  std::uint64_t actions = 0;    // recorded
  std::uint64_t different = 0;  // lives in which the actions of an event came out otherwise
  std::uint64_t torn = 0;       // lives that end inside a record
  std::string first_difference;
};

using Observer =
    std::function<void(absl::Time, const RouterEvent&, const std::vector<RouterAction>& actions)>;

// Whether the folder's newest segment is a router's, and not a controller's.
bool IsRouterJournal(const std::string& directory);
absl::StatusOr<ReplayReport> Replay(const std::string& directory, const Observer& observe = nullptr);

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_REPLAY_H_
