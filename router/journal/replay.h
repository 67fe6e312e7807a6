// A router's journal, lived again (journal/replay.h): the production machine, stepped with what was recorded.
//
// `observe` sees each event with what followed.
// Errors: NotFound (no journal is there), DataLoss (not a router's), FailedPrecondition (another version, or
// fields that this release does not read). Memory: one machine and one batch of events.
#ifndef RINGWAY_ROUTER_JOURNAL_REPLAY_H_
#define RINGWAY_ROUTER_JOURNAL_REPLAY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "journal/replay.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

using ReplayObserver =
    std::function<void(Time, const RouterEvent&, const std::vector<RouterAction>& actions)>;

absl::StatusOr<journal::ReplayReport> Replay(const std::string& directory,
                                             const ReplayObserver& observe = nullptr);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOURNAL_REPLAY_H_
