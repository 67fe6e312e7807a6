// Where the jobs of `ringway load` enter: the routers that the controller lists, by region, or those that
// were named.
//
// REGION or REGION=SHARE restricts and weighs the regions; without any, all regions that have routers take
// equal parts. The choice is pure; asking the controller is the caller's.
//
// Threads: pure functions.
#ifndef RINGWAY_CLI_LOAD_ENTRIES_H_
#define RINGWAY_CLI_LOAD_ENTRIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/load/sender.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::load {

// Errors: InvalidArgument for what is no REGION=SHARE, NotFound for a region without a router, with the
// likely one.
absl::StatusOr<std::vector<Entry>> EntriesOf(const v1::StatusReply& fleet,
                                             const std::vector<std::string>& regions);

}  // namespace ringway::load

#endif  // RINGWAY_CLI_LOAD_ENTRIES_H_
