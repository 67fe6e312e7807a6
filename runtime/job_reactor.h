// The serving side of a call that carries a job (v1.JobUp in, v1.JobDown out): the transport between gRPC's
// threads and the loop that owns the decisions.
//
// gRPC calls the reactor on its own threads; each callback only posts to the loop. Everything else happens
// there: reading goes on only when asked for (that is the back-pressure on payloads), messages queue and
// leave one at a time, the last one closes the call. A progress message that has not left yet is overwritten
// by the next, so a slow reader costs one message.
//
// Lifetime: deletes itself on the loop once gRPC is done with it, right after OnClosed. Bound: one read, one
// write and one cancellation under way for each reactor, so the loop's inbox has room for all if their number
// is bounded; whoever feeds one looks at unsent_bytes(). Threads: public calls on the loop.
#ifndef RINGWAY_RUNTIME_JOB_REACTOR_H_
#define RINGWAY_RUNTIME_JOB_REACTOR_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "core/header_text.h"
#include "ringway/v1/job.pb.h"
#include "runtime/event_loop.h"

namespace ringway::runtime {

class JobReactor : public grpc::ServerBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  ~JobReactor() override = default;

  std::size_t unsent_bytes() const { return unsent_bytes_; }
  void ReadNext();
  void Write(v1::JobDown message);
  // The last word: closes the call when everything before it has left.
  void End(v1::JobDown message);
  // Closes the call now; what is queued is lost. Idempotent.
  void Break();

 protected:
  // Reads the first message at once.
  JobReactor(grpc::CallbackServerContext* context, EventLoop& loop);

  // Nothing happens once gRPC is done with the call. `name`: lower case, of this program.
  void AddTrailer(const char* name, const HeaderText& value);

 private:
  // On the loop, each. What they get is theirs until they return.
  virtual void OnMessage(v1::JobUp& message) = 0;
  // The peer has sent everything.
  virtual void OnUploadEnd() = 0;
  // The peer left, or its connection broke.
  virtual void OnCancelled() = 0;
  // A message has left: there is room for more.
  virtual void OnDrained() {}
  // The last word is about to be queued: the moment for trailers.
  virtual void OnEnding(const v1::End&) {}
  // The reactor is about to disappear.
  virtual void OnClosed() = 0;

  // False once the last word has been said or the call broken: nothing more can be written.
  bool open() const { return !finished_ && !broken_ && !ending_; }
  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;
  void Pump();

  std::mutex context_mutex_;
  grpc::CallbackServerContext* context_;  // null once gRPC is done with the call
  EventLoop& loop_;
  v1::JobUp incoming_;  // gRPC's while a read is under way, the loop's otherwise
  std::deque<v1::JobDown> queue_;
  std::size_t unsent_bytes_ = 0;
  bool writing_ = false;  // the front of the queue is gRPC's
  bool ending_ = false;   // the back of the queue is the last word
  bool broken_ = false;
  bool finished_ = false;  // gRPC has been told; no more calls
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_JOB_REACTOR_H_
