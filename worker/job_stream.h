// One Run call: an attempt on its way between a router and the desk.
//
// It adds to the transport (runtime/job_reactor.h: lifetime, threads) the number by which the desk knows the
// attempt. It decides nothing; all that arrives is told to the desk.
//
// Bound: the desk limits what is queued by unsent_bytes().
#ifndef RINGWAY_WORKER_JOB_STREAM_H_
#define RINGWAY_WORKER_JOB_STREAM_H_

#include <cstdint>

#include "runtime/job_reactor.h"

namespace ringway::worker {

class JobStream;

// What the streams talk to. Called on the loop.
class JobDesk {
 public:
  virtual ~JobDesk() = default;
  virtual void OnMessage(JobStream& stream, v1::JobUp& message) = 0;
  // The peer has sent everything.
  virtual void OnUploadEnd(JobStream& stream) = 0;
  // The peer left, or its connection broke.
  virtual void OnCancelled(JobStream& stream) = 0;
  // The stream is about to disappear.
  virtual void OnClosed(JobStream& stream) = 0;
};

class JobStream final : public runtime::JobReactor {
 public:
  JobStream(std::uint64_t id, grpc::CallbackServerContext* context, runtime::EventLoop& loop, JobDesk& desk)
      : JobReactor(context, loop), id_(id), desk_(desk) {}

  std::uint64_t id() const { return id_; }

 private:
  void OnMessage(v1::JobUp& message) override { desk_.OnMessage(*this, message); }
  void OnUploadEnd() override { desk_.OnUploadEnd(*this); }
  void OnCancelled() override { desk_.OnCancelled(*this); }
  void OnClosed() override { desk_.OnClosed(*this); }

  const std::uint64_t id_;
  JobDesk& desk_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOB_STREAM_H_
