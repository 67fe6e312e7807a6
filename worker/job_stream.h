// One Run call: the transport side of an attempt, between gRPC's threads and the loop that owns the
// decisions.
//
// gRPC calls the reactor on its own threads; each callback only posts to the loop. Everything else happens on
// the loop: reading goes on only when the desk asks for more (that is the back-pressure on payloads),
// messages queue here and leave one at a time, the last one closes the call. A progress message that has not
// left yet is overwritten by the next one, so a slow reader costs one message.
//
// Lifetime: deletes itself on the loop after gRPC is done with it, right after JobDesk::OnClosed. Bound: the
// desk limits what is queued by unsent_bytes(). Threads: public calls on the loop only.
#ifndef RINGWAY_WORKER_JOB_STREAM_H_
#define RINGWAY_WORKER_JOB_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/event_loop.h"

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

class JobStream final : public grpc::ServerBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  JobStream(std::uint64_t id, grpc::CallbackServerContext* context, runtime::EventLoop& loop, JobDesk& desk);

  std::uint64_t id() const { return id_; }
  std::size_t unsent_bytes() const { return unsent_bytes_; }
  void ReadNext();
  void Write(v1::JobDown message);
  // The last word: closes the call when everything before it has left.
  void End(v1::JobDown message);
  // Closes the call now; what is queued is lost. Idempotent.
  void Break();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  template <class Task>
  void Post(Task task);
  void Pump();

  const std::uint64_t id_;
  std::mutex context_mutex_;
  grpc::CallbackServerContext* context_;  // null once gRPC is done with the call
  runtime::EventLoop& loop_;
  JobDesk& desk_;
  v1::JobUp incoming_;  // gRPC's while a read is under way, the loop's otherwise
  std::deque<v1::JobDown> queue_;
  std::size_t unsent_bytes_ = 0;
  bool writing_ = false;  // the front of the queue is gRPC's
  bool ending_ = false;   // the back of the queue is the last word
  bool broken_ = false;
  bool finished_ = false;  // gRPC has been told; no more calls
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOB_STREAM_H_
