// One job as a client of a router's own ingress: uploads the picture, reads progress, result and end.
//
// The videos front is a client like any other, so everything that holds for jobs holds for its jobs:
// deadlines, spill, once, cancellation. Callbacks of gRPC post to the front's loop. One message is on its
// way in each direction at a time, which is all the back-pressure there is to do: the next piece of the
// result is read when this one has been written to disk.
//
// Lifetime: deletes itself on the loop after SubmitListener::OnOver. Threads: public calls on the loop.
#ifndef RINGWAY_GATEWAY_SUBMIT_STREAM_H_
#define RINGWAY_GATEWAY_SUBMIT_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <string>

#include "ringway/v1/job.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::gateway {

class SubmitStream;

class SubmitListener {
 public:
  virtual ~SubmitListener() = default;
  virtual void OnDown(SubmitStream& stream, const v1::JobDown& message) = 0;
  // The payload has been handed to the transport, or will not be: its memory is free.
  virtual void OnUploaded(SubmitStream& stream) = 0;
  // The call is over; the stream is about to disappear.
  virtual void OnOver(SubmitStream& stream, const grpc::Status& status) = 0;
};

class SubmitStream final : public grpc::ClientBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  SubmitStream(std::string id, v1::JobHeader header, std::string payload, runtime::EventLoop& loop,
               SubmitListener& listener);
  void Call(v1::Ingress::Stub& ingress);
  // Cancels the job. Nothing but OnOver follows.
  void Cancel();

  const std::string& id() const { return id_; }
  std::size_t payload_bytes() const { return payload_.size(); }
  bool ended = false;  // the listener's: the job's End has come

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void SendNext();
  void FreePayload();

  const std::string id_;
  runtime::EventLoop& loop_;
  SubmitListener& listener_;
  grpc::ClientContext context_;
  v1::JobUp outgoing_;    // gRPC's while a write is under way
  v1::JobDown incoming_;  // gRPC's while a read is under way
  std::string payload_;
  std::size_t sent_ = 0;
  bool cancelled_ = false;
  bool held_ = false;  // until the reads fail: more operations may follow
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_SUBMIT_STREAM_H_
