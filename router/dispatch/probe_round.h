// Which workers one round of probes asks, in which order.
//
// First the workers beside the router that are not known to be busy (no network between), then workers that
// were idle a moment ago (hints, each used once), then random others, those known to be busy last. All are
// distinct and none holds an offer of this router. The round is asked one worker at a time: a job is never on
// offer at two workers at once.
//
// With d blind probes at load rho a share of about 1 - x^d of the jobs finds a free worker, x = rho (1 -
// x^d); d is the tier's probes_per_round. The random part is a partial Fisher-Yates shuffle of the open set,
// looking at no more than kLooksPerProbe workers for each one chosen.
//
// Complexity: O(width + workers beside), whatever the size of the region. One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_PROBE_ROUND_H_
#define RINGWAY_ROUTER_DISPATCH_PROBE_ROUND_H_

#include <cstddef>
#include <vector>

#include "core/rng.h"
#include "core/time.h"
#include "router/dispatch/worker_view.h"

namespace ringway::dispatch {

inline constexpr std::size_t kLooksPerProbe = 4;

// Replaces `round` by at most `width` distinct open workers of the tier. Empty: nobody is open.
void ChooseRound(WorkerView& view, TierId tier, std::size_t width, Time now, Rng& rng,
                 std::vector<WorkerId>& round);

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_PROBE_ROUND_H_
