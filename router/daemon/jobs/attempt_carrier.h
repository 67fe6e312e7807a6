// Who carries attempts of jobs: over gRPC to workers and routers (attempts.h), or over HTTP/1.1 to plain
// workers (http_offers.h). The jobs' side (job_calls.h) knows the payload and the client; a carrier knows the
// wire.
//
// Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_CARRIER_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_CARRIER_H_

#include <string>

#include "ringway/v1/job.pb.h"
#include "router/router_event.h"

namespace ringway::router {

// The jobs' side. Called on the loop, never from within a call into a carrier.
class AttemptSink {
 public:
  virtual ~AttemptSink() = default;
  virtual void OnAccepted(JobId job, AttemptId attempt, const v1::Accepted& accepted) = 0;
  // Progress, the head of a plain response, or a chunk of the result. False: no room for more; ReadNext will
  // be called.
  virtual bool OnRelay(JobId job, AttemptId attempt, v1::JobDown& message) = 0;
  // There is room for more of the payload.
  virtual void OnRoom(JobId job, AttemptId attempt) = 0;
  // `end` is what the peer said, null if it said nothing.
  virtual void OnEnded(const AttemptEnded& ended, const v1::End* end) = 0;
};

class AttemptCarrier {
 public:
  virtual ~AttemptCarrier() = default;
  virtual bool HasRoom(AttemptId attempt) const = 0;
  virtual void SendChunk(AttemptId attempt, const std::string& bytes) = 0;
  virtual void CloseUpload(AttemptId attempt) = 0;
  virtual void ReadNext(AttemptId attempt) = 0;
  virtual void Withdraw(AttemptId attempt, Outcome why) = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_CARRIER_H_
