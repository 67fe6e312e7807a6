// Names in an order that the fleet knows otherwise: a priority's number, and which tier has what was meant.
//
// Everything is looked up in one StatusReply, as the controller told it last. Names are compared letter by
// letter; a likely one is only suggested, never taken.
//
// Threads: pure functions. Cost: linear in tiers x regions.
#ifndef RINGWAY_CLI_ORDER_NAMES_H_
#define RINGWAY_CLI_ORDER_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::cli {

// The number of the tier's priority; an empty tier is the only one. Errors: InvalidArgument where the tier
// must be named, NotFound for the tier or the priority, with the names that there are, the likely one, and
// the tier that has such a priority.
absl::StatusOr<std::uint32_t> PriorityOf(const v1::StatusReply& fleet, const std::string& tier,
                                         const std::string& priority);

// `did you mean "x"?` for the first of the names that is no tier and no region, or "tier a has no workers in
// r; tier b has" where the names are a tier and regions that it does not serve. Empty: nothing to say.
std::string HintFor(const v1::StatusReply& fleet, const std::vector<std::string>& names);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ORDER_NAMES_H_
