// One Submit or Forward call: a job on its way between a client, or another router, and the listener.
//
// It adds to the transport (runtime/job_reactor.h: lifetime, threads) what the router wants of a call: whose
// it is, which job it has become, the trace context in its metadata, and the trace in its trailers. It
// decides nothing; all that arrives is told to the listener.
//
// Bound: the listener stops feeding a stream whose unsent_bytes() are above its window.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_CALL_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_CALL_STREAM_H_

#include <string>

#include "core/ids.h"
#include "router/jobs/job_record.h"
#include "runtime/job_reactor.h"

namespace ringway::router {

class CallStream;

// What the streams talk to. Called on the loop.
class CallListener {
 public:
  virtual ~CallListener() = default;
  virtual void OnMessage(CallStream& stream, v1::JobUp& message) = 0;
  // The peer has sent everything.
  virtual void OnUploadEnd(CallStream& stream) = 0;
  // The peer left, or its connection broke.
  virtual void OnCancelled(CallStream& stream) = 0;
  // A message has left: there is room for more.
  virtual void OnDrained(CallStream& stream) = 0;
  // The stream is about to disappear.
  virtual void OnClosed(CallStream& stream) = 0;
};

class CallStream final : public runtime::JobReactor {
 public:
  CallStream(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop,
             CallListener& listener);

  bool forwarded() const { return forwarded_; }  // by another router
  // Whose job it is: an address without a port; empty: another router's.
  const std::string& client() const { return client_; }
  JobId job() const { return job_; }  // invalid: none yet
  void SetJob(JobId job) { job_ = job; }

  // The call's metadata, where the header says nothing: traceparent and tracestate (W3C trace context).
  void FillTraceContext(v1::JobHeader& header) const;

 private:
  void OnMessage(v1::JobUp& message) override { listener_.OnMessage(*this, message); }
  void OnUploadEnd() override { listener_.OnUploadEnd(*this); }
  void OnCancelled() override { listener_.OnCancelled(*this); }
  void OnDrained() override { listener_.OnDrained(*this); }
  void OnClosed() override { listener_.OnClosed(*this); }
  void OnEnding(const v1::End& end) override;

  const bool forwarded_;
  const std::string client_;
  const std::string traceparent_;
  const std::string tracestate_;
  CallListener& listener_;
  JobId job_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_CALL_STREAM_H_
