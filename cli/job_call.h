// One job through a router's ingress, from header to end, in the calling thread.
//
// The payload is read from a stream and sent in chunks, so a film need not fit in memory; result chunks go to
// a sink as they come. Destroying the call, or the process, closes the stream, which cancels the job on every
// hop. A router that ends the job before it has read the whole payload is obeyed.
//
// Threads: one owner; blocks. Bounds: one chunk in memory each way.
#ifndef RINGWAY_CLI_JOB_CALL_H_
#define RINGWAY_CLI_JOB_CALL_H_

#include <functional>
#include <istream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ringway/v1/job.grpc.pb.h"

namespace ringway::cli {

struct JobEvents {
  std::function<void(const v1::Accepted&)> accepted;
  std::function<void(const v1::Progress&)> progress;
  // Returns false when the bytes cannot be kept; the job is then cancelled.
  std::function<bool(std::string_view)> chunk;
};

// `payload` may be null. Errors: Unavailable (nobody answers), Cancelled (a chunk could not be kept),
// Internal (the stream broke off without an end). A job that failed is an End, not an error.
absl::StatusOr<v1::End> RunJob(const std::string& router, const v1::JobHeader& header, std::istream* payload,
                               const JobEvents& events);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_JOB_CALL_H_
