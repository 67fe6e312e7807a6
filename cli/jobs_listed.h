// The jobs that routers list, as one list: a job that was forwarded is listed by two of them.
//
// The router where a job entered says where it went, the one that serves it says which worker has it; their
// lines become one. A job whose first router said nothing stands for itself. The oldest job comes first.
//
// Pure; O(n log n).
#ifndef RINGWAY_CLI_JOBS_LISTED_H_
#define RINGWAY_CLI_JOBS_LISTED_H_

#include <cstdint>
#include <vector>

#include "ringway/v1/operations.pb.h"

namespace ringway::cli {

struct JobsListed {
  std::vector<v1::JobListing> jobs;
  std::uint64_t left_out = 0;
  std::uint64_t plain_requests = 0;
};

JobsListed Listed(const std::vector<v1::ListJobsReply>& replies);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_JOBS_LISTED_H_
