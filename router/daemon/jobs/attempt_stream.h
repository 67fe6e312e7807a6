// One Run or Forward call to a worker or another router: the client's side, between gRPC and the loop.
//
// Callbacks of gRPC post to the loop; messages queue here and leave one at a time. Two facts decide whether a
// job may be asked for again, and both come from here: a worker starts only after the whole payload has
// arrived, so an attempt whose upload was never closed has not started anything (upload_left()).
//
// Lifetime: deletes itself on the loop after AttemptListener::OnOver. gRPC wants to know that more operations
// will follow (a hold); it is let go when the last read has failed or the attempt is cancelled. Bound: the
// listener sends no more than its window beyond unsent_bytes(). Threads: public calls on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <deque>

#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/control/stream_count.h"
#include "router/router_action.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class AttemptStream;

// What the streams talk to. Called on the loop.
class AttemptListener {
 public:
  virtual ~AttemptListener() = default;
  virtual void OnDown(AttemptStream& stream, v1::JobDown& message) = 0;
  // A message has left: there is room for more.
  virtual void OnSent(AttemptStream& stream) = 0;
  // The call is over; the stream is about to disappear.
  virtual void OnOver(AttemptStream& stream, const grpc::Status& status) = 0;
};

class AttemptStream final : public grpc::ClientBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  AttemptStream(AttemptId id, runtime::EventLoop& loop, StreamCount& streams, AttemptListener& listener)
      : id_(id), loop_(loop), ticket_(streams), listener_(listener) {}
  void CallWorker(v1::Worker::Stub& worker);
  void CallRouter(v1::Peer::Stub& router);

  AttemptId id() const { return id_; }
  std::size_t unsent_bytes() const { return unsent_bytes_; }
  // The end of the upload has been handed to the transport: the peer may have started.
  bool upload_left() const { return upload_left_; }
  // It has not even begun to: nobody has the whole payload.
  bool upload_open() const { return !closed_; }

  void Send(v1::JobUp message);
  void CloseUpload();
  void ReadNext();
  void Cancel();

 private:
  void Begin();
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnWritesDoneDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void Pump();
  void LetGo();

  const AttemptId id_;
  runtime::EventLoop& loop_;
  StreamCount::Ticket ticket_;
  AttemptListener& listener_;
  grpc::ClientContext context_;
  v1::JobDown incoming_;  // gRPC's while a read is under way
  std::deque<v1::JobUp> queue_;
  std::size_t unsent_bytes_ = 0;
  bool writing_ = false;
  bool reading_ = false;
  bool closing_ = false;  // the upload ends after the queue
  bool closed_ = false;   // gRPC has been told so
  bool upload_left_ = false;
  bool held_ = false;  // more operations may follow
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPT_STREAM_H_
