// One Submit or Forward call: the transport side of a job, between gRPC's threads and the loop.
//
// gRPC calls the reactor on its own threads; each callback only posts to the loop. Everything else happens
// there: reading goes on only when asked for (the back-pressure on payloads), messages queue and leave one at
// a time, the last one closes the call. A progress message that has not left yet is overwritten by the next.
//
// Lifetime: deletes itself on the loop once gRPC is done with it, right after CallDesk::OnClosed. Bound: the
// desk stops feeding a stream whose unsent_bytes() are above its window. Threads: public calls on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_CALL_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_CALL_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "core/ids.h"
#include "ringway/v1/job.pb.h"
#include "router/job_record.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class CallStream;

// What the streams talk to. Called on the loop.
class CallDesk {
 public:
  virtual ~CallDesk() = default;
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

class CallStream final : public grpc::ServerBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  CallStream(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop, CallDesk& desk);

  bool forwarded() const { return forwarded_; }  // by another router
  JobId job() const { return job_; }             // invalid: none yet
  void SetJob(JobId job) { job_ = job; }
  std::size_t unsent_bytes() const { return unsent_bytes_; }

  // The call's metadata, where the header says nothing: traceparent and tracestate (W3C trace context).
  void FillTraceContext(v1::JobHeader& header) const;
  void ReadNext();
  void Write(v1::JobDown message);
  // The last word, with the story in the trailers too: closes the call when everything before it has left.
  void End(v1::JobDown message);
  // Closes the call now; what is queued is lost. Idempotent.
  void Break();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Pump();
  void AddTrailers(const v1::End& end);

  const bool forwarded_;
  std::string traceparent_;
  std::string tracestate_;
  std::mutex context_mutex_;
  grpc::CallbackServerContext* context_;  // null once gRPC is done with the call
  runtime::EventLoop& loop_;
  CallDesk& desk_;
  JobId job_;
  v1::JobUp incoming_;  // gRPC's while a read is under way, the loop's otherwise
  std::deque<v1::JobDown> queue_;
  std::size_t unsent_bytes_ = 0;
  bool writing_ = false;  // the front of the queue is gRPC's
  bool ending_ = false;   // the back of the queue is the last word
  bool broken_ = false;
  bool finished_ = false;  // gRPC has been told; no more calls
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CALL_STREAM_H_
