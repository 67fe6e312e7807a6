// One Run call: an attempt on its way between a router and the listener.
//
// It adds to the transport (runtime/job_reactor.h: lifetime, threads) the number by which the listener knows
// the attempt. It decides nothing; all that arrives is told to the listener.
//
// Bound: the listener limits what is queued by unsent_bytes().
#ifndef RINGWAY_WORKER_JOB_STREAM_H_
#define RINGWAY_WORKER_JOB_STREAM_H_

#include <cstdint>

#include "runtime/job_reactor.h"

namespace ringway::worker {

class JobStream;

// What the streams talk to. Called on the loop.
class JobListener {
 public:
  virtual ~JobListener() = default;
  virtual void OnMessage(JobStream& stream, v1::JobUp& message) = 0;
  // The peer has sent everything.
  virtual void OnUploadEnd(JobStream& stream) = 0;
  // The peer left, or its connection broke.
  virtual void OnCancelled(JobStream& stream) = 0;
  // A message has left.
  virtual void OnDrained(JobStream& stream) = 0;
  // The stream is about to disappear.
  virtual void OnClosed(JobStream& stream) = 0;
};

class JobStream final : public runtime::JobReactor {
 public:
  JobStream(std::uint64_t id, grpc::CallbackServerContext* context, runtime::EventLoop& loop,
            JobListener& listener)
      : JobReactor(context, loop), id_(id), listener_(listener) {}

  std::uint64_t id() const { return id_; }

 private:
  void OnMessage(v1::JobUp& message) override { listener_.OnMessage(*this, message); }
  void OnUploadEnd() override { listener_.OnUploadEnd(*this); }
  void OnCancelled() override { listener_.OnCancelled(*this); }
  void OnDrained() override { listener_.OnDrained(*this); }
  void OnClosed() override { listener_.OnClosed(*this); }

  const std::uint64_t id_;
  JobListener& listener_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOB_STREAM_H_
