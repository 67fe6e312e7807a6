// Between the worker's values and its wire messages, in both directions.
//
// What arrives is checked field by field in proto/job_codec.h; here it is checked against this worker (its
// tier) and turned into an order for the backend and an offer for the node. What the node says becomes text.
//
// Threads: pure functions.
#ifndef RINGWAY_WORKER_MESSAGES_H_
#define RINGWAY_WORKER_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/job.h"
#include "core/time.h"
#include "ringway/v1/job.pb.h"
#include "ringway/v1/worker.pb.h"
#include "worker/backends/backend.h"
#include "worker/worker_node.h"

namespace ringway::worker {

// Who this worker is.
struct Identity {
  std::string name;
  std::string tier;
  std::string region;
  std::string model;
  std::string backend;
  std::string metrics_address;  // host:port
  PictureTerms pictures;        // that its jobs may bring
};

// Errors: InvalidArgument, for whoever sent the job.
absl::Status CheckForWorker(const v1::JobHeader& header, const Identity& worker);

AttemptOffered OfferOf(const v1::JobHeader& header, AttemptId attempt, Time now);
// Errors: InvalidArgument, for the leader.
absl::StatusOr<SlotFenced> FencedOf(const v1::FenceRequest& request);
WorkOrder OrderOf(const v1::JobHeader& header);

v1::JobDown AcceptedMessage(const Identity& worker);
v1::JobDown ProgressMessage(std::uint32_t step, std::uint32_t steps);
v1::JobDown ChunkMessage(std::string bytes);

// In words. Empty: the backend, which has `said` how the job ended, has nothing to add. `malformed`: why a
// message is no offer.
std::string WhyEnded(const EndAttempt& end, const WorkEnd& said, std::string_view malformed,
                     const WorkerSettings& bounds);
// `message`: WhyEnded.
v1::JobDown EndMessage(const EndAttempt& end, const WorkEnd& said, std::string_view message,
                       std::string_view request_id, const Identity& worker);

// `sequence`: of this announcement.
v1::WorkerState StateMessage(const SlotView& view, std::uint64_t sequence, const WorkerTotals& totals,
                             const Identity& worker);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_MESSAGES_H_
